"""A challenge a week: the same boss or dungeon for everyone in a channel, one try a day, a board."""
