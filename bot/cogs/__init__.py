"""Cogs that belong to no game: `/help`, `/about` and `/privacy`."""
