"""The log of a battle as lines and as files."""

from collections.abc import Sequence
from typing import Any

from bot.battles.notes import note_line, read_note
from bot.battles.presenter import AnyPresenter, BattlePresenter
from bot.cooperative import cooperative
from bot.store.battles.battle import Battle
from sim.core.battle import StateT
from sim.core.journal import Entry, Journal, Kind
from sim.core.journal_file import dump_lines
from sim.core.narration import row_line
from sim.workers import Caller

HIDDEN = "What this battle hides is revealed when it is over."


async def log_lines(
    presenter: BattlePresenter[StateT, Any],
    battle: Battle,
    state: StateT,
    entries: Sequence[Entry],
    caller: Caller | None = None,
) -> list[str]:
    """Return the log, a line for each event; undone steps stay in it."""
    steps = [entry for entry in entries if entry.kind is Kind.STEP]
    narrated = iter(await presenter.narrate(battle, state, steps, caller))
    lines: list[str] = []
    async for entry in cooperative(entries):
        match entry.kind:
            case Kind.STEP:
                lines += next(narrated)
            case Kind.CLOCK | Kind.SEATS:
                lines.append(note_line(read_note(entry).what))
            case _:
                lines.append(row_line(entry))
    return lines


def visible_entries(
    presenter: BattlePresenter[StateT, Any], battle: Battle, state: StateT, entries: Sequence[Entry]
) -> tuple[Sequence[Entry], bool]:
    """Return the rows that everybody may see, and whether those are all."""
    if not battle.is_open:
        return entries, True
    hidden = presenter.hidden_rows(battle, state, entries)
    if hidden is None:
        return (), False
    return entries[: len(entries) - hidden], not hidden


async def battle_files(
    presenter: AnyPresenter, battle: Battle, entries: Sequence[Entry], caller: Caller | None = None
) -> dict[str, bytes]:
    """Return the log as text, the system's own files, and the journal up to the first hidden row.

    They contain the seed only once the battle is closed.
    """
    head = [f"#{battle.number} {presenter.title}", f"Seed's SHA-256: {battle.seed_hash}"]
    if battle.revealed is not None:
        head += [f"Seed: {battle.revealed.hex()}", f"Last row's hash: {battle.last_hash}"]
    name = f"battle-{battle.number}"
    state = await presenter.read_state(battle)
    lines = await log_lines(presenter, battle, state, entries, caller)
    files = {f"{name}.txt": "\n".join([*head, "", *lines, ""]).encode()}
    files |= await presenter.files(battle, state, entries, caller)
    if battle.is_open and presenter.hidden_rows(battle, state, entries) is None:
        return files
    visible, _ = visible_entries(presenter, battle, state, entries)
    # A file can't be recalled when a person's data is deleted, so it names nobody; verifying needs no actors.
    rows = tuple([entry.model_copy(update={"actor": None}) async for entry in cooperative(visible)])
    journal = Journal(battle.head, rows, battle.revealed, battle.outcome)
    lines = [line async for line in cooperative(dump_lines(journal))]
    files[f"{name}.jsonl"] = "".join(lines).encode()
    return files
