"""What is stored about battles."""
