"""Duels in the registry of games."""

from sim.core.game_rules import GameRules
from sim.duel.battle.rules import Duel
from sim.duel.dungeon.rules import Dungeon

RULES = GameRules(
    systems=(Duel, Dungeon),
    console="sim.duel.console",
    cards="sim.duel.cards",
    preload=("sim.duel.requests",),
    warm_up=("sim.duel.warm_up",),
    order=4,
)
