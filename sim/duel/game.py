"""What duels bring to the registry of games."""

from sim.core.game_rules import GameRules
from sim.duel.battle import Duel
from sim.duel.dungeon import Dungeon

RULES = GameRules(
    systems=(Duel, Dungeon),
    console="sim.duel.console",
    preload=("sim.duel.gather", "sim.duel.odds"),
    warm_up=("sim.duel.odds.warm",),
    order=4,
)
