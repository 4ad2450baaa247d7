"""`/duel`: the group that all its commands are in."""

from typing import Annotated

from discord import app_commands

from bot.games.duel.characters import MOST_CHARACTERS
from bot.games.duel.people import OwnCharacter
from sim.duel.critter import MAX_NAME
from sim.duel.monsters import MAX_LEVEL

duel = app_commands.Group(name="duel", description="B/X duels: rolled, told as a tale, monsters and dungeons")

Named = app_commands.Range[str, 1, MAX_NAME]
Own = Annotated[str, OwnCharacter()]
Level = app_commands.Range[int, 1, MAX_LEVEL]

CHARACTER = "Your character (usually your newest; with none, one is rolled and kept)"
LEVEL = f"How dangerous: 1 to {MAX_LEVEL}"
TURN = "Who turns the pages with Continue"
KEPT = f"at most {MOST_CHARACTERS}"
