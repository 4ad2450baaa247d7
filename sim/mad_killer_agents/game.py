"""Registers Mad Killer Agents as a game, and draws its silhouette: a folded map with a flag."""

from sim.core.cards.marks import Silhouette, hole, line, polygon
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


ICON = Silhouette(
    60,
    60,
    (
        polygon(3, 10, 20, 4, 20, 50, 3, 56),
        polygon(22, 4, 38, 10, 38, 56, 22, 50),
        polygon(40, 10, 57, 4, 57, 50, 40, 56),
        hole(line(9, 42, 24, 34, thickness=2.4)),
        hole(line(24, 34, 33, 40, thickness=2.4)),
        hole(line(46, 22, 46, 40, thickness=2.6)),
        hole(polygon(46, 20, 55, 24, 46, 29)),
    ),
)
