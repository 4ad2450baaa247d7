"""Reads a line that somebody typed or pasted at the offline table: a command to run, one that lacks something, or chat."""

from collections.abc import Mapping
from dataclasses import dataclass

Value = str | bool
"""An option's value as simcord's action `run_command` takes it: numbers and the ids of people as decimal text."""


@dataclass(frozen=True, slots=True)
class Run:
    """A command to run: its qualified name, such as "aa need", and its options by name."""

    command: str
    options: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Missing:
    """A command that can't run yet, and `sentence`, which says why.

    `option`: the field to fill, or to fill anew; None if the command itself isn't known, and `command` is the nearest
    one. `is_file`: the field takes a file. `options`: what could be read.
    """

    command: str
    options: Mapping[str, Value]
    option: str | None
    is_file: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Chat:
    """Text that is no command."""

    text: str


@dataclass(frozen=True, slots=True)
class Commands:
    """What a line is read by; `Commands.of(bot, people)` makes it."""


def understand(text: str, commands: Commands) -> Run | Missing | Chat:
    """Read a line; whatever it says, it is one of the three."""
    return Chat(text)
