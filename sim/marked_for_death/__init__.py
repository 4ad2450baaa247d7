"""Marked for Death: battles of two rosters."""
