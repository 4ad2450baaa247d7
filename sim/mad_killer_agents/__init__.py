"""Mad Killer Agents: a war on a map, by people and AIs. Here: what the game brings, and its folded map with a flag."""

from sim.core.cards.figures import silhouettes
from sim.core.game_rules import Command, GameRules

_CONSOLE = "sim.mad_killer_agents.console"

RULES = GameRules(
    systems=("sim.mad_killer_agents.battle.rules:MapWar",),
    commands=(
        Command("mka-battle", "Mad Killer Agents: what a battle leads to", f"{_CONSOLE}:battle"),
        Command("mka-map", "Mad Killer Agents: a map as CSV, a line for each row of tile values", f"{_CONSOLE}:draw"),
        Command("mka-simulate", "Mad Killer Agents: wars of AIs", f"{_CONSOLE}:simulate"),
    ),
    cards="sim.mad_killer_agents.requests",
    preload=("sim.mad_killer_agents.requests",),
    warm_up=("sim.mad_killer_agents.film",),
    order=5,
)

ICON = silhouettes("sim.mad_killer_agents", "icon.txt")["map"]
