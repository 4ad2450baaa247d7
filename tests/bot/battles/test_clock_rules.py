"""The rules of time, what people type of it, and the clock as it follows from the journal's rows."""

import random
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from pydantic import ValidationError

from bot.battles import timetable as t
from bot.battles.clocks import clock_of, duration_text, nobody_there, read_duration, read_hour
from sim.core import RuleError
from sim.core.journal import Kind, seal_row
from sim.core.values import canonical, digest
from tests.tables import kept_table

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = t.QuietHours(start=23 * 60, end=8 * 60)


def at(text: str, fold: int = 0) -> int:
    """Return when the clocks of Berlin show a time, such as "2026-03-29 03:30"."""
    return int(datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold).timestamp())


def shown(instant: int | None) -> str | None:
    """Return what the clocks of Berlin show, with the offset."""
    return None if instant is None else f"{datetime.fromtimestamp(instant, BERLIN):%Y-%m-%d %H:%M %z}"


def berlin(**fields: object) -> t.Timetable:
    return t.Timetable.model_validate({"zone": "Europe/Berlin", **fields})


def test_a_daily_hour_is_that_of_the_wall_in_summer_and_winter_and_once_a_day() -> None:
    came = [at("2026-03-28 07:59")]
    for _ in range(3):  # the clocks go forward on the second day
        came.append(t.next_daily("Europe/Berlin", 8 * 60, came[-1], came[-1] if len(came) > 1 else None))
    assert came[1:] == [at(f"2026-03-{day} 08:00") for day in (28, 29, 30)]
    assert t.next_daily("Europe/Berlin", 9 * 60, came[1], came[1]) == at("2026-03-29 09:00")


@pytest.mark.parametrize(("fields", "begun", "due"), kept_table(__file__, "ends"))
def test_a_turn_lasts_its_length_or_ends_at_an_hour_of_the_wall_all_year_and_in_no_night(
    fields: dict[str, object], begun: str, due: str
) -> None:
    assert shown(t.Clock(berlin(**fields), at(begun)).due_at) == due


def test_in_a_pause_nothing_ends_and_an_hour_of_the_day_waits_for_the_next_day() -> None:
    begun = at("2026-06-01 12:00")
    assert t.Clock(berlin(turn=2 * t.HOUR), begun, stopped_at=begun + t.HOUR).due_at is None
    over = (begun + t.HOUR, begun + 5 * t.HOUR)
    assert t.Clock(berlin(hour=13 * 60), begun, 0, [over]).due_at == at("2026-06-02 13:00")


def test_an_extension_lengthens_one_turn_by_the_wall_clock_where_that_ends_turns() -> None:
    assert t.Clock(berlin(turn=t.HOUR), 1_800_000_000, 90 * t.MINUTE).due_at == 1_800_000_000 + 150 * t.MINUTE
    table = berlin(hour=20 * 60)
    assert shown(t.Clock(table, at("2026-03-28 12:00"), t.DAY).due_at) == "2026-03-29 20:00 +0200"
    assert shown(t.Clock(table, at("2026-03-28 12:00"), 2 * t.HOUR).due_at) == "2026-03-28 22:00 +0100"


def test_the_grace_ends_in_no_night_and_warnings_come_in_none() -> None:
    table = berlin(turn=2 * t.HOUR, grace=t.HOUR, warning=t.HOUR, quiet=NIGHT)
    clock = t.Clock(table, at("2026-06-01 20:30"))
    assert shown(clock.due_at) == "2026-06-01 22:30 +0200"
    assert shown(clock.acts_at) == "2026-06-02 08:00 +0200"
    late = at("2026-06-01 22:30")
    assert shown(t.Clock(table, late).due_at) == "2026-06-02 09:30 +0200"
    assert shown(t.Clock(table, late).warns_at) == "2026-06-02 08:30 +0200"
    early = berlin(turn=2 * t.HOUR, warning=5 * t.HOUR, quiet=NIGHT)
    assert shown(t.Clock(early, late).warns_at) == "2026-06-01 23:00 +0200"
    assert shown(t.Clock(early, at("2026-06-02 01:00")).warns_at) == "2026-06-02 08:00 +0200"
    assert t.Clock(berlin(turn=t.HOUR, warning=t.HOUR), late).warns_at is None, "as long as the turn"


def test_a_turn_s_time_is_what_a_minute_by_minute_count_says() -> None:
    """The nights of both change days, odd hours and pauses among them: counted naively, the same."""
    chance = random.Random(18)
    for number in range(150):
        start, minutes = chance.randrange(24 * 60), chance.randrange(1, 16 * 60)
        # Every third one ends in the hour that is skipped in spring, and comes twice in autumn.
        end = (start + minutes) % (24 * 60) if number % 3 else chance.randrange(2 * 60, 3 * 60)
        quiet = t.QuietHours(start=start if number % 3 else (end - minutes) % (24 * 60), end=end)
        day = chance.choice(["2026-03-28", "2026-10-24", "2026-06-01"])
        begun = at(f"{day} 00:00") + chance.randrange(30 * 60) * t.MINUTE
        moments = [begun + moment * t.MINUTE for moment in sorted(chance.sample(range(-300, 1500), 4))]
        pauses = [(moments[0], moments[1]), (moments[2], moments[3])]
        turn = chance.randrange(1, 36 * 60) * t.MINUTE
        standing = [*_nights(begun, quiet), *pauses]
        left, instant = turn, begun
        while left:
            left -= 0 if any(a <= instant < b for a, b in standing) else t.MINUTE
            instant += t.MINUTE
        assert t.Clock(berlin(turn=turn, quiet=quiet), begun, 0, pauses).due_at == instant, (day, quiet, turn)


def _nights(begun: int, quiet: t.QuietHours) -> list[tuple[int, int]]:
    first = datetime.fromtimestamp(begun, BERLIN).replace(hour=0, minute=0, tzinfo=None) - timedelta(days=2)
    spans = []
    for day in range(12):
        evening = first + timedelta(days=day, minutes=quiet.start)
        morning = evening + timedelta(minutes=quiet.minutes)
        ends = [int(morning.replace(tzinfo=BERLIN, fold=fold).timestamp()) for fold in (0, 1)]
        spans.append((int(evening.replace(tzinfo=BERLIN).timestamp()), max(ends)))
    return spans


@pytest.mark.parametrize(
    "wrong",
    [
        {"turn": 59},
        {"turn": 31 * t.DAY},
        {"hour": 24 * 60},
        {"zone": "Europe/Nowhere"},
        {"zone": "../etc/passwd"},
        {"quiet": {"start": 0, "end": 0}},
        {"quiet": {"start": 0, "end": 17 * 60}},
        {"hour": 2 * 60, "quiet": {"start": 23 * 60, "end": 8 * 60}},
        {"more": 1},
    ],
)
def test_a_timetable_that_can_not_be(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        t.Timetable.model_validate(wrong)


@pytest.mark.parametrize(("text", "seconds", "again"), kept_table(__file__, "lengths"))
def test_a_length_of_time_as_it_is_typed_and_said(text: str, seconds: int, again: str) -> None:
    assert read_duration(text, "Time") == seconds
    assert duration_text(seconds) == again
    assert read_duration(again, "Time") == seconds


def test_less_than_a_minute_isnt_none_at_all() -> None:
    assert [duration_text(seconds) for seconds in (0, 59, 60)] == [*2 * ["less than a minute"], "1 minute"]


@pytest.mark.parametrize(
    ("text", "minute"),
    [("20:00", 1200), ("8 pm", 1200), ("12 am", 0), ("12 pm", 720), ("0", 0), ("7.30", 450), ("none", None)],
)
def test_an_hour_as_it_is_typed(text: str, minute: int | None) -> None:
    assert read_hour(text, "Hour") == minute


@pytest.mark.parametrize(
    ("read", "thing", "texts"),
    [
        (read_duration, "a time", ("soon", "5", "1 h later", "-1 h", "1.5 h", "h")),
        (read_hour, "an hour", ("24:00", "20:60", "13 pm", "0 am", "late", "8:5")),
    ],
)
def test_what_is_no_length_of_time_and_no_hour(
    read: Callable[[str, str], object], thing: str, texts: tuple[str, ...]
) -> None:
    for text in texts:
        with pytest.raises(RuleError, match=f"^Then: type {thing} such as"):
            read(text, "Then")


DEFAULT = t.Timetable(turn=t.HOUR)
ROW, BEGAN = 5, 1000_000
"""The turn began with this row, at this time."""


def fold(
    *notes: tuple[int, t.AnyNote], outages: Sequence[tuple[int, int]] = (), usual: t.Timetable = DEFAULT
) -> t.Clock:
    return clock_of(usual, [t.Note(n, note) for n, note in notes], ROW, BEGAN, ["attacker"], outages)


def test_the_last_setting_counts_and_begins_the_turn_anew() -> None:
    clock = fold(
        (1, t.SetClock(at=10, timetable=t.Timetable(turn=60))),
        (6, t.ExtendTurn(at=BEGAN + 1, seconds=60)),
        (7, t.SetClock(at=BEGAN + 50, timetable=t.Timetable(turn=2 * t.HOUR, warning=600, grace=60))),
    )
    due = BEGAN + 50 + 2 * t.HOUR
    assert (clock.is_set, clock.due_at, clock.warns_at, clock.acts_at) == (True, due, due - 600, due + 60)


def test_an_extension_a_question_and_a_new_player_count_in_their_own_turn_only() -> None:
    assert fold((4, t.ExtendTurn(at=10, seconds=600)), (3, t.PlainNote(do="ask", at=9))).due_at == BEGAN + t.HOUR
    asked = fold((6, t.PlainNote(do="ask", at=BEGAN + t.HOUR)))
    assert (asked.asked, asked.acts_at) == (True, None)
    longer = fold((6, t.PlainNote(do="ask", at=BEGAN + t.HOUR)), (7, t.ExtendTurn(at=BEGAN + t.HOUR, seconds=600)))
    assert (longer.asked, longer.acts_at) == (False, BEGAN + t.HOUR + 600)
    assert fold((6, t.Reseat(at=BEGAN + 100, seat="attacker"))).due_at == BEGAN + 100 + t.HOUR
    assert fold((6, t.Reseat(at=BEGAN + 100, seat="defender"))).due_at == BEGAN + t.HOUR
    assert fold((4, t.Reseat(at=50, seat="attacker"))).due_at == BEGAN + t.HOUR


def test_a_pause_outlives_turns() -> None:
    clock = fold((2, t.PauseClock(at=10)))
    assert (clock.is_paused, clock.due_at, clock.left) == (True, None, t.HOUR)
    clock = fold((2, t.PauseClock(at=10)), (6, t.PlainNote(do="go-on", at=BEGAN + 100)))
    assert clock.due_at == BEGAN + 100 + t.HOUR
    assert fold((2, t.PauseClock(at=10)), (3, t.PlainNote(do="go-on", at=20))).due_at == BEGAN + t.HOUR
    stopped = fold((6, t.PauseClock(at=BEGAN + 600)), (7, t.PauseClock(at=BEGAN + 900)))
    assert stopped.left == t.HOUR - 600
    assert fold((6, t.PlainNote(do="go-on", at=BEGAN + 5))).due_at == BEGAN + t.HOUR, "nothing to resume"


def test_a_clock_that_stopped_by_itself_goes_on_with_the_next_turn_or_by_a_press() -> None:
    stopped = fold((6, t.PauseClock(at=BEGAN + 60, absent=True)))
    assert (stopped.absent, stopped.is_paused, stopped.left) == (True, True, t.HOUR - 60)
    assert fold((4, t.PauseClock(at=10, absent=True))).due_at == BEGAN + t.HOUR
    again = fold((6, t.PauseClock(at=BEGAN, absent=True)), (7, t.PlainNote(do="go-on", at=BEGAN + 500)))
    assert (again.absent, again.due_at) == (False, BEGAN + 500 + t.HOUR)


ONE, TWO = t.Away(at=1, seats=("attacker",)), t.Away(at=1, seats=("defender",))


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
        ([(3, ONE), (5, t.PauseClock(at=1, absent=True))], 2, ("attacker",), False),
        ([(3, ONE), (5, t.PlainNote(do="go-on", at=1))], 2, ("attacker",), False),
        ([(3, ONE), (5, t.PlainNote(do="go-on", at=1)), (6, ONE)], 2, ("attacker",), True),
        ([(3, t.Away(at=1, seats=()))], 2, (), True),
    ],
)
def test_a_fight_stops_when_all_who_are_waited_for_were_away(
    notes: list[tuple[int, t.AnyNote]], last_move: int, waiting: tuple[str, ...], *, stops: bool
) -> None:
    assert nobody_there([t.Note(n, note) for n, note in notes], last_move, waiting) is stops


NOTES: list[t.AnyNote] = [
    t.SetClock(at=1, timetable=t.Timetable(turn=t.HOUR)),
    t.ExtendTurn(at=1, seconds=60),
    t.Reseat(at=1, seat="attacker", bot=True),
    t.PauseClock(at=1, absent=True),
    t.Away(at=1, seats=("attacker", "defender"), passed=True),
    t.PlainNote(do="hand-over", at=1),
]


EARLIER: list[tuple[t.AnyNote, str]] = [
    (t.PauseClock(at=1), '{"at":1,"do":"pause"}'),
    (t.Reseat(at=1, seat="attacker"), '{"at":1,"bot":false,"do":"replace","seat":"attacker"}'),
]
"""As an earlier version wrote them."""


@pytest.mark.parametrize(("note", "text"), [*((note, t.note_json(note)) for note in NOTES), *EARLIER])
def test_a_note_is_read_from_its_row_as_it_was_written(note: t.AnyNote, text: str) -> None:
    row = seal_row("0" * 64, 1, kind=t.kind_of(note), seat="referee", state_hash=digest({}), action_json=text)
    assert t.read_note(row) == t.Note(1, note)
    assert (row.kind is Kind.CLOCK) is (note.do in {"set", "pause", "go-on", "extend", "ask", "away"})
    assert t.note_json(note) == canonical(note.model_dump(mode="json"))


def test_the_time_of_an_outage_does_not_count() -> None:
    assert fold(outages=[(BEGAN - 500, BEGAN - 100)]).due_at == BEGAN + t.HOUR, "it was over"
    several = [(BEGAN - 500, BEGAN + 100), (BEGAN + 1000, BEGAN + 1300), (BEGAN + t.HOUR, BEGAN + 5 * t.HOUR)]
    clock = fold(outages=several)
    assert (clock.due_at, clock.away) == (BEGAN + t.HOUR + 400 + 4 * t.HOUR, 400 + 4 * t.HOUR)
    assert fold(outages=[(BEGAN + t.HOUR + 500, BEGAN + 2 * t.HOUR)]).due_at == BEGAN + t.HOUR, "the time was up"
    clock = fold(outages=[(BEGAN + t.HOUR + 100, BEGAN + 3 * t.HOUR)], usual=t.Timetable(turn=t.HOUR, grace=600))
    assert (clock.due_at, clock.acts_at) == (BEGAN + t.HOUR, BEGAN + 3 * t.HOUR + 500), "the grace is longer"


def test_an_outage_while_the_clock_is_stopped_gives_nothing() -> None:
    stopped = (6, t.PauseClock(at=BEGAN + 600))
    outages = [(BEGAN + 100, BEGAN + 300), (BEGAN + 700, BEGAN + 7000)]
    clock = fold(stopped, outages=outages)
    assert (clock.is_paused, clock.left, clock.due_at) == (True, t.HOUR - 400, None)
    going_on = fold(stopped, (7, t.PlainNote(do="go-on", at=BEGAN + 8000)), outages=outages)
    assert going_on.due_at == BEGAN + 8000 + t.HOUR - 400


def test_an_outage_at_the_hour_at_which_turns_end_puts_it_off_to_the_next_day() -> None:
    eight = t.Timetable(hour=8 * 60)
    began = 4 * 24 * t.HOUR
    due = began + 8 * t.HOUR
    for outage, days in (((began + 2 * t.HOUR, due - 60), 0), ((due - 60, due + 60), 1)):
        assert clock_of(eight, [], ROW, began, (), [outage]).due_at == due + days * 24 * t.HOUR
