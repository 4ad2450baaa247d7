"""What the journal's rows about the table say, and the clock as it follows from them.

These notes are sealed like steps, with their time, and name seats but no people. A row about a seat has beside its
seal, as its actor, who sits there from then on.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from bot.battles.clock.settings import clock_text, duration_text
from bot.battles.clock.timetable import Length, Span, Timetable, Turn, acts_at, due_at, warns_at
from sim.core.battle import REFEREE, Seat
from sim.core.canonical_json import canonical
from sim.core.journal import Entry, JournalRow, Kind
from sim.core.narration import seat_phrase, table_line
from sim.core.values import Frozen

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


class ResumeClock(_Note):
    """The clock goes on."""

    do: Literal["go-on"] = "go-on"


class ExtendTurn(_Note):
    """This turn lasts longer."""

    do: Literal["extend"] = "extend"
    seconds: Length


class AskReferee(_Note):
    """The time was up, and the referee was asked."""

    do: Literal["ask"] = "ask"


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


class HandOver(_Note):
    """The battle has another referee."""

    do: Literal["hand-over"] = "hand-over"


class CloseJoining(_Note):
    """Nobody may join any more."""

    do: Literal["close"] = "close"


class OpenJoining(_Note):
    """People may join again."""

    do: Literal["open"] = "open"


ClockNote: TypeAlias = SetClock | PauseClock | ResumeClock | ExtendTurn | AskReferee | Away
SeatNote: TypeAlias = Reseat | Unseat | HandOver | CloseJoining | OpenJoining
AnyNote: TypeAlias = ClockNote | SeatNote

_READER: TypeAdapter[AnyNote] = TypeAdapter(Annotated[AnyNote, Field(discriminator="do")])


@dataclass(frozen=True, slots=True)
class Note:
    """A note with the number of its row, and beside the seal who came to sit down."""

    n: int
    what: AnyNote
    actor: str | None = None


def kind_of(note: AnyNote) -> Kind:
    """Return the kind of a note's row."""
    return Kind.CLOCK if isinstance(note, ClockNote) else Kind.SEATS


def note_json(note: AnyNote) -> str:
    """Return a note as the canonical text of a row's action."""
    return canonical(note.model_dump(mode="json"))


def read_note(row: JournalRow | Entry) -> Note:
    """Return the note of a row; pydantic.ValidationError (a ValueError) if it holds none."""
    if isinstance(row, Entry):
        return Note(row.n, _READER.validate_python(row.action), row.actor)
    return Note(row.n, _READER.validate_json(row.action_json), row.actor)


def note_line(note: AnyNote) -> str:
    """Return what was done as a sentence for the log, without names of people."""
    match note:
        case SetClock():
            return f"The clock is set: {timetable_text(note.timetable)}."
        case ExtendTurn():
            return f"This turn lasts {duration_text(note.seconds)} longer."
        case Reseat():
            who = "The bot" if note.bot else "The referee" if note.referee else "Another player"
            return f"{who} took over {taken_over(note)}."
        case Away():
            who = " and ".join(map(seat_phrase, note.seats)) or "everybody"
            return f"{who[:1].upper()}{who[1:]} {away_text(note)}."
        case PauseClock(absent=True):
            return "Nobody was there for a whole round, so the clock is stopped."
        case _:
            return table_line(note.do, note.seat if isinstance(note, Unseat) else REFEREE)


def taken_over(note: Reseat) -> str:
    """Return what was taken over and when: "the attacker in round 2"."""
    return f"{seat_phrase(note.seat)} {note.when}".strip()


def away_text(note: Away) -> str:
    """Return what came of it that somebody was away, without who."""
    are = "are" if len(note.seats) > 1 else "is"
    return f"{are} away, so {'the turn passes' if note.passed else 'Fracas plays for them'}"


def timetable_text(timetable: Timetable) -> str:
    """Return a timetable in a few words."""
    parts = []
    if timetable.hour is not None:
        least = "" if timetable.turn is None else f" after at least {duration_text(timetable.turn)}"
        parts.append(f"turns end at {clock_text(timetable.hour)} {timetable.zone}{least}")
    elif timetable.turn is not None:
        parts.append(f"{duration_text(timetable.turn)} a turn")
    else:
        return "no time limit"
    if timetable.warning:
        parts.append(f"a warning {duration_text(timetable.warning)} before")
    if timetable.grace:
        parts.append(f"{duration_text(timetable.grace)} of grace")
    if timetable.quiet is not None:
        quiet = timetable.quiet
        parts.append(f"quiet from {clock_text(quiet.start)} to {clock_text(quiet.end)} {timetable.zone}")
    return ", ".join(parts)


def latest(notes: Sequence[Note], version: int) -> Iterable[Note]:
    """Return the notes that nothing has followed since: the last rows of a journal of `version` rows."""
    found: list[Note] = []
    for note in reversed(notes):
        if note.n != version - len(found):
            break
        found.append(note)
    return reversed(found)


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
