"""Boss fights: a party with decks of tokens against one boss. Here: what the game brings, and the skull of its icon."""

from sim.core.cards.figures import silhouettes
from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=(".battle.rules:BossFight",),
    title="boss fights",
    commands=(
        Command("boss-exchange", "one exchange between a boss and a deck of tokens", ".console:exchange"),
        Command("boss-odds", "how often three ready hands beat a boss, by the way they are played", ".console:odds"),
    ),
    cards="sim.boss_fight.cards",
    warm_up=("sim.boss_fight.search",),
    order=3,
)

ICON = silhouettes("sim.boss_fight", "icon.txt")["skull"]
