"""A small dungeon on rails."""
