"""The clock as it follows from the journal's rows."""

import pytest
from pydantic import ValidationError

from bot.battles.clock.notes import (
    AnyNote,
    AskReferee,
    Away,
    ClockNote,
    ExtendTurn,
    HandOver,
    Note,
    PauseClock,
    Reseat,
    ResumeClock,
    SetClock,
    kind_of,
    latest,
    note_json,
    read_note,
)
from bot.battles.clock.state import Clock, clock_of, nobody_there
from bot.battles.clock.timetable import HOUR, Timetable
from sim.core.canonical_json import canonical, digest
from sim.core.journal import Kind, seal_row

DEFAULT = Timetable(turn=HOUR)
ROW, BEGAN = 5, 1000_000
"""The turn began with this row, at this time."""


def fold(*notes: tuple[int, AnyNote], waiting: tuple[str, ...] = ("attacker",)) -> Clock:
    return clock_of(DEFAULT, [Note(n, note) for n, note in notes], ROW, BEGAN, waiting)


def test_a_clock_that_nobody_touched() -> None:
    clock = fold()
    assert (clock.due_at, clock.acts_at, clock.warns_at) == (BEGAN + HOUR, BEGAN + HOUR, None)
    assert not any((clock.is_set, clock.is_paused, clock.asked))


def test_the_last_setting_counts_and_begins_the_turn_anew() -> None:
    clock = fold(
        (1, SetClock(at=10, timetable=Timetable(turn=60))),
        (6, ExtendTurn(at=BEGAN + 1, seconds=60)),
        (7, SetClock(at=BEGAN + 50, timetable=Timetable(turn=2 * HOUR, warning=600, grace=60))),
    )
    due = BEGAN + 50 + 2 * HOUR
    assert (clock.is_set, clock.due_at, clock.warns_at, clock.acts_at) == (True, due, due - 600, due + 60)


def test_an_extension_and_a_question_count_in_their_own_turn_only() -> None:
    assert fold((4, ExtendTurn(at=10, seconds=600)), (3, AskReferee(at=9))).due_at == BEGAN + HOUR
    asked = fold((6, AskReferee(at=BEGAN + HOUR)))
    assert (asked.asked, asked.acts_at) == (True, None)
    longer = fold((6, AskReferee(at=BEGAN + HOUR)), (7, ExtendTurn(at=BEGAN + HOUR, seconds=600)))
    assert (longer.asked, longer.acts_at) == (False, BEGAN + HOUR + 600)


def test_a_pause_outlives_turns() -> None:
    clock = fold((2, PauseClock(at=10)))
    assert (clock.is_paused, clock.due_at, clock.left) == (True, None, HOUR)
    clock = fold((2, PauseClock(at=10)), (6, ResumeClock(at=BEGAN + 100)))
    assert clock.due_at == BEGAN + 100 + HOUR
    assert fold((2, PauseClock(at=10)), (3, ResumeClock(at=20))).due_at == BEGAN + HOUR
    stopped = fold((6, PauseClock(at=BEGAN + 600)), (7, PauseClock(at=BEGAN + 900)))
    assert stopped.left == HOUR - 600
    assert fold((6, ResumeClock(at=BEGAN + 5))).due_at == BEGAN + HOUR, "nothing to resume"


def test_a_clock_that_stopped_by_itself_goes_on_with_the_next_turn_or_by_a_press() -> None:
    stopped = fold((6, PauseClock(at=BEGAN + 60, absent=True)))
    assert (stopped.absent, stopped.is_paused, stopped.left) == (True, True, HOUR - 60)
    assert fold((4, PauseClock(at=10, absent=True))).due_at == BEGAN + HOUR
    again = fold((6, PauseClock(at=BEGAN, absent=True)), (7, ResumeClock(at=BEGAN + 500)))
    assert (again.absent, again.due_at) == (False, BEGAN + 500 + HOUR)


ONE, TWO = Away(at=1, seats=("attacker",)), Away(at=1, seats=("defender",))


@pytest.mark.parametrize(
    ("notes", "last_move", "waiting", "stops"),
    [
        ([], 0, ("attacker",), False),
        ([], 0, (), False),
        ([(3, ONE)], 2, ("attacker",), True),
        ([(3, ONE)], 2, ("defender",), False),
        ([(3, ONE), (5, TWO)], 2, ("attacker",), True),
        ([(3, ONE), (5, TWO)], 4, ("attacker",), False),
        ([(3, ONE), (5, TWO)], 2, ("attacker", "defender"), True),
        ([(3, ONE), (5, PauseClock(at=1, absent=True))], 2, ("attacker",), False),
        ([(3, ONE), (5, ResumeClock(at=1))], 2, ("attacker",), False),
        ([(3, ONE), (5, ResumeClock(at=1)), (6, ONE)], 2, ("attacker",), True),
        ([(3, Away(at=1, seats=()))], 2, (), True),
    ],
)
def test_a_fight_stops_when_all_who_are_waited_for_were_away(
    notes: list[tuple[int, AnyNote]], last_move: int, waiting: tuple[str, ...], *, stops: bool
) -> None:
    assert nobody_there([Note(n, note) for n, note in notes], last_move, waiting) is stops


def test_who_takes_over_a_turn_has_its_time_anew() -> None:
    assert fold((6, Reseat(at=BEGAN + 100, seat="attacker"))).due_at == BEGAN + 100 + HOUR
    assert fold((6, Reseat(at=BEGAN + 100, seat="defender"))).due_at == BEGAN + HOUR
    assert fold((4, Reseat(at=50, seat="attacker"))).due_at == BEGAN + HOUR


NOTES = [
    SetClock(at=1, timetable=Timetable(turn=HOUR)),
    ExtendTurn(at=1, seconds=60),
    Reseat(at=1, seat="attacker", bot=True),
    PauseClock(at=1, absent=True),
    Away(at=1, seats=("attacker", "defender"), passed=True),
    HandOver(at=1),
]


@pytest.mark.parametrize("note", NOTES)
def test_a_note_is_read_from_its_row_as_it_was_written(note: AnyNote) -> None:
    row = seal_row("0" * 64, 1, kind=kind_of(note), seat="referee", state_hash=digest({}), action_json=note_json(note))
    assert read_note(row) == read_note(row.parse()) == Note(1, note)
    assert (row.kind is Kind.CLOCK) is isinstance(note, ClockNote)
    assert row.action_json == canonical(note.model_dump(mode="json"))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('{"at":1,"do":"pause"}', PauseClock(at=1)),
        ('{"at":1,"bot":false,"do":"replace","seat":"attacker"}', Reseat(at=1, seat="attacker")),
    ],
)
def test_a_note_of_an_earlier_version_is_read(text: str, note: AnyNote) -> None:
    row = seal_row("0" * 64, 1, kind=kind_of(note), seat="referee", state_hash=digest({}), action_json=text)
    assert read_note(row) == Note(1, note)


def test_a_row_that_is_no_note() -> None:
    row = seal_row("0" * 64, 1, kind=Kind.CLOCK, seat="referee", state_hash=digest({}), action_json='{"do":"stop"}')
    with pytest.raises(ValidationError):
        read_note(row)


def test_the_latest_notes_are_those_that_nothing_followed() -> None:
    notes = [Note(1, PauseClock(at=1)), Note(3, ResumeClock(at=2)), Note(4, HandOver(at=3))]
    assert [note.n for note in latest(notes, 4)] == [3, 4]
    assert list(latest(notes, 5)) == []


def away(*outages: tuple[int, int], notes: tuple[tuple[int, AnyNote], ...] = ()) -> Clock:
    return clock_of(DEFAULT, [Note(n, note) for n, note in notes], ROW, BEGAN, (), outages)


def test_the_time_of_an_outage_does_not_count() -> None:
    assert away((BEGAN - 500, BEGAN - 100)).due_at == BEGAN + HOUR, "it was over"
    clock = away((BEGAN - 500, BEGAN + 100), (BEGAN + 1000, BEGAN + 1300), (BEGAN + HOUR, BEGAN + 5 * HOUR))
    assert (clock.due_at, clock.away) == (BEGAN + HOUR + 400 + 4 * HOUR, 400 + 4 * HOUR)
    assert away((BEGAN + HOUR + 500, BEGAN + 2 * HOUR)).due_at == BEGAN + HOUR, "the time was up"


def test_an_outage_in_the_grace_makes_that_longer() -> None:
    graceful = Timetable(turn=HOUR, grace=600)
    clock = clock_of(graceful, [], ROW, BEGAN, (), [(BEGAN + HOUR + 100, BEGAN + 3 * HOUR)])
    assert (clock.due_at, clock.acts_at) == (BEGAN + HOUR, BEGAN + 3 * HOUR + 500)


def test_an_outage_while_the_clock_is_stopped_gives_nothing() -> None:
    stopped = (6, PauseClock(at=BEGAN + 600))
    before, meanwhile = (BEGAN + 100, BEGAN + 300), (BEGAN + 700, BEGAN + 7000)
    clock = away(before, meanwhile, notes=(stopped,))
    assert (clock.is_paused, clock.left, clock.due_at) == (True, HOUR - 400, None)
    going_on = away(before, meanwhile, notes=(stopped, (7, ResumeClock(at=BEGAN + 8000))))
    assert going_on.due_at == BEGAN + 8000 + HOUR - 400


def test_an_outage_at_the_hour_at_which_turns_end_puts_it_off_to_the_next_day() -> None:
    eight = Timetable(hour=8 * 60)
    began = 4 * 24 * HOUR
    due = began + 8 * HOUR
    for outage, days in (((began + 2 * HOUR, due - 60), 0), ((due - 60, due + 60), 1)):
        assert clock_of(eight, [], ROW, began, (), [outage]).due_at == due + days * 24 * HOUR
