"""Pictures of a game. What is in here needs Pillow or matplotlib: only workers import it."""
