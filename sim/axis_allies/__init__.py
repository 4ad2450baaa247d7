"""Axis & Allies, all editions: armies, the average battle, exact odds, live battles. Here: what the game brings."""

from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=(".battle.rules:DiceBattle",),
    title="Axis & Allies",
    commands=(
        Command("aa", "the average battle", ".console:average"),
        Command("aa-odds", "the exact odds, also of waves and counterattacks", ".odds_console:odds"),
        Command("aa-retreat", "go on or retreat, also with later waves", ".odds_console:retreat"),
        Command("aa-spend", "what to buy for several fronts at once", ".odds_console:spend"),
        Command("aa-read", "how the text of a battle is understood", ".console:read"),
        Command("aa-battle", "a battle with dice, every die shown", ".odds_console:battle"),
        Command("puzzles", "the puzzles in battles that were played, from their journals", ".odds_console:puzzles"),
    ),
    cards="sim.axis_allies.battle.cards",
    asks=".small_odds:small_answer",
    preload=("sim.axis_allies.answers",),
    warm_up=("sim.axis_allies.requests",),
    order=1,
)
