"""Mad Killer Agents: a war on a map, by people and AIs. Here: what the game brings, and its folded map with a flag."""

from sim.core.cards.figures import silhouettes
from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=(".battle.rules:MapWar",),
    title="Mad Killer Agents",
    commands=(
        Command("mka-battle", "what a battle leads to", ".console:battle"),
        Command("mka-map", "a map as CSV, a line for each row of tile values", ".console:draw"),
        Command("mka-simulate", "wars of AIs", ".console:simulate"),
    ),
    cards="sim.mad_killer_agents.requests",
    preload=("sim.mad_killer_agents.requests",),
    warm_up=("sim.mad_killer_agents.film",),
    order=5,
)

ICON = silhouettes("sim.mad_killer_agents", "icon.txt")["map"]
