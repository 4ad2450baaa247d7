"""Mad Killer Agents: a war on a map, by people and AIs. Here: what the game brings, and its folded map with a flag."""

from sim.core.cards.figures import silhouettes
from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=("sim.mad_killer_agents.battle.rules:MapWar",),
    commands=(
        Command("mka-battle", "Mad Killer Agents: what a battle leads to", "sim.mad_killer_agents.console:add_battle"),
        Command(
            "mka-map",
            "Mad Killer Agents: a map as CSV, a line for each row of tile values",
            "sim.mad_killer_agents.console:add_map",
        ),
        Command("mka-simulate", "Mad Killer Agents: wars of AIs", "sim.mad_killer_agents.console:add_simulate"),
    ),
    cards="sim.mad_killer_agents.requests",
    preload=("sim.mad_killer_agents.requests",),
    warm_up=("sim.mad_killer_agents.film",),
    order=5,
)

ICON = silhouettes("sim.mad_killer_agents", "icon.txt")["map"]
