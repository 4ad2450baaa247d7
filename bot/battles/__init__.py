"""Battles in channels, for every game: service, presenter, panel, consent, maintenance."""
