"""What Marked for Death brings to the registry of games."""

from sim.core.game_rules import GameRules
from sim.marked_for_death.battle.rules import RosterBattle

RULES = GameRules(
    systems=(RosterBattle,),
    console="sim.marked_for_death.console",
    cards="sim.marked_for_death.requests",
    preload=("sim.marked_for_death.requests",),
    warm_up=("sim.marked_for_death.warm_up",),
    order=2,
)
