"""Who fires when, and at whom: one law of the round for average battles, battles with dice, and what is asked of them.

Source: the rules page of Axis & Allies 1941, sections "The average battle" and "The dice battle": the same round, with
other numbers. (The kernels of the odds know it as bits, by the same names.)
"""

from collections.abc import Container, Iterable, Iterator, Mapping

from sim.axis_allies.army import Army
from sim.axis_allies.units import Unit
from sim.core.outcomes import Side


def strikers(standing: Mapping[Side, Container[Unit]]) -> tuple[Side, ...]:
    """Return the sides whose submarines strike by surprise in a round that begins with these units.

    They do where the other side has no destroyer; both strikes come from the armies as the round begins.
    """
    return tuple(
        side for side in Side if Unit.SUBMARINE in standing[side] and Unit.DESTROYER not in standing[side.other]
    )


def firing(units: Iterable[Unit], side: Side, *, surprise: bool, struck: bool) -> Iterator[Unit]:
    """Return those of `units` that fire on `side`, in their order.

    By surprise only submarines do; in the general fire all others do, and submarines that have not `struck` this round.
    A unit without a score never fires.
    """
    for unit in units:
        submarine = unit is Unit.SUBMARINE
        if unit.score(side) and (submarine if surprise else not (submarine and struck)):
            yield unit


def can_harm(shooter: Army, side: Side, target: Army) -> bool:
    """Tell whether any unit of `shooter`, fighting on `side`, can hit any of `target`."""
    destroyer = shooter.count(Unit.DESTROYER) > 0
    return any(
        group.unit.score(side) > 0 and group.unit.can_hit(foe.unit, own_destroyer=destroyer)
        for group in shooter.groups
        for foe in target.groups
    )
