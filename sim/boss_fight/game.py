"""What boss fights bring to the registry of games."""

from sim.boss_fight.battle.rules import BossFight
from sim.core.game_rules import GameRules

RULES = GameRules(
    systems=(BossFight,),
    console="sim.boss_fight.console",
    warm_up=("sim.core.cards.fight",),
    order=3,
)
