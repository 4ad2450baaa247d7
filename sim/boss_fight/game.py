"""Registers boss fights as a game, and draws the skull that stands for them."""

from sim.core.cards.marks import Silhouette, hole, line, oval, polygon
from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=("sim.boss_fight.battle.rules:BossFight",),
    commands=(
        Command(
            "boss-exchange",
            "boss fights: one exchange between a boss and a deck of tokens",
            "sim.boss_fight.console:add_exchange",
        ),
        Command(
            "boss-odds",
            "boss fights: how often three ready hands beat a boss, by the way they are played",
            "sim.boss_fight.console:add_odds",
        ),
    ),
    cards="sim.boss_fight.cards",
    order=3,
)


ICON = Silhouette(
    60,
    60,
    (
        oval(6, 3, 54, 45),
        polygon(17, 38, 43, 38, 42, 57, 18, 57),
        hole(oval(14, 19, 27, 33)),
        hole(oval(33, 19, 46, 33)),
        hole(polygon(30, 34, 34, 41, 26, 41)),
        *(hole(line(x, 48, x, 58, thickness=1.8)) for x in (24.5, 30, 35.5)),
    ),
)
