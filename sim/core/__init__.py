"""What all games share: battles, journals, dice, errors with a place, tables, exact numbers as text."""
