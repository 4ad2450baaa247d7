"""Compiling or loading all kernels ahead of the first question."""

from sim.marked_for_death.requests import OddsRequest, SensitivityRequest
from sim.marked_for_death.roster import Fighter, Roster


def warm_up() -> None:
    """Make every kernel ready, from its cache on disk where there is one; call it once in a worker's initializer.

    Takes some ten seconds where nothing is cached yet, a fraction of one otherwise. The cache notices changes in a
    kernel's own file only: whoever edits one that others call clears it (`*.nbi`, `*.nbc` in `__pycache__`).
    """
    small = Roster(fighters=(Fighter(name="One", xp=1000),))
    OddsRequest(heroes=small, villains=small).run()
    large = Roster(fighters=(Fighter(name="One", xp=1000), Fighter(name="Two", xp=100_000, bonus_hp=100)))
    odds = OddsRequest(heroes=large, villains=large, battles=1)
    odds.run()
    SensitivityRequest(odds=odds, battles=1).run()
