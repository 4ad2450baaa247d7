"""What is kept between restarts: SQLite, one connection, one writer at a time. Knows no rule system."""
