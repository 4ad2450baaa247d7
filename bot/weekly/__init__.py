"""A challenge a week: the same for everyone in a channel, one try a day, a board."""
