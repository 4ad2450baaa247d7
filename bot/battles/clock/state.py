"""The clock of a battle's turn, whom the battle waits for, and what a game says of its turns.

The clock is a fold over the journal's rows about clock and seats.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Generic

from bot.battles.clock.notes import AskReferee, Away, ExtendTurn, Note, PauseClock, Reseat, ResumeClock, SetClock
from bot.battles.clock.timetable import Span, Timetable, Turn, acts_at, due_at, warns_at
from bot.store.battles.battle import Battle
from sim.core.battle import Seat, StateT


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


class Timed(Generic[StateT]):
    """A game whose clock differs from the usual: a turn lasts a day where the clock may act.

    `is_timed`: players see the clock, and are reminded of their turns; else only once somebody has set it. `passing`:
    of the actions that the clock may take, those that only end the turn. `time_up`: what its other actions do, as in
    "then …".
    """

    is_timed: ClassVar[bool] = False
    passing: ClassVar[frozenset[str]] = frozenset()
    time_up: ClassVar[str] = "the bot takes the turn"

    def timetable(self, _state: StateT) -> Timetable | None:
        """Return the clock of a battle in which nobody has set one; None for the usual one."""
        return None

    def time_up_text(self, _state: StateT) -> str:
        """Return what the clock does that doesn't only end the turn."""
        return self.time_up


class HasTurns(ABC, Generic[StateT]):
    """A game in which one person is on turn for several steps; else every step is a turn of all who may act.

    `turn_events`: events that begin a turn. `absent_seconds`: of a turn after which others may take an action for the
    one whose turn it is, where the rules have such an action: its name ends in `STAND_IN`, and it has no button of its
    own.
    """

    turn_events: ClassVar[frozenset[str]]
    absent_seconds: ClassVar[int] = 5 * 60

    @abstractmethod
    def awaited(self, battle: Battle, state: StateT) -> Awaited | None:
        """Return whose turn it is; None if nobody's."""

    def turn_action(self, _state: StateT) -> tuple[str, Seat] | None:
        """Return an action, by its `do`, and the seat for which it begins a turn, beside the events that do."""
        return None

    def is_due(self, _battle: Battle, _state: StateT) -> bool:
        """Return whether the battle waits for nobody and the clock is to go on at once."""
        return False


@dataclass(frozen=True, slots=True)
class Clock:
    """The timetable and the turn it applies to.

    `is_set`: a referee has set it. `asked`: the referee was asked. `absent`: it stopped by itself, as nobody was there.
    `away`: seconds of the turn that don't count because the bot couldn't be reached.
    """

    timetable: Timetable
    turn: Turn
    is_set: bool = False
    asked: bool = False
    absent: bool = False
    away: int = 0

    @property
    def is_paused(self) -> bool:
        """Whether it stands still."""
        return self.turn.is_paused

    @property
    def due_at(self) -> int | None:
        """When the time is up; None for never."""
        return due_at(self.timetable, self.turn)

    @property
    def acts_at(self) -> int | None:
        """When the bot does something about it; None for never, or if it has asked already."""
        return None if self.due_at is None or self.asked else acts_at(self.timetable, self.turn, self.due_at)

    @property
    def warns_at(self) -> int | None:
        """When the players are warned; None for never."""
        return None if self.due_at is None else warns_at(self.timetable, self.turn, self.due_at)

    @property
    def left(self) -> int | None:
        """How many seconds were left when it was stopped; None if it runs, or nothing ends."""
        last = self.turn.pauses[-1] if self.is_paused else None
        if last is None:
            return None
        going = replace(self.turn, pauses=(*self.turn.pauses[:-1], Span(last.start, last.start)))
        due = due_at(self.timetable, going)
        return None if due is None else max(0, due - max(last.start, self.turn.began))


def clock_of(
    default: Timetable,
    notes: Sequence[Note],
    turn_row: int,
    began: int,
    waiting: Collection[Seat] = (),
    outages: Sequence[tuple[int, int]] = (),
) -> Clock:
    """Return the clock of the turn that began at `began` with row `turn_row` of the journal.

    `default`: the timetable unless one was set. `notes`: the journal's, in order. `waiting`: the seats whose turn it
    is. A turn has its time anew when the clock is set, or somebody else takes over such a seat. Extensions count in
    their own turn only. `outages`: from when to when the bot couldn't be reached; the clock stands meanwhile.
    """
    timetable, is_set, asked, absent, extra = default, False, False, False, 0
    pauses: list[Span] = []
    for note in notes:
        match note.what:
            case SetClock(timetable=given, at=at):
                timetable, is_set = given, True
                began, extra, asked = max(began, at), 0, False
            case PauseClock(absent=True) if note.n <= turn_row:
                pass  # somebody was there, or there would be no new turn
            case PauseClock(at=at, absent=by_itself) if not pauses or pauses[-1].end is not None:
                pauses.append(Span(at, None))
                absent = by_itself
            case ResumeClock(at=at) if pauses and pauses[-1].end is None:
                pauses[-1] = Span(pauses[-1].start, at)
            case ExtendTurn(seconds=seconds) if note.n > turn_row:
                extra, asked = extra + seconds, False
            case AskReferee() if note.n > turn_row:
                asked = True
            case Reseat(seat=seat, at=at) if note.n > turn_row and seat in waiting:
                began, extra, asked = max(began, at), 0, False
            case _:
                pass
    kept = [span for span in pauses if span.end is None or span.end > began]
    stopped_at = kept[-1].start if kept and kept[-1].end is None else None
    away = [Span(*span) for span in outages if span[1] > began and (stopped_at is None or span[0] < stopped_at)]
    seconds = sum((span.end or 0) - max(span.start, began) for span in away)
    turn = Turn(began, extra, (*away, *kept))
    return Clock(timetable, turn, is_set, asked, absent and turn.is_paused, seconds)


def nobody_there(notes: Sequence[Note], last_move: int, waiting: Collection[Seat]) -> bool:
    """Return whether a whole round has gone by without anybody, so that a fight shouldn't go on by itself.

    It has if the clock has played for all who are waited for now, since a person last did something: in the game by row
    `last_move`, or to the table. `notes`: the journal's, in order.
    """
    away: set[Seat] | None = None
    for note in reversed(notes):
        if note.n < last_move or not isinstance(note.what, Away):
            break
        away = {*(away or ()), *note.what.seats}
    return away is not None and away.issuperset(waiting)
