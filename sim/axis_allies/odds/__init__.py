"""Exact odds: chances of every result, purchases, retreats, luck. Engines load NumPy and Numba; workers only."""
