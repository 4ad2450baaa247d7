"""The base of all games: battles, journals, dice, errors with a place, tables, exact numbers as text."""
