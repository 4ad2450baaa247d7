"""The registry of games, and the jobs that a worker does for any of them."""
