"""A battle's file in a browser: read, checked row by row and told step by step; every answer is JSON for the page."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

from pydantic import JsonValue

from sim.core import FaultsError, RuleError
from sim.core import journal as j
from sim.core.battle import AnySystem, Step, outlook
from sim.core.beacon import BEACONS
from sim.core.cards.draw import CardRequest
from sim.core.cards.text import TableMeasure, measure_with
from sim.core.cards.values import AdvanceTable
from sim.core.dice import SeededDice
from sim.core.journal_file import read, restore, unpack
from sim.core.numbers import quantity
from sim.core.replay import VerifyReport, begin, check_names, verifying
from sim.core.seal import PostedSeal, check_seal, read_seal, seal_lines, seal_of
from sim.core.values import canonical
from sim.jobs import games, load_callable, load_module, system, systems

_ODD = (RuleError, ValueError, LookupError, TypeError, ArithmeticError, AttributeError, AssertionError, RecursionError)
"""What events that nobody has checked may lead to when they are told."""

_MAX_ROUNDS = 100
"""Rounds of one row that are told one by one; a row of more is told at once."""

View = dict[str, Any]


class ReplayPage:
    """The file that is open. Call `open_file` or `open_link`, then `advance` until it is done.

    `widths`: an `AdvanceTable` as JSON, to measure the cards' text where there are no fonts.
    """

    def __init__(self, widths: str | None = None) -> None:
        if widths is not None:
            measure_with(TableMeasure(AdvanceTable.model_validate_json(widths)))
        self._journal: j.Journal | None = None
        self._verdict: str | None = None
        self._again: tuple[int, Step[Any, Any]] | None = None
        self._states: dict[int, Any] = {}
        self._views: Iterator[View] = iter(())

    def open_file(self, data: Any) -> str:  # noqa: ANN401  # a buffer of the browser
        """Open a `battle.jsonl`: `error` if it is none, else what the page's head shows."""
        return self._open(lambda: (read(bytes(data)), None))

    def open_link(self, text: str) -> str:
        """Open the text of a link's fragment, as `open_file`."""

        def read_link() -> tuple[j.Journal, str]:
            linked = unpack(text)
            return restore(system(linked.system), linked), linked.last

        return self._open(read_link)

    def ask(self, text: str) -> str:
        """Answer a question that a link holds: `lines`, or the `error` with what to do instead."""
        answer = next(load_callable(game, game.rules.asks) for game in games() if game.rules.asks is not None)
        try:
            return json.dumps({"lines": answer(text)})
        except RuleError as error:
            sentence = error.sentences[0] if isinstance(error, FaultsError) else str(error)
            return json.dumps({"error": sentence})

    def advance(self, most: int) -> str:
        """Check and tell the next rows, at most `most`: `rows`, and the `verdict` when it is known.

        The page is `done` when all rows are told. Those that the check didn't reach are told as the file has them.
        """
        rows: list[View] = []
        for view in self._views:
            if "verdict" in view:
                self._verdict = view["verdict"]["kind"]
                return json.dumps({"rows": rows, "verdict": view["verdict"], "done": False})
            rows.append(view)
            if len(rows) >= most:
                return json.dumps({"rows": rows, "done": False})
        return json.dumps({"rows": rows, "done": True})

    def seal(self, posted: str) -> str:
        """Check the seal of a battle of form 2 as somebody saw it: `DIGITS@MESSAGE`, the digits alone, or nothing.

        Returns what it shows as `lines`, as `kind` "yes", "no" or "". Before the verdict there are none.
        """
        kind, lines = "", list[str]()
        if self._journal is not None and self._verdict is not None:
            try:
                kind, lines = _sealed(self._journal, posted.strip(), matches=self._verdict == "match")
            except RuleError as error:
                kind, lines = "no", [str(error)]
        return json.dumps({"kind": kind, "lines": lines})

    def card(self, number: int, part: int) -> str:
        """Return the card of the battle after a part of a row, from 1, as `svg`, with its words as `alt`.

        Both are null where there is none.
        """
        card, state = None, self._state(number, part)
        if self._journal is not None and state is not None:
            entries = self._journal.entries[:number]
            events = [step.events_json for step in j.active_steps(entries)]
            if entries and entries[-1].kind is j.Kind.STEP:
                events[-1] = canonical(entries[-1].events[: _ends(entries[-1])[part - 1]])
            request = panel_card(self._system.name, state, events)
            with suppress(RuleError):
                card = None if request is None else request.model_copy(update={"engines": False}).draw()
        return json.dumps({"svg": card and card.svg("card"), "alt": card and card.alt})

    def chances(self, number: int, part: int) -> str:
        """Return how often each seat wins from the state after a part of a row, as `seats`; row 0 is the beginning.

        It is null where nobody can say.
        """
        state = self._state(number, part)
        found = None if state is None else outlook(self._system, state)
        named = None if found is None else {j.seat_name(seat): chance for seat, chance in found.items()}
        return json.dumps({"seats": named})

    def _state(self, number: int, part: int) -> Any:  # noqa: ANN401  # of any game
        """Return the state after a part of a row; None where it isn't known."""
        journal = self._journal
        if journal is None or journal.seed is None or number not in self._states:
            return None
        entries = journal.entries[:number]
        to_come = len(_ends(entries[-1])) - part if entries else 0
        if not to_come:
            return self._states[number]
        if self._again is None or self._again[0] != number:
            dice = SeededDice(journal.key or journal.seed, sum(entry.kind is j.Kind.STEP for entry in entries))
            action = self._system.actions.read(entries[-1].action)
            self._again = number, self._system.apply(self._states[number - 1], action, entries[-1].seat, dice)
        rounds = self._again[1].rounds
        return rounds[-1 - to_come] if to_come < len(rounds) else None

    def _open(self, read_journal: Callable[[], tuple[j.Journal, str | None]]) -> str:
        self._views = iter(())
        self._states.clear()
        self._again = self._verdict = None
        try:
            journal, noted = read_journal()
            self._system = system(journal.head.system)
        except RuleError as error:
            return json.dumps({"error": str(error)})
        self._journal = journal
        self._views = _views(self._system, journal, noted, self._states)
        return json.dumps(_head(journal))


def _head(journal: j.Journal) -> View:
    entries, branch = journal.entries, journal.head.branch
    seats = Counter(j.seat_name(entry.seat) for entry in entries if entry.kind is j.Kind.STEP)
    return {
        "system": journal.head.system,
        "rows": len(entries),
        "seats": [[seat, quantity(steps, "step")] for seat, steps in seats.items()],
        "ending": "The battle is still on." if journal.seed is None else j.ending_sentence(journal.outcome),
        "branch": branch and branch.sentence,
        "seedHash": journal.head.seed_hash,
        "seed": None if journal.seed is None else journal.seed.hex(),
        "lastHash": entries[-1].hash if entries else journal.head.hash,
        "beacon": _beacon(journal),
    }


def _beacon(journal: j.Journal) -> View | None:
    """Return what a person compares with the beacon's own; None where no round is named."""
    chain = journal.head.chain
    seal = None if chain is None or chain not in BEACONS else seal_of(chain, journal.entries)
    if seal is None:
        return None
    address = f"https://api.drand.sh/{chain}/public/{seal.round}"
    return {"round": seal.round, "signature": seal.signature, "address": address}


def _sealed(journal: j.Journal, text: str, *, matches: bool) -> tuple[str, list[str]]:
    """Return whether a seal is that of a journal, and sentences; RuleError for a text that is no seal."""
    digits = re.fullmatch("[0-9a-f]{64}", text) is not None
    # Where no id is known it is 0: older than any, so that the message is never late.
    posted = PostedSeal(text, 0) if digits else read_seal(text) if text else None
    mismatch = check_seal(journal.head, journal.entries, posted)
    if posted is not None and mismatch is not None:
        return "no", [mismatch.sentence]
    if not matches:
        return "", ["The digits are this battle's, but its dice weren't checked: see the verdict."] if posted else []
    lines = seal_lines(journal.head, journal.entries, None if digits else posted)
    if digits:
        lines[-1] = "The digits are this battle's. Without the message's id, the time isn't checked."
    return "yes" if posted and not digits else "", lines


def _views(rules: AnySystem, journal: j.Journal, noted: str | None, states: dict[int, Any]) -> Iterator[View]:
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
            begin(rules, journal.head, states)
        told, states[entry.n] = entry.n, state
        yield {**_view(rules, entry), "over": rules.outcome(state) is not None}
    mismatch = report.mismatch or check_names(journal.entries)
    yield {"verdict": _verdict(rules.rules, journal, mismatch)}
    for number, entry in enumerate(journal.entries[told:], start=told + 1):
        yield {**_view(rules, entry), "n": number, "unchecked": True}


def _view(rules: AnySystem, entry: j.JournalRow) -> View:
    title, parts = str(entry.kind), [[j.row_line(entry)]]
    if entry.kind is j.Kind.STEP:
        parts = _parts(rules, entry)
        done = action.get("do") if isinstance(action := entry.action, dict) else None
        title = str(done or title).replace("-", " ")
        if done in {"run", "run-out", "run-for"}:  # what fights more than a round
            title = "fights to the end" if any(_tag(event) == "ended" for event in entry.events) else "fights on"
    return {"n": entry.n, "seat": j.seat_name(entry.seat), "title": title, "parts": parts}


def _parts(rules: AnySystem, entry: j.JournalRow) -> list[list[str]]:
    """Return the lines of a step, for each of its rounds."""
    try:
        events = rules.events.read_all(entry.events)
        told = [rules.lines(events[:end]) for end in _ends(entry)]
    except _ODD:
        return [["This row can't be read."] for _ in _ends(entry)]
    return [told[0], *(lines[len(before) :] for before, lines in pairwise(told))]


def _ends(entry: j.JournalRow) -> list[int]:
    """Return the number of a row's events at the end of each of its rounds; of other rows that of all."""
    events = entry.events
    begun = [at for at, event in enumerate(events) if _tag(event) == "round"]
    return [*(begun[1:] if len(begun) <= _MAX_ROUNDS else ()), len(events)]


def _tag(event: JsonValue) -> JsonValue:
    return event.get("event") if isinstance(event, dict) else None


_FOLLOWS = (
    (
        "Verified: every roll matches the seed.",
        "No player can choose such dice. Only a public beacon could show that the host didn't choose the seed.",
    ),
    (
        "Verified: every roll matches the seed and the signature in this file.",
        "The seal and the beacon show whether the dice were chosen: see below.",
    ),
)
"""What a match shows, and what it doesn't, by the journal's form."""


def _verdict(edition: int, journal: j.Journal, mismatch: j.Mismatch | None) -> View:
    rows = len(journal.entries)
    if mismatch is None:
        headline, shown = (
            _FOLLOWS[journal.head.chain is not None] if journal.key is not None else ("No dice were rolled.", "")
        )
        sentence = f"{quantity(rows, 'row')} checked. {shown}".strip()
        return {"kind": "match", "headline": headline, "sentence": sentence, "row": None}
    row, sentence, kind = mismatch.row, mismatch.sentence, "mismatch"
    headline = "This file was changed" + ("." if row is None else f": row {row:,} doesn't follow.")
    if journal.seed is None and row is None:
        kind, headline = "secret", "The battle is still on: its dice can't be checked yet."
        sentence = f"{quantity(rows, 'row')} so far, which fit together. Once it is over, its file reveals the seed."
    elif journal.head.rules != edition and row is None:
        kind, headline = "edition", "This page can't check the dice: it has another edition of the rules."
        sentence += " A page built with that edition can check it."
    return {"kind": kind, "headline": headline, "sentence": sentence, "row": row}


def panel_card(name: str, state: object, events_json: Sequence[str]) -> CardRequest | None:
    """Return the request of the card of a battle of the system `name`; None where it has none.

    `events_json`: of all steps so far that were not undone, each as a JSON list. RuleError if there is no such system.

    A game's own `panel_card` makes it, None where there is nothing to draw: from a state, the same as JSON, and these
    events. Nothing of them may be hidden.
    """
    rules = system(name)
    game, _ = systems()[name]
    if game.rules.cards is None:
        return None
    draw = load_module(game, game.rules.cards).panel_card
    card: CardRequest | None = draw(state, rules.states.write_json(state), events_json)
    return card
