"""Replay of a battle's journal in workers, in parts side by side, in chunks that get smaller if they take too long."""

from collections.abc import Mapping, Sequence

from bot.result_cache import CachingSimulator
from bot.store.battles.battle import Battle
from sim.core.errors import RuleError
from sim.core.journal import JournalRow
from sim.core.numbers import quantity
from sim.core.replay import Mismatch, MismatchKind, VerifyReport, check_end, check_last_hash, compare_outcomes
from sim.jobs.replay import MAX_ROWS, CheckChain, Checkpoint, ReplayChunk, starts
from sim.workers import Caller, OverrunError

_PARTS = 4
"""How many smaller chunks replace one that takes too long."""


async def verify_battle(
    simulator: CachingSimulator,
    battle: Battle,
    rows: Sequence[JournalRow],
    states: Mapping[int, str],
    caller: Caller | None,
    noted: str | None = None,
) -> VerifyReport:
    """Verify a battle from its whole journal; the seed, which may be secret, goes only to the workers.

    `states`: those that were kept, by version, where the parts of a replay may start. `noted`: as `check_last_hash` has
    it.
    """
    mismatch = await _check_chain(simulator, battle, rows, caller)
    if mismatch is not None:
        return VerifyReport(mismatch)
    found = await _replay(simulator, battle, rows, starts(rows, states), caller)
    if isinstance(found, Mismatch):
        return VerifyReport(found)
    mismatch = (
        _check_count(battle, rows)
        or check_end(rows, closed=not battle.is_open)
        or check_last_hash(battle.head_row.hash, rows, noted)
    )
    return VerifyReport(mismatch) if mismatch is not None else compare_outcomes(found.outcome, battle.outcome)


def _check_count(battle: Battle, rows: Sequence[JournalRow]) -> Mismatch | None:
    if len(rows) == battle.version:
        return None
    sentence = f"The battle is at version {battle.version}, but its journal has {quantity(len(rows), 'row')}."
    return Mismatch(None, MismatchKind.ORDER, sentence)


async def state_after(
    simulator: CachingSimulator, battle: Battle, rows: Sequence[JournalRow], states: Mapping[int, str]
) -> str:
    """Return the battle's state after the first rows of its journal, as canonical JSON; `states` as in `verify_battle`.

    What comes before the last start is taken as it was kept.
    """
    found = await _replay(simulator, battle, rows, starts(rows, states)[-1:], None)
    if isinstance(found, Mismatch):
        raise RuleError(f"This battle can't be gone through again: {found.sentence}")
    return found.state


async def _check_chain(
    simulator: CachingSimulator, battle: Battle, rows: Sequence[JournalRow], caller: Caller | None
) -> Mismatch | None:
    """Return the first flaw of the head and of the rows' chain."""
    jobs = [CheckChain.following(battle.head_row, rows, battle.seed, 0)]
    while (checked := sum(len(job.rows) for job in jobs)) < len(rows):
        jobs.append(CheckChain.following(battle.head_row, rows, battle.seed, checked))
    return next((flaw for flaw in await simulator.map(jobs, caller) if flaw is not None), None)


async def _replay(
    simulator: CachingSimulator,
    battle: Battle,
    rows: Sequence[JournalRow],
    parts: Sequence[Checkpoint | None],
    caller: Caller | None,
) -> Checkpoint | Mismatch:
    """Return the checkpoint after all rows, or the first mismatch; each part goes on to where the next one starts."""
    at, mismatch, most = list(parts), None, MAX_ROWS
    ends = [*(part.version for part in parts[1:] if part is not None), len(rows)]
    while going := [part for part, end in enumerate(ends) if (start := at[part]) is None or start.version < end]:
        jobs = [
            ReplayChunk.following(battle.head_row, rows[: ends[part]], battle.seed, at[part], most) for part in going
        ]
        try:
            reports: list[Checkpoint | Mismatch] = await simulator.map(jobs, caller)
        except OverrunError:
            if most <= 1:
                raise
            most = max(1, max(len(job.rows) for job in jobs) // _PARTS)
            continue
        for part, report in zip(going, reports, strict=True):
            if isinstance(report, Mismatch):
                mismatch = report
                del ends[part:]  # only what comes before could differ earlier
                break
            at[part] = report
    last = mismatch or at[-1]
    if last is None:
        raise AssertionError("a replay of nothing has a checkpoint, too")
    return last
