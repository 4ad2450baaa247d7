"""Axis & Allies, all editions: armies, the average battle, exact odds, live battles. Here: what the game brings."""

from sim.core.game_rules import Command, GameRules

_CONSOLE, _ODDS = "sim.axis_allies.console", "sim.axis_allies.odds_console"

RULES = GameRules(
    systems=("sim.axis_allies.battle.rules:DiceBattle",),
    commands=(
        Command("aa", "Axis & Allies: the average battle", f"{_CONSOLE}:average"),
        Command("aa-odds", "Axis & Allies: the exact odds, also of waves and counterattacks", f"{_ODDS}:odds"),
        Command("aa-retreat", "Axis & Allies: go on or retreat, also with later waves", f"{_ODDS}:retreat"),
        Command("aa-spend", "Axis & Allies: what to buy for several fronts at once", f"{_ODDS}:spend"),
        Command("aa-read", "Axis & Allies: how the text of a battle is understood", f"{_CONSOLE}:read"),
        Command("aa-battle", "Axis & Allies: a battle with dice, every die shown", f"{_ODDS}:battle"),
        Command(
            "puzzles",
            "Axis & Allies: the puzzles in battles that were played, from their journals",
            f"{_ODDS}:puzzles",
        ),
    ),
    cards="sim.axis_allies.battle.cards",
    asks="sim.axis_allies.small_odds:small_answer",
    preload=("sim.axis_allies.answers",),
    warm_up=("sim.axis_allies.requests",),
    order=1,
)
