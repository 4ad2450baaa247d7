"""Tells what happened in battles that are over: the luck of the dice, who won what, ladders."""
