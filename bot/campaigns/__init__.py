"""Campaigns: what is left after a battle enters the next one."""
