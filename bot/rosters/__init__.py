"""Saved rosters: kinds, versions, and the commands around them."""
