"""The rules of time for turns, and the journal's notes about clock and seats.

How long turns last, when they end by the clock on the wall, when nobody has to hurry. Pure: all instants are arguments
and results in Unix seconds; only the offsets of time zones come from the system. A wall clock's time that a change to
summer time skips comes as much later as the clocks jump. One that comes twice means the first time; quiet hours end
with the second.

The notes are sealed like steps, with their time, and name seats but no people. A row about a seat has beside its seal,
as its actor, who sits there from then on.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from enum import StrEnum
from itertools import count
from typing import Annotated, ClassVar, Literal, TypeAlias
from zoneinfo import ZoneInfo

from pydantic import Field, TypeAdapter, field_validator, model_validator

from bot.store.battle import Battle
from bot.store.battles import ServerHours
from sim.core.battle import AnyState, Seat
from sim.core.journal import JournalRow, Kind
from sim.core.values import Frozen, canonical

MINUTE, HOUR, DAY = 60, 60 * 60, 24 * 60 * 60
DAY_MINUTES = 24 * 60
MAX_TURN = 30 * DAY
LEAST_TURN = HOUR
"""Seconds that a turn lasts at least where it ends at an hour of the day and has no length of its own."""
MAX_QUIET = 16 * 60
"""Minutes of the longest quiet hours."""

MinuteOfDay = Annotated[int, Field(ge=0, lt=DAY_MINUTES, strict=True)]
Length = Annotated[int, Field(ge=MINUTE, le=MAX_TURN, strict=True)]
"""A time in seconds."""
Part = Annotated[int, Field(ge=0, le=MAX_TURN, strict=True)]
"""A time in seconds that may be nothing."""


Span: TypeAlias = tuple[int, int]
"""A stretch of time, from one instant to another."""


class TimeUp(StrEnum):
    """What happens when a turn's time is up."""

    PLAY = "play"
    """An AI, or what the game does by default, takes the turn."""
    PASS = "pass"  # noqa: S105  # no password
    """The turn is over without more."""
    ASK = "ask"
    """The referee is asked."""


class QuietRule(StrEnum):
    """What quiet hours do to the time of a turn."""

    SKIP = "skip"
    """They don't count."""
    WAIT = "wait"
    """They count, but no turn ends in them: it ends when they do."""


class QuietHours(Frozen):
    """From when to when on the wall clock nobody has to hurry, in minutes after midnight."""

    start: MinuteOfDay
    end: MinuteOfDay
    rule: QuietRule = QuietRule.SKIP

    @staticmethod
    def of(hours: ServerHours) -> "QuietHours | None":
        """Return a server's quiet hours, None if it has none."""
        if hours.quiet_from is None or hours.quiet_to is None:
            return None
        return QuietHours(start=hours.quiet_from, end=hours.quiet_to, rule=QuietRule(hours.quiet_rule))

    @model_validator(mode="after")
    def _is_part_of_a_day(self) -> "QuietHours":
        if not 0 < self.minutes <= MAX_QUIET:
            raise ValueError(f"quiet hours last from a minute to {MAX_QUIET // 60} hours")
        return self

    @property
    def minutes(self) -> int:
        """How long they last on the wall clock."""
        return (self.end - self.start) % DAY_MINUTES

    def holds(self, minute: int) -> bool:
        """Return whether a minute of the day is inside, not at their beginning or end."""
        return 0 < (minute - self.start) % DAY_MINUTES < self.minutes


class Timetable(Frozen):
    """The clock of a battle as it was set.

    `turn`: seconds of a turn, None for no limit; with `hour` the least that a turn lasts. `hour`: when turns end, in
    minutes after midnight. `warning`: seconds before the end at which the players are warned, 0 for never. `grace`:
    seconds after the end before anything happens. `zone`: whose midnight it is.
    """

    turn: Length | None = None
    hour: MinuteOfDay | None = None
    warning: Part = 0
    grace: Part = 0
    time_up: TimeUp = TimeUp.PLAY
    zone: Annotated[str, Field(max_length=60)] = "UTC"
    quiet: QuietHours | None = None

    @field_validator("zone")
    @classmethod
    def _is_known(cls, zone: str) -> str:
        try:
            ZoneInfo(zone)
        except (ValueError, OSError, KeyError) as error:  # KeyError: no such zone
            raise ValueError(f"there is no time zone {zone}") from error
        return zone

    @model_validator(mode="after")
    def _ends_by_day(self) -> "Timetable":
        if self.hour is not None and self.quiet is not None and self.quiet.holds(self.hour):
            raise ValueError("turns can't end in the quiet hours")
        return self

    @property
    def limits(self) -> bool:
        """Whether turns end by the clock."""
        return self.turn is not None or self.hour is not None

    def night(self, at: int) -> Span | None:
        """Return the quiet hours that end after `at`, the first of them; None if there are none."""
        if (quiet := self.quiet) is None:
            return None
        evenings = (_midnight(self.zone, at) + timedelta(days=days, minutes=quiet.start) for days in count(-2))
        nights = (
            (instant(self.zone, evening), instant(self.zone, evening + timedelta(minutes=quiet.minutes), last=True))
            for evening in evenings
        )
        return next((start, end) for start, end in nights if end > max(at, start))

    def out_of_quiet(self, at: int) -> int:
        """Return an instant, or the end of the quiet hours that it is in, not at their beginning."""
        start, end = self.night(at) or (at, at)
        return end if start < at else at


@dataclass(frozen=True, slots=True)
class Clock:
    """The timetable and the turn it applies to.

    `began`: when the turn did. `extra`: seconds that it was extended by. `pauses`: when the clock stood. `stopped_at`:
    since when it stands still. `is_set`: a referee has set it. `asked`: the referee was asked. `absent`: it stopped by
    itself, as nobody was there. `away`: seconds of the turn that don't count because the bot couldn't be reached.
    """

    timetable: Timetable
    began: int
    extra: int = 0
    pauses: Sequence[Span] = ()
    stopped_at: int | None = None
    is_set: bool = False
    asked: bool = False
    absent: bool = False
    away: int = 0

    @property
    def is_paused(self) -> bool:
        """Whether it stands still."""
        return self.stopped_at is not None

    @property
    def due_at(self) -> int | None:
        """When the time is up; None for never, or not before it goes on."""
        table = self.timetable
        if not table.limits or self.is_paused:
            return None
        if table.hour is None:
            skips = table.quiet is not None and table.quiet.rule is QuietRule.SKIP
            return table.out_of_quiet(self._after(self.began, (table.turn or 0) + self.extra, skips=skips))
        least = self._after(self.began, LEAST_TURN if table.turn is None else table.turn)
        day = next_hour(table.zone, table.hour, max([least, *(end for _, end in self.pauses)]))
        # An extension moves the hands of the wall clock: one day more is the same hour of the next day.
        return table.out_of_quiet(instant(table.zone, day + timedelta(seconds=self.extra)))

    @property
    def ends_at(self) -> int | None:
        """When something happens because the time is up: after the grace, never in the night; None for never."""
        table, due = self.timetable, self.due_at
        return due if due is None or not table.grace else table.out_of_quiet(self._after(due, table.grace))

    @property
    def acts_at(self) -> int | None:
        """When the bot does something about it; None for never, or if it has asked already."""
        return None if self.asked else self.ends_at

    @property
    def warns_at(self) -> int | None:
        """When the players are warned; None for never: the turn is too short, or they know.

        A warning that would come in the quiet hours comes when they begin, or if the turn began in them, when they end.
        """
        table, due = self.timetable, self.due_at
        if due is None or not table.warning or (at := due - table.warning) <= self.began:
            return None
        start, end = table.night(at) or (at, at)
        if start < at:
            at = start if start > self.began else end
        return at if at < due else None

    @property
    def left(self) -> int | None:
        """How many seconds were left when it was stopped; None if it runs, or nothing ends."""
        if (stopped := self.stopped_at) is None:
            return None
        due = replace(self, pauses=(*self.pauses, (stopped, stopped)), stopped_at=None).due_at
        return None if due is None else max(0, due - max(stopped, self.began))

    def _after(self, at: int, seconds: int, *, skips: bool = False) -> int:
        """Return when `seconds` have gone by since `at` that lie in no pause, and if it `skips` them, in no night."""
        while True:
            standing = [span for span in self.pauses if span[1] > at]
            if skips and (night := self.timetable.night(at)) is not None:
                standing.append(night)
            start, end = min(standing, default=(at + seconds, 0))
            if start - at >= seconds:
                return at + seconds
            seconds -= max(0, start - at)
            at = end


def _midnight(zone: str, at: int) -> datetime:
    """Return the midnight before an instant, as the wall clock shows it."""
    return datetime.combine(datetime.fromtimestamp(at, ZoneInfo(zone)), time())


def next_hour(zone: str, minute: int, at: int) -> datetime:
    """Return the first time of the wall clock, at this minute of the day, that comes at `at` or later."""
    times = (_midnight(zone, at) + timedelta(days=days, minutes=minute) for days in range(-1, 4))
    return next(wall for wall in times if instant(zone, wall) >= at)


def next_daily(zone: str, minute: int, now: int, last: int | None) -> int:
    """Return when the wall clock next shows a minute of the day after `now`, on another day than at `last`."""
    wall = next_hour(zone, minute, now + 1)
    if last is not None and datetime.fromtimestamp(last, ZoneInfo(zone)).date() == wall.date():
        wall += timedelta(days=1)
    return instant(zone, wall)


def instant(zone: str, wall: datetime, *, last: bool = False) -> int:
    """Return when the wall clock shows a time; `last`: of two such instants the later one."""
    first = wall.replace(tzinfo=ZoneInfo(zone), fold=0)
    return int(max(first.timestamp(), first.replace(fold=1).timestamp()) if last else first.timestamp())


@dataclass(frozen=True, slots=True)
class Awaited:
    """A turn: the seats that it waits for, none for anybody's.

    `turn` names it within its battle and no other; it stays the same while the turn lasts. `where`: which turn it is,
    for players, such as "round 3".
    """

    turn: str
    seats: tuple[Seat, ...]
    where: str


STAND_IN = "-for"
"""What the names of actions for an absent player end in."""


class Timed:
    """A game whose clock differs from the usual: a turn lasts a day where the clock may act.

    `clock`: that of a battle in which nobody has set one, None for the usual one. `is_timed`: players see the clock,
    and are reminded of their turns; else only once somebody has set it. `passing`: of the actions that the clock may
    take, those that only end the turn. `time_up`: what its other actions do, as in "then …".
    """

    clock: ClassVar[Timetable | None] = None
    is_timed: ClassVar[bool] = False
    passing: ClassVar[frozenset[str]] = frozenset()
    time_up: ClassVar[str] = "the bot takes the turn"

    def timetable(self, _state: AnyState) -> Timetable | None:
        """Return the clock of one battle in which nobody has set one."""
        return self.clock

    def time_up_text(self, _state: AnyState) -> str:
        """Return what the clock does that doesn't only end the turn."""
        return self.time_up


class HasTurns(ABC):
    """A game in which one person is on turn for several steps; else every step is a turn of all who may act.

    `turn_events`: events that begin a turn. `absent_seconds`: of a turn after which others may take an action for the
    one whose turn it is, where the rules have such an action: its name ends in `STAND_IN`, and it has no button of its
    own.
    """

    turn_events: ClassVar[frozenset[str]]
    absent_seconds: ClassVar[int] = 5 * 60

    @abstractmethod
    def awaited(self, battle: Battle, state: AnyState) -> Awaited | None:
        """Return whose turn it is; None if nobody's."""

    def turn_action(self, _state: AnyState) -> tuple[str, Seat] | None:
        """Return an action, by its `do`, and the seat for which it begins a turn, beside the events that do."""
        return None

    def is_due(self, _battle: Battle, _state: AnyState) -> bool:
        """Return whether the battle waits for nobody and the clock is to go on at once."""
        return False


MAX_WHEN = 100


class _Note(Frozen):
    """Base of the notes; `at`: when it was done, in Unix seconds."""

    at: Annotated[int, Field(ge=0, strict=True)]


class SetClock(_Note):
    """The clock was set; the turn's time begins anew."""

    do: Literal["set"] = "set"
    timetable: Timetable


class PauseClock(_Note):
    """The clock stands still; `absent`: by itself, as nobody was there for a whole round, and until the next turn."""

    do: Literal["pause"] = "pause"
    absent: bool = False


class ExtendTurn(_Note):
    """This turn lasts longer."""

    do: Literal["extend"] = "extend"
    seconds: Length


class Away(_Note):
    """The time of these seats was up, and the next row is what the clock did for them; `passed`: it ended the turn."""

    do: Literal["away"] = "away"
    seats: tuple[Seat, ...]
    passed: bool = False


class Reseat(_Note):
    """Somebody else sits there from then on; `bot`: it is the bot; `referee`: it is the referee who did it.

    `when`: how far the battle was, such as "in round 2".
    """

    do: Literal["replace"] = "replace"
    seat: Seat
    bot: bool = False
    referee: bool = False
    when: Annotated[str, Field(max_length=MAX_WHEN)] = ""


class Unseat(_Note):
    """Somebody was taken out of the battle before it began."""

    do: Literal["remove"] = "remove"
    seat: Seat


class PlainNote(_Note):
    """The clock goes on, the referee was asked or is another one, joining is closed or open again: it says no more."""

    do: Literal["go-on", "ask", "hand-over", "close", "open"]


AnyNote: TypeAlias = SetClock | PauseClock | ExtendTurn | Away | Reseat | Unseat | PlainNote
_OF_SEATS = frozenset({"replace", "remove", "hand-over", "close", "open"})

_READER: TypeAdapter[AnyNote] = TypeAdapter(Annotated[AnyNote, Field(discriminator="do")])


@dataclass(frozen=True, slots=True)
class Note:
    """A note with the number of its row, and beside the seal who came to sit down."""

    n: int
    what: AnyNote
    actor: str | None = None


def kind_of(note: AnyNote) -> Kind:
    """Return the kind of a note's row."""
    return Kind.SEATS if note.do in _OF_SEATS else Kind.CLOCK


def note_json(note: AnyNote) -> str:
    """Return a note as the canonical text of a row's action."""
    return canonical(note.model_dump(mode="json"))


def read_note(row: JournalRow) -> Note:
    """Return the note of a row; pydantic.ValidationError (a ValueError) if it holds none."""
    return Note(row.n, _READER.validate_json(row.action_json), row.actor)
