"""What every rule system shares: errors with a place, exact numbers as text, dice, outcomes."""
