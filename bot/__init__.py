"""The Discord bot; the rules of the games are in `sim`."""
