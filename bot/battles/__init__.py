"""Battles in channels, whatever the game: service, presenter, panel, consent, maintenance."""
