"""What Axis & Allies brings to the registry of games."""

from sim.axis_allies.battle import DiceBattle
from sim.core.game_rules import GameRules

RULES = GameRules(
    systems=(DiceBattle,),
    console="sim.axis_allies.console",
    preload=("sim.axis_allies.export",),
    warm_up=("sim.axis_allies.chart", "sim.axis_allies.odds.warm"),
    order=1,
)
