"""The war on a map."""
