"""The battle in rounds: `RosterBattle` has the rules, `Setup` begins a battle, actions go on with it."""

from sim.marked_for_death.battle.changes import current_fighter, current_roster, difference
from sim.marked_for_death.battle.load import MAX_ATTACKS, MAX_DICE
from sim.marked_for_death.battle.log import card_line, ending_line
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.runner import side_cards
from sim.marked_for_death.battle.values import (
    MAX_ROUNDS,
    Action,
    Amend,
    Attack,
    Changed,
    Combatant,
    Ended,
    Event,
    Fell,
    FighterHp,
    Fought,
    Mustered,
    NextRound,
    Paused,
    PulledOut,
    PullOut,
    Reinforce,
    Run,
    Setup,
    State,
)

__all__ = [
    "MAX_ATTACKS",
    "MAX_DICE",
    "MAX_ROUNDS",
    "Action",
    "Amend",
    "Attack",
    "Changed",
    "Combatant",
    "Ended",
    "Event",
    "Fell",
    "FighterHp",
    "Fought",
    "Mustered",
    "NextRound",
    "Paused",
    "PullOut",
    "PulledOut",
    "Reinforce",
    "RosterBattle",
    "Run",
    "Setup",
    "State",
    "card_line",
    "current_fighter",
    "current_roster",
    "difference",
    "ending_line",
    "side_cards",
]
