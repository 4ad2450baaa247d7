"""The log of a battle as lines, as pages and as files: `/battle log`."""

from collections.abc import Sequence
from typing import Any

from bot.answers.document import Document, Page, lazy_pages, room
from bot.answers.handler import Query, QueryHandler
from bot.battles.clock.state import note_line, read_note
from bot.battles.fairness import ReplaySite, foot_line
from bot.battles.presenter import GREY, AnyPresenter, BattlePresenter, HasFiles, HidesInformation, Presenters, mixin_of
from bot.battles.service import BattleService
from bot.cooperative import cooperative
from bot.store import OWN_WORK
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.ui.progress import Progress
from bot.ui.text import plain
from sim.core.battle import StateT
from sim.core.journal import Entry, Journal, Kind
from sim.core.journal_file import dump_lines
from sim.core.narration import row_line
from sim.workers import Caller

MAX_LINE = 600
"""UTF-16 units of a log line on a page; the file has the whole line."""

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
    hidden = mixin_of(presenter, HidesInformation).hidden_rows(battle, state, entries)
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
    files |= await mixin_of(presenter, HasFiles).files(battle, state, entries, caller)
    if battle.is_open and mixin_of(presenter, HidesInformation).hidden_rows(battle, state, entries) is None:
        return files
    visible, _ = visible_entries(presenter, battle, state, entries)
    # A file can't be recalled when a person's data is deleted, so it names nobody; verifying needs no actors.
    rows = tuple([entry.model_copy(update={"actor": None}) async for entry in cooperative(visible)])
    journal = Journal(battle.head, rows, battle.revealed, battle.outcome)
    lines = [line async for line in cooperative(dump_lines(journal))]
    files[f"{name}.jsonl"] = "".join(lines).encode()
    return files


def log_document(battle: Battle, name: str, lines: Sequence[str], note: str | None, watch: str = "") -> Document:
    """Return the log as pages; `note` says what an open battle hides, `watch` links to the replay."""
    more = [watch, foot_line(battle), f"-# {note}" if note else ""]
    head = [f"### #{battle.number} {name}: the log", *filter(None, more)]
    ranges = lazy_pages(lines or ["Nothing has happened yet."], _log_line, MAX_LINE, room("\n".join(head)))
    pages = [Page(f"Lines {start + 1} to {end}", page) for start, end, page in ranges]
    return Document("\n".join(head), GREY, pages)


def _log_line(line: str) -> str:
    return plain(line, MAX_LINE)  # players' names are in it


class LogQuery(Query):
    """A request for a battle's log."""

    battle_id: int


class LogHandler(QueryHandler[LogQuery]):
    """Answers `/battle log`."""

    kind = "battle-log"
    query = LogQuery
    has_form = False

    async def build_document(self, query: LogQuery, caller: Caller, _progress: Progress) -> Document:
        """Return the log as pages."""
        battle = await self._bot.services[BattleService].find(query.battle_id, OWN_WORK)
        presenter = self._bot.services[Presenters].of(battle.system)

        async def build() -> Document:
            entries = await self._bot.services[BattleRepository].journal(battle.id)
            state = await presenter.read_state(battle)
            _, whole = visible_entries(presenter, battle, state, entries)
            lines = await log_lines(presenter, battle, state, entries, caller)
            watch = await self._bot.services[ReplaySite].line(battle, self._bot.services[BattleRepository])
            return log_document(battle, presenter.title, lines, None if whole else HIDDEN, watch)

        # Every page turn needs the whole log again.
        return await self._bot.simulator.through(("battle-log", battle.id, battle.version), build)

    async def build_files(self, query: LogQuery, caller: Caller) -> dict[str, bytes]:
        """Return the log as text, and the journal."""
        battle = await self._bot.services[BattleService].find(query.battle_id, OWN_WORK)
        entries = await self._bot.services[BattleRepository].journal(battle.id)
        return await battle_files(self._bot.services[Presenters].of(battle.system), battle, entries, caller)
