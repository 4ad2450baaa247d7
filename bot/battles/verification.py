"""Battles done again: in one job, or where that takes too long, stretch by stretch."""

from collections.abc import Sequence

from pydantic import JsonValue

from bot.cooperative import cooperative
from bot.result_cache import CachingSimulator
from sim.core.errors import RuleError
from sim.core.journal_file import Record, dump_lines
from sim.jobs.history import Rewind, Verified, Verify
from sim.jobs.stretches import Seals, Stop, Stretch, compared, rows_left
from sim.workers import Caller, OverrunError

_PARTS = 4
"""A journal that is too long for one job is tried in so many stretches; one that is still too long is halved."""


async def verified(simulator: CachingSimulator, record: Record, caller: Caller | None) -> Verified:
    """Check a battle, whose seed is known, from its first row to its last."""
    lines = await _lines(record)
    try:
        return await simulator.once(Verify.of_lines(lines), caller)
    except OverrunError:
        seals = Seals(head=record.head, rows=tuple(lines[1:-1]), seed=record.seed or b"")
        found = await simulator.once(seals, caller)
        if not found.match:
            return found
    stop = await _walked(simulator, record, lines[1:-1], caller)
    return stop if isinstance(stop, Verified) else compared(stop, record)


async def rewound(simulator: CachingSimulator, record: Record) -> JsonValue:
    """Return the state, as JSON, that a battle whose seed is known comes to."""
    lines = await _lines(record)
    try:
        return await simulator.once(Rewind.of_lines(lines))
    except OverrunError:
        stop = await _walked(simulator, record, lines[1:-1], None)
    if isinstance(stop, Verified):
        raise RuleError(f"This battle can't be gone through again: {stop.sentence}")
    return stop.state


async def _lines(record: Record) -> list[str]:
    """Return the journal's file line by line; a long one takes a while."""
    return [line async for line in cooperative(dump_lines(record.head, record.entries, record.seed, record.outcome))]


async def _walked(
    simulator: CachingSimulator, record: Record, lines: Sequence[str], caller: Caller | None
) -> Stop | Verified:
    """Go through all rows, whose `lines` in the file these are; return where that leads, or the first difference."""
    rows = max(1, len(record.entries) // _PARTS)
    stop: Stop | None = None
    while stop is None or rows_left(record, stop):
        try:
            found = await simulator.once(Stretch.of(record, lines, stop, rows), caller)
        except OverrunError:
            if rows == 1:
                raise
            rows //= 2
            continue
        if isinstance(found, Verified):
            return found
        stop = found
    return stop
