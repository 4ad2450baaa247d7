"""B/X duels as Discord shows them."""
