"""Warm-up of a worker: compiles the kernels of the odds or loads them from their cache."""

from sim.axis_allies.army import Army
from sim.axis_allies.requests import OddsRequest, PurchaseRequest, RetreatRequest
from sim.axis_allies.units import Unit


def warm_up() -> None:
    """Prepare every kernel; call this once in a worker's initializer.

    Takes about half a minute without a cache, a fraction of a second with one.
    """
    land = Army.of({Unit.INFANTRY: 1})
    sea = Army.of({Unit.SUBMARINE: 1, Unit.DESTROYER: 1})
    for army in (land, sea):
        for stop_after in (None, 1):
            OddsRequest(attacker=army, defender=army, casualties="smart", stop_after=stop_after).run(course=True)
            RetreatRequest(attacker=army, defender=army, stop_after=stop_after).run()
        PurchaseRequest(attacker=army, defender=army, chance=0.7).run()
    OddsRequest(attacker=land, defender=land, low_luck=True).run()
    planes, guns = (Army.of({Unit.INFANTRY: 1, other: 1}, "1942") for other in (Unit.FIGHTER, Unit.GUN))
    OddsRequest(attacker=planes, defender=guns, bombard=Army.of({Unit.BATTLESHIP: 1}, "1942")).run()
