"""Files of battles, tampered with in every field."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue

from sim.core import RuleError
from sim.core import journal as j
from sim.core.journal import MAX_ROWS, SEALING, Journal, JournalRow, Kind, active_steps, row_line, seal, version_before
from sim.core.journal_file import MAX_LINE, JournalFileError, dump, fragment, load, restore, unpack
from sim.core.replay import Session, read_hash, verify
from tests.sim.core.coins import Coins, Table, Toss
from tests.sim.core.test_journal import text_in

SEED = b"32 bytes that decide every throw"
ZEROS = "0" * 64


def played() -> Session:
    """Play a battle with an undo in it, to its end."""
    play = Session(Coins(), Table(coins=2), SEED)
    play.act(Toss(), "player", "ann")
    play.undo(0, "player", "ann")
    while play.outcome is None:
        play.act(Toss(), "player", "ben")
    play.end("player")
    return play


def written(play: Session) -> str:
    return dump(play.journal())


def text() -> str:
    return written(played())


def check_flaw(journal: Journal, row: int | None, said: str, noted: str | None = None) -> None:
    """Check the first thing that is wrong: its row, and what is said of it."""
    mismatch = verify(Coins(), journal, noted).mismatch
    assert mismatch is not None
    assert mismatch.row == row
    assert said in mismatch.sentence
    assert row is None or mismatch.sentence.startswith(f"Row {row} ")


UNSEALED, UNCHAINED, UNCLOSED = "its hash doesn't fit", "the chain is broken there", "no row closes the battle"
UNRULY, UNTHROWN, UNLED = (
    "is against the rules",
    "other events than the dice lead to",
    "another state than the journal's",
)
WRONG_SEED = "The seed is not the one whose hash was shown"


def test_what_is_dumped_loads_as_it_was_and_matches() -> None:
    journal = battle_with_notes().journal()
    assert {entry.kind for entry in journal.entries} == set(Kind) - SEALING
    assert load(dump(journal)) == load(dump(journal).removesuffix("\n")) == journal
    assert nameless(restore(Coins(), unpack(text_in(fragment(journal))))) == nameless(journal)
    report = verify(Coins(), journal)
    assert report.match
    assert report.outcome == journal.outcome
    assert report.outcome is not None


def changed(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return another value of the same kind, a valid one wherever there is another valid one."""
    if value is None:
        return "someone"
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return ZEROS if len(value) == len(ZEROS) else value + "x"
    return [*value, 1] if isinstance(value, list) else {**value, "x": 1}


FLAWS = {
    "head": UNCHAINED,
    "previous": UNCHAINED,
    "n": "bears the number",
    "version": "leads to version",
    "seed": WRONG_SEED,
    "outcome": "The journal's outcome isn't the one",
}
"""What is first seen of a changed field; of every other one that its row's hash doesn't fit."""

REFUSED = {
    "head": {"format"},
    "closing": {"rows", "outcome"},
    "step": {"kind", "back_to"},
    "undo": {"kind", "action", "events"},
    "end": {"kind", "action", "events", "back_to"},
}
"""Fields that can't be like that, by the part of the file or the kind of the row."""


def test_every_changed_field_is_refused_by_its_line_or_is_the_first_difference() -> None:
    lines = text().splitlines()
    for number, line in enumerate(lines, start=1):
        ((part, fields),) = json.loads(line).items()
        inner = [(field, name) for field in ("setup", "action", "outcome") for name in fields.get(field) or ()]
        for way in [(), *((field,) for field in fields), *inner]:
            record = json.loads(line)
            place, last = record, part
            for step in way:
                place, last = place[last], step
            place[last] = changed(place[last])
            wrong = "\n".join([*lines[: number - 1], json.dumps(record), *lines[number:]])
            if way in {(), *((field,) for field in REFUSED[fields.get("kind", part)])}:
                with pytest.raises(JournalFileError) as caught:
                    load(wrong)
                assert caught.value.line == number
            elif way == ("actor",):
                assert verify(Coins(), load(wrong)).match, "no hash seals who acted"
            else:
                row = None if part == "closing" else max(1, number - 1)
                check_flaw(load(wrong), row, FLAWS.get(part) or FLAWS.get(way[0], UNSEALED))


def resealed(
    journal: Journal,
    change: Callable[[JournalRow], dict[str, Any]] = lambda _: {},
    entries: Sequence[JournalRow] | None = None,
    **head: JsonValue,
) -> Journal:
    """Change rows or the head, or have other rows; seal them all again, as somebody would who knows how."""
    other = j.HEADS.validate_python(json.loads(journal.head.text) | head)
    rows: list[JournalRow] = []
    for number, entry in enumerate(journal.entries if entries is None else entries, start=1):
        chained = {"n": number, "version": number, "previous": rows[-1].hash if rows else other.hash}
        row = j.ROWS.validate_python(entry.values | chained | change(entry))
        rows.append(dataclasses.replace(row, hash=row.seal()))
    return dataclasses.replace(journal, head=other, entries=tuple(rows))


@pytest.mark.parametrize(
    ("row", "update", "said"),
    [
        (1, {"events": ({"event": "tossed", "faces": [1, 1]}, 1)}, UNTHROWN),
        (3, {"events": ()}, UNTHROWN),
        (1, {"state_hash": ZEROS}, UNLED),
        (2, {"back_to": 1}, UNLED),
        (2, {"back_to": 2}, "goes back to version 2, which didn't exist yet"),
        (2, {"state_hash": ZEROS}, UNLED),
        (3, {"action": {"do": "win"}}, UNRULY),
        (3, {"seat": "watcher"}, UNRULY),
        (1, {"previous": ZEROS}, UNCHAINED),
        (2, {"n": 5}, "bears the number 5"),
        (1, {"kind": Kind.END, "action": None, "events": ()}, "comes after the end of the battle"),
    ],
)
def test_rows_sealed_again_still_have_to_follow_the_rules_and_the_dice(
    row: int, update: dict[str, Any], said: str
) -> None:
    journal = resealed(load(text()), lambda entry: update if entry.n == row else {})
    check_flaw(journal, 2 if update.get("kind") is Kind.END else row, said)


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"system": "cards"}, "The battle is one of cards, not of coins"),
        ({"rules": 2}, "The battle was fought by edition 2 of the rules; this is edition 1"),
        ({"seed_hash": ZEROS}, WRONG_SEED),
        ({"setup": {"coins": 11}}, "The battle can't have begun like this: coins: "),
        ({"setup": {"coins": 1}}, UNTHROWN),
    ],
)
def test_another_head_sealed_again_is_noticed(update: dict[str, Any], said: str) -> None:
    check_flaw(resealed(load(text()), **update), 1 if said is UNTHROWN else None, said)


def test_a_revealed_seed_needs_the_row_that_closes_the_battle() -> None:
    """Cut at any row, and told to have no outcome, it would be a battle that still goes on."""
    journal = load(text())
    for rows in range(len(journal.entries)):
        for outcome in (journal.outcome, None):
            cut = dataclasses.replace(journal, entries=journal.entries[:rows], outcome=outcome)
            check_flaw(load(dump(cut)), None, UNCLOSED)


def test_only_the_last_hash_tells_a_battle_that_ended_earlier_from_the_true_one() -> None:
    play = Session(Coins(), Table(coins=2), SEED)
    play.act(Toss(), "player")
    play.end("player")
    forged, last = load(written(play)), played().entries[-1].hash
    assert verify(Coins(), forged).match
    for noted in (last, last[:12]):
        assert verify(Coins(), played().journal(), noted).match
        check_flaw(forged, None, f"The final fingerprint is {play.entries[-1].hash}, not the one", noted)


@pytest.mark.parametrize("noted", ["", "abc", "a" * 11, "a" * 65, "g" * 64, "a b" * 10])
def test_what_is_no_hash_is_refused(noted: str) -> None:
    with pytest.raises(RuleError, match="64 digits"):
        read_hash(noted)


def test_a_hash_is_read_as_it_is_copied() -> None:
    assert read_hash(" `ABCDEF012345` ") == "abcdef012345"


def test_rows_behind_the_outcome_are_against_the_rules() -> None:
    play = played()
    rows = play.entries[:-1]
    rows.append(seal(play.head, rows, seat="player", action={"do": "toss"}, state=Coins().states.write(play.state)))
    check_flaw(Journal(play.head, tuple(rows), SEED, play.outcome), len(rows), UNRULY)


def test_without_its_seed_only_the_chain_of_a_battle_can_be_checked() -> None:
    play = Session(Coins(), Table(), SEED)
    play.act(Toss(), "player")
    journal = load(written(play))
    check_flaw(journal, None, "the seed is not revealed yet")
    check_flaw(resealed(journal, lambda _: {"previous": ZEROS}), 1, UNCHAINED)


def lines_with(number: int, line: str) -> str:
    lines = text().splitlines()
    lines[number - 1] = line
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("wrong", "line", "message"),
    [
        ("", 1, "at least two lines"),
        ("{}", 1, "at least two lines"),
        (lines_with(1, "{}"), 1, "the head of a journal was expected"),
        (lines_with(2, "[]"), 2, "the row of a journal was expected"),
        (lines_with(2, "x"), 2, "isn't JSON"),
        (lines_with(2, '{"row":{"n":1,"n":1}}'), 2, "a name stands twice"),
        (lines_with(2, '{"row":NaN}'), 2, "NaN is no number"),
        (lines_with(2, '{"row":1e999}'), 2, "isn't JSON"),
        (lines_with(2, '{"row":' + "9" * 5_000 + "}"), 2, "isn't JSON"),
        (lines_with(2, "[" * 100_000), 2, "isn't JSON"),
        (lines_with(2, '{"row":' + "[" * 500 + "]" * 500 + "}"), 2, "row: "),
        (lines_with(2, '{"row":"' + "x" * MAX_LINE + '"}'), 2, "more than 4,194,304 characters"),
        ("\n" * (MAX_ROWS + 3), MAX_ROWS + 3, "at most 10,000 rows"),
        (text() + text(), len(text().splitlines()), "the row of a journal was expected"),
        (text() + "\n", len(text().splitlines()), "the row of a journal was expected"),
        ("\n".join(text().splitlines()[:-1]), len(text().splitlines()) - 1, "the closing of a journal was expected"),
        (
            lines_with(len(text().splitlines()), '{"closing":{"rows":1,"seed":null,"outcome":null}}'),
            None,
            "1 rows, but",
        ),
    ],
)
def test_a_file_that_is_no_journal_is_refused_by_its_line(wrong: str, line: int | None, message: str) -> None:
    with pytest.raises(JournalFileError, match=message) as caught:
        load(wrong)
    assert caught.value.line == (line or len(text().splitlines()))
    assert str(caught.value).startswith(f"Line {caught.value.line}: ")


def test_a_file_that_is_too_long_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.core.journal_file.MAX_TEXT", len(text()) - 1)
    with pytest.raises(JournalFileError, match="the file has more than"):
        load(text())


@given(st.text() | st.integers(0, 1200).map(lambda at: text()[:at] + text()[at + 1 :]))
@example(text().replace("player", "\\ud800"))
@example(text()[:-1])
@example(text().replace("ann", "an"))
def test_any_text_is_refused_or_differs_or_says_the_same(wrong: str) -> None:
    try:
        journal = load(wrong)
    except RuleError:
        return
    assert verify(Coins(), journal).mismatch is not None or nameless(journal) == nameless(load(text()))


def nameless(journal: Journal) -> str:
    rows = tuple(dataclasses.replace(row, actor=None) for row in journal.entries)
    return dump(dataclasses.replace(journal, entries=rows))


PAUSE: JsonValue = {"at": 1, "do": "pause"}
SWAP: JsonValue = {"at": 2, "do": "replace", "seat": "player"}


def battle_with_notes(*, notes: bool = True) -> Session:
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


def test_notes_change_neither_dice_nor_results() -> None:
    with_notes, without = battle_with_notes(), battle_with_notes(notes=False)
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
    play.undo(0, "player")
    assert [entry.kind for entry in play.entries] == [Kind.CLOCK, Kind.STEP, Kind.SEATS, Kind.UNDO]
    told = [
        "The clock is stopped.",
        "Another player took over the player.",
        "The player takes back what came after step 0.",
    ]
    assert [row_line(play.entries[at]) for at in (0, 2, 3)] == told
    assert active_steps(play.entries) == ()


def test_a_note_that_changes_the_state_is_against_the_rules() -> None:
    play = Session(Coins(), Table(coins=2), SEED)
    row = seal(play.head, None, kind=Kind.CLOCK, seat="referee", action=PAUSE, state={"heads": 2})
    end = seal(play.head, row, kind=Kind.END, seat="referee", state={"heads": 2})
    check_flaw(Journal(play.head, (row, end), SEED, None), 1, UNLED)
