"""Saved rosters of Marked for Death."""

KIND = "mfd"
"""The kind of saved roster."""
