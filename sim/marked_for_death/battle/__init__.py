"""A battle of two rosters, fought round by round in a channel."""
