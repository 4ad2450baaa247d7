"""The clock of a battle's turn, and whom the battle waits for: a fold over the journal's rows about clock and seats."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from bot.battles.notes import AskReferee, Away, ExtendTurn, Note, PauseClock, Reseat, ResumeClock, SetClock
from bot.battles.timetable import Span, Timetable, Turn, acts_at, due_at, warns_at
from sim.core.battle import Seat


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


@dataclass(frozen=True, slots=True)
class Awaited:
    """A turn: the seats that it waits for, none for anybody's.

    `turn` names it within its battle and no other; it stays the same while the turn lasts. `where`: which turn it is,
    for players, such as "round 3".
    """

    turn: str
    seats: tuple[Seat, ...]
    where: str
