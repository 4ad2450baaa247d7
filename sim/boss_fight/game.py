"""What boss fights bring to the registry of games."""

from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=("sim.boss_fight.battle.rules:BossFight",),
    commands=(
        Command(
            "boss-exchange",
            "boss fights: one exchange between a boss and a deck of tokens",
            "sim.boss_fight.console:add_exchange",
        ),
    ),
    cards="sim.boss_fight.cards",
    order=3,
)
