"""B/X duels: fights told as stories, monsters, a small dungeon, odds. Here: what the game brings, and its sword."""

from sim.core.cards.figures import silhouettes
from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=("sim.duel.battle.rules:Duel", "sim.duel.battle.dungeon_rules:Dungeon"),
    commands=(
        Command("duel", "B/X duels: a fight to the end", "sim.duel.console:duel"),
        Command("duel-odds", "B/X duels: the odds, exact for one against one", "sim.duel.console:odds"),
    ),
    cards="sim.duel.cards",
    preload=("sim.duel.requests",),
    warm_up=("sim.duel.requests",),
    order=4,
)

ICON = silhouettes("sim.duel", "silhouettes.txt")["sword icon"]
