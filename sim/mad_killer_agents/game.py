"""What Mad Killer Agents brings to the registry of games."""

from sim.core.game_rules import GameRules
from sim.mad_killer_agents.battle import MapWar

RULES = GameRules(
    systems=(MapWar,),
    console="sim.mad_killer_agents.console",
    cards="sim.mad_killer_agents.requests",
    preload=("sim.mad_killer_agents.requests",),
    warm_up=("sim.mad_killer_agents.warm_up",),
    order=5,
)
