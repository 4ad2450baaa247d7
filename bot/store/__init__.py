"""Storage: SQLite, one connection, one writer at a time. Knows no game."""
