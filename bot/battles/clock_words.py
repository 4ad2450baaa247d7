"""Times as people type and read them, and what the notes about clock and seats say in words."""

import re

from bot.battles import timetable as t
from sim.core.battle import REFEREE
from sim.core.errors import RuleError
from sim.core.journal import seat_phrase, table_line
from sim.core.numbers import quantity

_UNITS = {"day": t.DAY, "hour": t.HOUR, "minute": t.MINUTE}
_LENGTHS = {unit[0]: seconds for unit, seconds in _UNITS.items()}
_PART = re.compile(r"([0-9]{1,6})\s*(d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:utes?|s)?)?)\b[\s,]*", re.IGNORECASE)
_HOUR = re.compile(r"([0-9]{1,2})(?:[:.h]([0-9]{2}))?\s*(am|pm)?", re.IGNORECASE)
_HALF = 12
_NONE = frozenset({"", "0", "none", "no", "off", "never"})

MAX_TYPED = 40
"""Characters of a length of time as a player types it."""


def duration_text(seconds: int) -> str:
    """Return a time such as "1 day", "90 minutes" or "1 day 12 hours"; seconds are left out."""
    seconds -= seconds % t.MINUTE
    if not seconds:
        return "less than a minute"
    whole = next(unit for unit, length in _UNITS.items() if seconds >= length and seconds % length == 0)
    if whole != "minute" or seconds < 2 * t.HOUR:
        return quantity(seconds // _UNITS[whole], whole)
    parts = []
    for unit, length in _UNITS.items():
        count, seconds = divmod(seconds, length)
        parts += [quantity(count, unit)] * bool(count)
    return " ".join(parts)


def read_duration(text: str, name: str) -> int | None:
    """Return the seconds of a typed time such as "36 h" or "1 day 12 hours"; None for "none"; RuleError."""
    typed = text.strip().lower()
    if typed in _NONE:
        return None
    at = seconds = 0
    while at < len(typed):
        part = _PART.match(typed, at)
        if part is None:
            raise RuleError(f"{name}: type a time such as 24 h, 90 min or 2 days, or none.")
        seconds += int(part[1]) * _LENGTHS[part[2][0]]
        at = part.end()
    return seconds or None


def read_hour(text: str, name: str) -> int | None:
    """Return the minute of the day of a typed hour such as "20:00" or "8 pm"; None for "none"; RuleError."""
    typed = text.strip().lower()
    if typed in _NONE - {"0"}:
        return None
    found = _HOUR.fullmatch(typed)
    hour, minute = (int(found[1]), int(found[2] or 0)) if found is not None else (-1, 0)
    if found is not None and found[3]:
        hour = hour % _HALF + _HALF * (found[3] == "pm") if 1 <= hour <= _HALF else -1
    if not (0 <= hour < 24 and minute < 60):  # noqa: PLR2004  # a day's hours, an hour's minutes
        raise RuleError(f"{name}: type an hour such as 20:00 or 8 pm, or none.")
    return hour * 60 + minute


def clock_text(minute: int) -> str:
    """Return a minute of the day as "20:00"."""
    return f"{minute // 60:02}:{minute % 60:02}"


def note_line(note: t.AnyNote) -> str:
    """Return what was done as a sentence for the log, without names of people."""
    match note:
        case t.SetClock():
            return f"The clock is set: {timetable_text(note.timetable)}."
        case t.ExtendTurn():
            return f"This turn lasts {duration_text(note.seconds)} longer."
        case t.Reseat():
            who = "The bot" if note.bot else "The referee" if note.referee else "Another player"
            return f"{who} took over {taken_over(note)}."
        case t.Away():
            who = " and ".join(map(seat_phrase, note.seats)) or "everyone"
            return f"{who[:1].upper()}{who[1:]} {away_text(note, len(note.seats))}."
        case t.PauseClock(absent=True):
            return "Nobody was there for a whole round, so the clock is stopped."
        case _:
            return table_line(note.do, note.seat if isinstance(note, t.Unseat) else REFEREE)


def taken_over(note: t.Reseat) -> str:
    """Return what was taken over and when: "the attacker in round 2"."""
    return f"{seat_phrase(note.seat)} {note.when}".strip()


def away_text(note: t.Away, people: int) -> str:
    """Return what came of it that somebody was away, without who; `people`: how many."""
    are = "are" if people > 1 else "is"
    return f"{are} away, so {'the turn passes' if note.passed else 'Fracas plays for them'}"


def timetable_text(timetable: t.Timetable) -> str:
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
