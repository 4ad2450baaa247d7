"""What Pig brings for workers and the terminal."""

from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=("fracas_pig.rules:Pig",),
    commands=(
        Command("pig", "Pig: a game of two players who hold at a number of points", "fracas_pig.console:pig"),
        Command("pig-odds", "Pig: the chance to lose a turn", "fracas_pig.console:odds"),
    ),
    cards="fracas_pig.cards",
    warm_up=("fracas_pig.odds",),
)
