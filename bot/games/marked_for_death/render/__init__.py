"""Marked for Death on a page: battles, rosters, odds."""
