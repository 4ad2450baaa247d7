"""Registers Axis & Allies as a game."""

from sim.core.game_rules import Command, GameRules

_COMMANDS = {
    "aa": ("the average battle", "console:add_aa"),
    "aa-odds": ("the exact odds, also of waves and counterattacks", "odds_console:add_odds"),
    "aa-retreat": ("go on or retreat, also with later waves", "odds_console:add_retreat"),
    "aa-spend": ("what to buy for several fronts at once", "odds_console:add_spend"),
    "aa-read": ("how the text of a battle is understood", "console:add_read"),
    "aa-battle": ("a battle with dice, every die shown", "odds_console:add_battle"),
    "puzzles": ("the puzzles in battles that were played, from their journals", "odds_console:add_puzzles"),
}

RULES = GameRules(
    systems=("sim.axis_allies.battle.rules:DiceBattle",),
    commands=tuple(
        Command(name, f"Axis & Allies: {does}", f"sim.axis_allies.{adds}") for name, (does, adds) in _COMMANDS.items()
    ),
    cards="sim.axis_allies.battle.cards",
    asks="sim.axis_allies.small_odds:small_answer",
    preload=("sim.axis_allies.answers",),
    warm_up=("sim.axis_allies.requests",),
    order=1,
)
