"""Checks the seals of a stored battle: hashes that show whether its rows are still what was written."""

from bot.cooperative import cooperative, off_loop
from bot.store.battles.battle import Battle, fetch_rows
from bot.store.database import Database
from bot.store.errors import DamagedBattleError
from sim.core.canonical_json import text_digest
from sim.core.journal import JournalRow, Kind, seed_hash

_ROWS_AT_ONCE = 200


async def expect_sealed(db: Database, battle: Battle) -> None:
    """Raise DamagedBattleError unless seed, setup, journal and state of a battle fit its seals.

    Nothing seals the setup and the state of a battle without steps, nor seats, persons, messages and times.
    """
    try:
        flaw = await _flaw(db, battle)
    except ValueError as error:  # a text that can't be one of ours
        flaw = str(error)
    if flaw is not None:
        raise DamagedBattleError(battle.id, battle.number, flaw)


async def _flaw(db: Database, battle: Battle) -> str | None:
    if seed_hash(battle.seed) != battle.seed_hash:
        return "the seed"
    before, steps = battle.head_row.hash, 0
    last = None
    for start in range(0, battle.version, _ROWS_AT_ONCE):
        rows = await fetch_rows(db, battle.id, start, min(start + _ROWS_AT_ONCE, battle.version))
        async for row in cooperative(rows):
            number = 1 if last is None else last.n + 1
            if (row.n, row.version, row.previous) != (number, number, before) or not await _is_sealed(row):
                return f"row {number} of the journal"
            steps += row.kind is Kind.STEP
            before, last = row.hash, row
    if (battle.version, battle.steps) != (0 if last is None else last.n, steps):
        return "the number of rows"
    state_hash = text_digest(battle.state_json)  # ValueError also where no row seals it
    if last is not None and last.state_hash != state_hash:
        return "the state"
    return None


async def _is_sealed(row: JournalRow) -> bool:
    if row.hash == row.seal():
        return True
    # The first version sealed the canonical texts and stored others.
    entry = await off_loop(len(row.action_json) + len(row.events_json), row.parse)
    return entry.hash == entry.seal()
