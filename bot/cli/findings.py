"""What `fracas check` finds."""

from dataclasses import dataclass
from enum import StrEnum


class Grade(StrEnum):
    """How a thing stands; only what is BAD keeps something from working."""

    OK = "ok"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """How one thing stands, and, where it isn't in place, what to do."""

    thing: str
    grade: Grade
    text: str

    def __str__(self) -> str:
        text = "".join(character if character.isprintable() else "?" for character in self.text)  # servers' names
        return f"{self.grade:<4}  {self.thing:<9} {text}"


def ok(thing: str, text: str) -> Finding:
    """Return that a thing is in place."""
    return Finding(thing, Grade.OK, text)


def note(thing: str, text: str) -> Finding:
    """Return what is worth knowing."""
    return Finding(thing, Grade.NOTE, text)


def bad(thing: str, text: str) -> Finding:
    """Return what must be mended, and how."""
    return Finding(thing, Grade.BAD, text)
