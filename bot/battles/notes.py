"""What the journal's rows about the table say: what was done to the clock, and who came to sit where.

They are sealed like steps, with their time, and name seats but no people. A row about a seat has beside its seal, as
its actor, who sits there from then on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from bot.battles.duration import duration_text
from bot.battles.timetable import Length, Timetable
from sim.core.battle import REFEREE, Seat
from sim.core.canonical_json import canonical
from sim.core.journal import Entry, JournalRow, Kind
from sim.core.narration import seat_phrase, table_line
from sim.core.values import Frozen

At = Annotated[int, Field(ge=0, strict=True)]
"""When it was done, in Unix seconds."""


class SetClock(Frozen):
    """The clock was set; the turn's time begins anew."""

    do: Literal["set"] = "set"
    at: At
    timetable: Timetable


class PauseClock(Frozen):
    """The clock stands still."""

    do: Literal["pause"] = "pause"
    at: At


class ResumeClock(Frozen):
    """The clock goes on."""

    do: Literal["go-on"] = "go-on"
    at: At


class ExtendTurn(Frozen):
    """This turn lasts longer."""

    do: Literal["extend"] = "extend"
    at: At
    seconds: Length


class AskReferee(Frozen):
    """The time was up, and the referee was asked."""

    do: Literal["ask"] = "ask"
    at: At


class Reseat(Frozen):
    """Somebody else sits there from then on; `bot`: it is the bot."""

    do: Literal["replace"] = "replace"
    at: At
    seat: Seat
    bot: bool = False


class Unseat(Frozen):
    """Somebody was taken out of the battle before it began."""

    do: Literal["remove"] = "remove"
    at: At
    seat: Seat


class HandOver(Frozen):
    """The battle has another referee."""

    do: Literal["hand-over"] = "hand-over"
    at: At


class CloseJoining(Frozen):
    """Nobody may join any more."""

    do: Literal["close"] = "close"
    at: At


class OpenJoining(Frozen):
    """People may join again."""

    do: Literal["open"] = "open"
    at: At


ClockNote: TypeAlias = SetClock | PauseClock | ResumeClock | ExtendTurn | AskReferee
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
        case Reseat(bot=True):
            return f"The bot takes over {seat_phrase(note.seat)}."
        case Reseat() | Unseat():
            return table_line(note.do, note.seat)
        case _:
            return table_line(note.do, REFEREE)


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


def clock_text(minute: int) -> str:
    """Return a minute of the day as "20:00"."""
    return f"{minute // 60:02}:{minute % 60:02}"


def latest(notes: Sequence[Note], version: int) -> Iterable[Note]:
    """Return the notes that nothing has followed since: the last rows of a journal of `version` rows."""
    found: list[Note] = []
    for note in reversed(notes):
        if note.n != version - len(found):
            break
        found.append(note)
    return reversed(found)
