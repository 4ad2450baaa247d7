"""Compiling or loading all kernels ahead of the first question."""

from sim.axis_allies.army import Army
from sim.axis_allies.odds.requests import OddsRequest, RetreatRequest
from sim.axis_allies.units import Unit


def warm_up() -> None:
    """Make every kernel ready, from its cache on disk where there is one; call it once in a worker's initializer.

    Takes about half a minute where nothing is cached yet, a fraction of a second otherwise. The cache notices changes
    in a kernel's own file only: whoever edits one that others call clears it (`*.nbi`, `*.nbc` in `__pycache__`).
    """
    land = Army.of({Unit.INFANTRY: 1})
    sea = Army.of({Unit.SUBMARINE: 1, Unit.DESTROYER: 1})
    for army in (land, sea):
        for stop_after in (None, 1):
            OddsRequest(attacker=army, defender=army, stop_after=stop_after).run()
            RetreatRequest(attacker=army, defender=army, stop_after=stop_after).run()
