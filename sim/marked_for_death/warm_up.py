"""Prepares a worker: compiles or loads all kernels before the first request."""

from sim.marked_for_death.requests import OddsRequest, SensitivityRequest
from sim.marked_for_death.roster import Fighter, Roster


def warm_up() -> None:
    """Load every kernel from its cache on disk, or compile it; call this once in a worker.

    Takes ten seconds without the cache, a fraction of a second with it.
    """
    small = Roster(fighters=(Fighter(name="One", xp=1000),))
    OddsRequest(heroes=small, villains=small).run()
    large = Roster(fighters=(Fighter(name="One", xp=1000), Fighter(name="Two", xp=100_000, bonus_hp=100)))
    odds = OddsRequest(heroes=large, villains=large, battles=1)
    odds.run()
    SensitivityRequest(odds=odds, battles=1).run()
