"""Replay of a battle's journal in workers, in chunks that get smaller if they take too long."""

from collections.abc import Sequence

from bot.result_cache import CachingSimulator
from bot.store.battles.battle import Battle
from sim.core.errors import RuleError
from sim.core.journal import JournalRow
from sim.core.numbers import quantity
from sim.core.replay import Mismatch, MismatchKind, VerifyReport, check_end, check_last_hash, compare_outcomes
from sim.jobs.replay import MAX_ROWS, CheckChain, Checkpoint, ReplayChunk
from sim.workers import Caller, OverrunError

_PARTS = 4
"""How many smaller chunks replace one that takes too long."""


async def verify_battle(
    simulator: CachingSimulator,
    battle: Battle,
    rows: Sequence[JournalRow],
    caller: Caller | None,
    noted: str | None = None,
) -> VerifyReport:
    """Verify a battle from its whole journal; the seed, which may be secret, goes only to the workers.

    `noted`: as `check_last_hash` has it.
    """
    head, checked = battle.head_row, 0
    while checked == 0 or checked < len(rows):
        job = CheckChain.following(head, rows, battle.seed, checked)
        mismatch = await simulator.once(job, caller)
        if mismatch is not None:
            return VerifyReport(mismatch)
        checked += max(1, len(job.rows))
    found = await replay_battle(simulator, battle, rows, caller)
    if isinstance(found, Mismatch):
        return VerifyReport(found)
    mismatch = (
        _check_count(battle, rows)
        or check_end(rows, closed=not battle.is_open)
        or check_last_hash(head.hash, rows, noted)
    )
    return VerifyReport(mismatch) if mismatch is not None else compare_outcomes(found.outcome, battle.outcome)


def _check_count(battle: Battle, rows: Sequence[JournalRow]) -> Mismatch | None:
    if len(rows) == battle.version:
        return None
    sentence = f"The battle is at version {battle.version}, but its journal has {quantity(len(rows), 'row')}."
    return Mismatch(None, MismatchKind.ORDER, sentence)


async def state_after(simulator: CachingSimulator, battle: Battle, rows: Sequence[JournalRow]) -> str:
    """Return the battle's state after the first rows of its journal, as canonical JSON."""
    found = await replay_battle(simulator, battle, rows, None)
    if isinstance(found, Mismatch):
        raise RuleError(f"This battle can't be gone through again: {found.sentence}")
    return found.state


async def replay_battle(
    simulator: CachingSimulator,
    battle: Battle,
    rows: Sequence[JournalRow],
    caller: Caller | None,
    *,
    dice: bool = False,
) -> Checkpoint | Mismatch:
    """Return the checkpoint after all rows, or the first mismatch; `dice`: with what was thrown."""
    head, most = battle.head_row, MAX_ROWS
    at: Checkpoint | None = None
    while at is None or at.version < len(rows):
        job = ReplayChunk.following(head, rows, battle.seed, at, most, dice=dice)
        try:
            found = await simulator.once(job, caller)
        except OverrunError:
            if len(job.rows) <= 1:
                raise
            most = max(1, len(job.rows) // _PARTS)
            continue
        if isinstance(found, Mismatch):
            return found
        at = found
    return at
