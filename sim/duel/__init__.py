"""B/X duels: fights told as stories, monsters, a small dungeon, odds. Here: what the game brings, and its sword."""

from sim.core.cards.figures import silhouettes
from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=(".battle.rules:Duel", ".battle.dungeon_rules:Dungeon"),
    title="B/X duels",
    commands=(
        Command("duel", "a fight to the end", ".console:duel"),
        Command("duel-odds", "the odds, exact for one against one", ".console:odds"),
    ),
    cards="sim.duel.cards",
    preload=("sim.duel.requests",),
    warm_up=("sim.duel.requests",),
    order=4,
)

ICON = silhouettes("sim.duel", "silhouettes.txt")["sword icon"]
