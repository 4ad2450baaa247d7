"""The duel that goes on round by round: `Duel` has the rules, `Setup` begins one, actions go on with it."""

from sim.duel.battle.rules import Duel
from sim.duel.battle.values import (
    GROUP_1,
    GROUP_2,
    MAX_GROUP,
    Action,
    Cast,
    Closed,
    Continue,
    Ended,
    Event,
    Opened,
    Passed,
    Paused,
    RoundBegan,
    Run,
    Setup,
    State,
    Struck,
)

__all__ = [
    "GROUP_1",
    "GROUP_2",
    "MAX_GROUP",
    "Action",
    "Cast",
    "Closed",
    "Continue",
    "Duel",
    "Ended",
    "Event",
    "Opened",
    "Passed",
    "Paused",
    "RoundBegan",
    "Run",
    "Setup",
    "State",
    "Struck",
]
