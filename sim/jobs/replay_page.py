"""A battle's file in a browser: read, checked row by row and told step by step; every answer is JSON for the page."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sim.core.battle import AnySystem
from sim.core.canonical_json import canonical
from sim.core.cards.advances import AdvanceTable, TableMeasure
from sim.core.cards.card import Card
from sim.core.cards.text import measure_with
from sim.core.errors import RuleError
from sim.core.journal import Entry, Journal, Kind, active_steps
from sim.core.journal_file import read
from sim.core.journal_link import restore, unpack
from sim.core.narration import ending_sentence, row_line, seat_name
from sim.core.numbers import quantity
from sim.core.outlook import outlook
from sim.core.replay import Mismatch, MismatchKind, VerifyReport, check_names, verifying
from sim.jobs.cards import panel_card
from sim.jobs.discovery import system

_ODD = (RuleError, ValueError, LookupError, TypeError, ArithmeticError, AttributeError, AssertionError, RecursionError)
"""What events that nobody has checked may lead to when they are told."""

View = dict[str, Any]


class ReplayPage:
    """The file that is open. Call `open_file` or `open_link`, then `advance` until it is done.

    `widths`: an `AdvanceTable` as JSON, to measure the cards' text where there are no fonts.
    """

    def __init__(self, widths: str | None = None) -> None:
        if widths is not None:
            measure_with(TableMeasure(AdvanceTable.model_validate_json(widths)))
        self._entries: tuple[Entry, ...] = ()
        self._states: dict[int, Any] = {}
        self._views: Iterator[View] = iter(())

    def open_file(self, data: Any) -> str:  # noqa: ANN401  # a buffer of the browser
        """Open a `battle.jsonl`: `error` if it is none, else what the page's head shows."""
        return self._open(lambda: (read(bytes(data)), None))

    def open_link(self, text: str) -> str:
        """Open the text of a link's fragment, as `open_file`."""

        def read_link() -> tuple[Journal, str]:
            linked = unpack(text)
            return restore(system(linked.system), linked), linked.last

        return self._open(read_link)

    def advance(self, most: int) -> str:
        """Check and tell the next rows, at most so many: `rows`, and the `verdict` when it is known.

        The page is `done` when all rows are told. Those that the check didn't reach are told as the file has them.
        """
        rows: list[View] = []
        for view in self._views:
            if "verdict" in view:
                return json.dumps({"rows": rows, "verdict": view["verdict"], "done": False})
            rows.append(view)
            if len(rows) >= most:
                return json.dumps({"rows": rows, "done": False})
        return json.dumps({"rows": rows, "done": True})

    def card(self, number: int) -> str:
        """Return the card of the battle after a row as `svg`, with its words as `alt`; null where there is none."""
        card = None
        if number in self._states:
            events = [canonical(list(step.events)) for step in active_steps(self._entries[:number])]
            card = drawn_card(self._system, self._states[number], events)
        return json.dumps({"svg": card and card.svg("card"), "alt": card and card.alt})

    def chances(self, number: int) -> str:
        """Return how often each seat wins from the state after a row, 0 for the beginning: `seats`.

        It is null where nobody can say.
        """
        found = outlook(self._system, self._states[number]) if number in self._states else None
        named = found and {seat_name(seat): chance for seat, chance in found.items()}
        return json.dumps({"seats": named})

    def _open(self, read_journal: Callable[[], tuple[Journal, str | None]]) -> str:
        self._views = iter(())
        self._states.clear()
        try:
            journal, noted = read_journal()
            self._system = system(journal.head.system)
        except RuleError as error:
            return json.dumps({"error": str(error)})
        self._entries = journal.entries
        self._views = _views(self._system, journal, noted, self._states)
        return json.dumps(_head(journal))


def drawn_card(rules: AnySystem, state: object, events_json: Sequence[str]) -> Card | None:
    """Return the card that a battle's panel shows after these events, as far as it needs no engines."""
    request = panel_card(rules.name, state, events_json)
    try:
        return None if request is None else request.model_copy(update={"engines": False}).draw()
    except RuleError:
        return None


def _head(journal: Journal) -> View:
    entries = journal.entries
    seats = Counter(seat_name(entry.seat) for entry in entries if entry.kind is Kind.STEP)
    return {
        "system": journal.head.system,
        "rows": len(entries),
        "seats": [[seat, quantity(steps, "step")] for seat, steps in seats.items()],
        "ending": "The battle is still on." if journal.seed is None else ending_sentence(journal.outcome),
        "seedHash": journal.head.seed_hash,
        "seed": None if journal.seed is None else journal.seed.hex(),
        "lastHash": entries[-1].hash if entries else journal.head.hash,
    }


def _views(rules: AnySystem, journal: Journal, noted: str | None, states: dict[int, Any]) -> Iterator[View]:
    """Yield a view of each row that follows, then the verdict, then a view of each row that was not reached."""
    told = 0
    check = verifying(rules, journal, noted)
    while True:
        try:
            entry, state = next(check)
        except StopIteration as end:
            report: VerifyReport = end.value
            break
        if not told:
            states[0] = rules.begin(rules.setups.read(journal.head.setup))
        told, states[entry.n] = entry.n, state
        yield _view(rules, entry)
    mismatch = report.mismatch or check_names(journal.entries)
    yield {"verdict": _verdict(journal, mismatch)}
    for number, entry in enumerate(journal.entries[told:], start=told + 1):
        yield {**_view(rules, entry), "n": number, "unchecked": True}


def _view(rules: AnySystem, entry: Entry) -> View:
    title = str(entry.kind)
    if entry.kind is Kind.STEP:
        lines = _told(rules, entry)
        done = entry.action.get("do") if isinstance(entry.action, dict) else None
        title = str(done or title).replace("-", " ")
    else:
        lines = [row_line(entry)]
    return {"n": entry.n, "seat": seat_name(entry.seat), "title": title, "lines": lines}


def _told(rules: AnySystem, entry: Entry) -> list[str]:
    try:
        return rules.lines(tuple(map(rules.events.read, entry.events)))
    except _ODD:
        return ["What this row tells can't be read."]


def _verdict(journal: Journal, mismatch: Mismatch | None) -> View:
    rows = len(journal.entries)
    if mismatch is None:
        every = f"All {rows:,} rows follow" if rows > 1 else "The only row follows"
        return {"kind": "match", "headline": f"{every} from the seed that was promised.", "sentence": "", "row": None}
    row, sentence, kind = mismatch.row, mismatch.sentence, "mismatch"
    headline = "This battle doesn't match." if row is None else f"Row {row:,} doesn't follow."
    if mismatch.kind is MismatchKind.RULES:
        kind, headline = "edition", "Another edition of the rules."
        sentence += " A page built with that edition can check it."
    elif journal.seed is None and row is None:
        kind, headline = "secret", f"{quantity(rows, 'row')} so far, none changed."
        sentence = (
            "The seed is revealed when the battle is over. Then its file has the seed, and the dice can be checked."
        )
    return {"kind": kind, "headline": headline, "sentence": sentence, "row": row}
