"""Duels in the registry of games."""

from sim.core.game_rules import Command, GameRules

RULES = GameRules(
    systems=("sim.duel.battle.rules:Duel", "sim.duel.dungeon.rules:Dungeon"),
    commands=(
        Command("duel", "B/X duels: a fight to the end", "sim.duel.console:add_duel"),
        Command("duel-odds", "B/X duels: the odds, exact for one against one", "sim.duel.console:add_odds"),
    ),
    cards="sim.duel.cards",
    preload=("sim.duel.requests",),
    warm_up=("sim.duel.warm_up",),
    order=4,
)
