"""Registers duels as a game, and draws the sword that stands for them."""

from sim.core.cards.marks import Silhouette, hole, line, oval, polygon
from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=("sim.duel.battle.rules:Duel", "sim.duel.battle.dungeon_rules:Dungeon"),
    commands=(
        Command("duel", "B/X duels: a fight to the end", "sim.duel.console:add_duel"),
        Command("duel-odds", "B/X duels: the odds, exact for one against one", "sim.duel.console:add_odds"),
    ),
    cards="sim.duel.cards",
    preload=("sim.duel.requests",),
    warm_up=("sim.duel.requests",),
    order=4,
)


ICON = Silhouette(
    60,
    60,
    (
        polygon(57, 3, 56, 13, 26, 43, 17, 34, 47, 4),
        hole(line(53, 7, 24, 36, thickness=1.6)),
        polygon(11, 31, 15, 27, 33, 45, 29, 49),
        line(18, 42, 9, 51, thickness=5.5),
        oval(2, 49, 11, 58),
    ),
)
