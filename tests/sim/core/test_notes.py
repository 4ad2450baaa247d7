"""Notes in a journal: rows about the clock and the seats, which roll no dice and which no undo takes back."""

from typing import Any

import pytest
from pydantic import JsonValue, ValidationError

from sim.core.journal import Entry, Journal, Kind, active_steps, seal, version_before
from sim.core.journal_file import dump, load
from sim.core.replay import MismatchKind, verify
from sim.core.session import Session
from tests.sim.core.coins import Coins, Table, Toss

SEED = b"32 bytes that decide every throw"
PAUSE: JsonValue = {"at": 1, "do": "pause"}
SWAP: JsonValue = {"at": 2, "do": "replace", "seat": "player"}


def played(*, notes: bool = True) -> Session:
    play = Session(Coins(), Table(coins=2), SEED)

    def note(kind: Kind, action: JsonValue) -> None:
        if notes:
            play.note(kind, action, "referee", "ann")

    note(Kind.CLOCK, PAUSE)
    play.act(Toss(), "player")
    note(Kind.SEATS, SWAP)
    play.act(Toss(), "player")
    play.undo(2 if notes else 1, "player")
    note(Kind.CLOCK, PAUSE)
    while play.outcome is None:
        play.act(Toss(), "player")
        note(Kind.CLOCK, PAUSE)
    play.end("player")
    return play


def test_a_journal_with_notes_matches_also_from_its_file() -> None:
    journal = played().journal()
    assert {entry.kind for entry in journal.entries} == set(Kind)
    assert verify(Coins(), load(dump(journal))).match
    assert load(dump(journal)) == journal


def test_notes_change_neither_dice_nor_results() -> None:
    with_notes, without = played(), played(notes=False)
    assert with_notes.state == without.state
    steps = [[entry.events for entry in play.entries if entry.kind is Kind.STEP] for play in (with_notes, without)]
    assert steps[0] == steps[1]
    states = [[entry.state_hash for entry in active_steps(play.entries)] for play in (with_notes, without)]
    assert states[0] == states[1]


def test_an_undo_leaves_notes_as_they_are() -> None:
    play = Session(Coins(), Table(coins=10), SEED)
    play.note(Kind.CLOCK, PAUSE, "referee")
    play.act(Toss(), "player")
    play.note(Kind.SEATS, SWAP, "referee")
    assert version_before(play.entries) == 0, "the step is taken back, not the note after it"
    play.undo(0, "referee")
    assert [entry.kind for entry in play.entries] == [Kind.CLOCK, Kind.STEP, Kind.SEATS, Kind.UNDO]
    assert active_steps(play.entries) == ()


@pytest.mark.parametrize("change", [{"action": {"at": 9, "do": "pause"}}, {"kind": "seats"}, {"seat": "player"}])
def test_a_note_that_was_changed_is_noticed(change: dict[str, Any]) -> None:
    journal = played().journal()
    first = Entry.model_validate(journal.entries[0].model_dump() | change)
    mismatch = verify(Coins(), Journal(journal.head, (first, *journal.entries[1:]), SEED, journal.outcome)).mismatch
    assert mismatch is not None
    assert (mismatch.row, mismatch.kind) == (1, MismatchKind.HASH)


def test_a_note_that_changes_the_state_is_against_the_rules() -> None:
    play = Session(Coins(), Table(coins=2), SEED)
    row = seal(play.head, None, kind=Kind.CLOCK, seat="referee", action=PAUSE, state={"heads": 2})
    end = seal(play.head, row, kind=Kind.END, seat="referee", state={"heads": 2})
    mismatch = verify(Coins(), Journal(play.head, (row, end), SEED, None)).mismatch
    assert mismatch is not None
    assert (mismatch.row, mismatch.kind) == (1, MismatchKind.STATE)


def test_a_note_has_no_events() -> None:
    row = seal(Session(Coins(), Table(), SEED).head, None, kind=Kind.CLOCK, seat="referee", action=PAUSE, state={})
    with pytest.raises(ValidationError, match="only a step has events"):
        Entry.model_validate(row.model_dump() | {"events": [1]})
