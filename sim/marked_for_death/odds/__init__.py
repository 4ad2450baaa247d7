"""The odds of a battle of two rosters: exact for one against one, otherwise simulated."""
