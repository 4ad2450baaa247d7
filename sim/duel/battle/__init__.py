"""Duels, played round by round."""
