"""Axis & Allies 1941: armies, the average battle, exact odds."""
