"""What boss fights bring to the registry of games."""

from sim.boss_fight.battle.rules import BossFight
from sim.core.game_rules import GameRules

RULES = GameRules(
    systems=(BossFight,),
    console="sim.boss_fight.console",
    cards="sim.boss_fight.cards",
    order=3,
)
