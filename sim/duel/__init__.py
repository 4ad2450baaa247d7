"""B/X duels: fights told as stories, monsters, a small dungeon, and odds."""
