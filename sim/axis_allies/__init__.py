"""Axis & Allies, all editions: armies, the average battle, exact odds, live battles. Here: what the game brings."""

from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=("sim.axis_allies.battle.rules:DiceBattle",),
    commands=(
        Command("aa", "Axis & Allies: the average battle", "sim.axis_allies.console:average"),
        Command(
            "aa-odds",
            "Axis & Allies: the exact odds, also of waves and counterattacks",
            "sim.axis_allies.odds_console:odds",
        ),
        Command(
            "aa-retreat",
            "Axis & Allies: go on or retreat, also with later waves",
            "sim.axis_allies.odds_console:retreat",
        ),
        Command(
            "aa-spend",
            "Axis & Allies: what to buy for several fronts at once",
            "sim.axis_allies.odds_console:spend",
        ),
        Command("aa-read", "Axis & Allies: how the text of a battle is understood", "sim.axis_allies.console:read"),
        Command(
            "aa-battle",
            "Axis & Allies: a battle with dice, every die shown",
            "sim.axis_allies.odds_console:battle",
        ),
        Command(
            "puzzles",
            "Axis & Allies: the puzzles in battles that were played, from their journals",
            "sim.axis_allies.odds_console:puzzles",
        ),
    ),
    cards="sim.axis_allies.battle.cards",
    asks="sim.axis_allies.small_odds:small_answer",
    preload=("sim.axis_allies.answers",),
    warm_up=("sim.axis_allies.requests",),
    order=1,
)
