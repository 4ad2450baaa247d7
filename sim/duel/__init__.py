"""B/X duels: single fights and group fights, told as stories; monsters and a small dungeon; the odds of duels."""
