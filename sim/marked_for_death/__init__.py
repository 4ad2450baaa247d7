"""Marked for Death: battles of two rosters. Here: what the game brings, and the kunai of its icon."""

from sim.core.cards.figures import silhouettes
from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=(".battle.rules:RosterBattle",),
    title="Marked for Death",
    commands=(
        Command("mfd", "a battle of two rosters, every attack shown", ".console:mfd"),
        Command("mfd-check", "a roster's fighters, and what is odd about them", ".console:check"),
        Command("mfd-odds", "the odds of a battle of two rosters", ".console:odds"),
    ),
    cards="sim.marked_for_death.cards",
    preload=("sim.marked_for_death.requests",),
    warm_up=("sim.marked_for_death.odds",),
    order=2,
)

ICON = silhouettes("sim.marked_for_death", "icon.txt")["dagger"]
