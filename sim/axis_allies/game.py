"""Registration of Axis & Allies in the registry of games."""

from sim.axis_allies.battle.rules import DiceBattle
from sim.core.game_rules import GameRules

RULES = GameRules(
    systems=(DiceBattle,),
    console="sim.axis_allies.console",
    cards="sim.axis_allies.battle.card",
    preload=("sim.axis_allies.requests",),
    warm_up=("sim.axis_allies.warm_up",),
    order=1,
)
