"""Tables as CSV: reading and writing files, and declared columns."""
