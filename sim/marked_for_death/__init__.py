"""Marked for Death: battles of two rosters. Here: what the game brings, and the kunai of its icon."""

from sim.core.cards.figures import silhouettes
from sim.core.game_rules import Command, GameRules

_CONSOLE = "sim.marked_for_death.console"

RULES = GameRules(
    systems=("sim.marked_for_death.battle.rules:RosterBattle",),
    commands=(
        Command("mfd", "Marked for Death: a battle of two rosters, every attack shown", f"{_CONSOLE}:mfd"),
        Command("mfd-check", "Marked for Death: a roster's fighters, and what is odd about them", f"{_CONSOLE}:check"),
        Command("mfd-odds", "Marked for Death: the odds of a battle of two rosters", f"{_CONSOLE}:odds"),
    ),
    cards="sim.marked_for_death.cards",
    preload=("sim.marked_for_death.requests",),
    warm_up=("sim.marked_for_death.odds",),
    order=2,
)

ICON = silhouettes("sim.marked_for_death", "icon.txt")["dagger"]
