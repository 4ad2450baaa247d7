"""Duels and dungeons, round by round."""
