"""What Pig brings for workers and the terminal."""

from fracas_pig.rules import Pig
from sim.core.game_rules import GameRules

RULES = GameRules(systems=(Pig,), console="fracas_pig.console", warm_up=("fracas_pig.odds",))
