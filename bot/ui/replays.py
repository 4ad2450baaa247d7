"""Battles done again: in one job, or where that takes too long, stretch by stretch."""

from pydantic import JsonValue

from bot.memo import RememberingSimulator
from sim.adapters import Caller, OverrunError
from sim.core.errors import RuleError
from sim.core.record import Record
from sim.history import Rewind, Verified, Verify
from sim.stretches import Seals, Stop, Stretch, compared, rows_left

_PARTS = 4
"""A journal that is too long for one job is tried in so many stretches; one that is still too long is halved."""


async def verified(simulator: RememberingSimulator, record: Record, caller: Caller | None) -> Verified:
    """Check a battle, whose seed is known, from its first row to its last."""
    try:
        return await simulator.once(Verify.of(record), caller)
    except OverrunError:
        seals = Seals(head=record.head, entries=record.entries, seed=record.seed or b"")
        found = await simulator.once(seals, caller)
        if not found.match:
            return found
    stop = await _walked(simulator, record, caller)
    return stop if isinstance(stop, Verified) else compared(stop, record)


async def rewound(simulator: RememberingSimulator, record: Record) -> JsonValue:
    """Return the state, as JSON, that a battle whose seed is known comes to."""
    try:
        return await simulator.once(Rewind.of(record))
    except OverrunError:
        stop = await _walked(simulator, record, None)
    if isinstance(stop, Verified):
        raise RuleError(f"This battle can't be gone through again: {stop.sentence}")
    return stop.state


async def _walked(simulator: RememberingSimulator, record: Record, caller: Caller | None) -> Stop | Verified:
    """Go through all rows and return where that leads, or the first difference."""
    rows = max(1, len(record.entries) // _PARTS)
    stop: Stop | None = None
    while stop is None or rows_left(record, stop):
        try:
            found = await simulator.once(Stretch.of(record, stop, rows), caller)
        except OverrunError:
            if rows == 1:
                raise
            rows //= 2
            continue
        if isinstance(found, Verified):
            return found
        stop = found
    return stop
