"""Queries: what players ask. Each field says how a command and a form take it, and how it is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, Self, get_args

import discord

from bot.ui.modals import choice_field, text_field
from bot.ui.options import Options, Private
from sim.core.errors import RuleError
from sim.csv.table import read_whole
from sim.workers import Job

_MAX_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Entry:
    """How a form takes a field of a query: as text, as a whole number with `limits`, or as one of the `choices`.

    `length`: the most characters. `if_given`: whether the form has it only if it was given before. An
    empty text is None where the field's type has it.
    """

    label: str
    length: int = _MAX_DIGITS
    hint: str | None = None
    long: bool = False
    limits: tuple[int, int] | None = None
    choices: Mapping[str, str] | None = None
    if_given: bool = False

    def field(self, name: str, value: object) -> discord.ui.Label[Any]:
        """Return the form's field, filled with a value."""
        text = None if value is None else str(value)
        if self.choices is not None:
            return choice_field(name, self.label, self.choices, text, hint=self.hint)
        return text_field(name, self.label, text, max_length=self.length, hint=self.hint, long=self.long)

    def read(self, name: str, typed: str, *, optional: bool) -> object:
        """Return the value of what was typed; RuleError if it isn't a number within the limits."""
        if optional and not typed.strip():
            return None
        if self.limits is not None:
            return read_number(typed, name.replace("_", " ").capitalize(), *self.limits)
        return typed.strip() if optional else typed


class Query(Options):
    """What a player asked, as typed. It is stored as JSON, so a new field needs a default.

    A field that a command takes carries an `Option`, one that the form takes an `Entry`, in the order of the fields.
    `private`: whether its asker alone sees the answer. `channel_id`: where it was asked, None before it is stored.
    """

    private: Private = False
    channel_id: int | None = None

    def request(self) -> Job[Any]:
        """Read everything typed; RuleError with all that is wrong, TextError with its place."""
        raise NotImplementedError

    def uploads(self) -> Sequence[str]:
        """Return the hashes of the uploads that the query names; they are kept as long as it is."""
        return ()

    @property
    def recent_text(self) -> str | None:
        """The text to offer this player again, if any."""
        return None

    def fields(self) -> Sequence[discord.ui.Label[Any]]:
        """Return the form's fields (at most 5), filled with what was typed."""
        shown = [(name, entry, getattr(self, name)) for name, entry in self._entries()]
        return [entry.field(name, value) for name, entry, value in shown if value is not None or not entry.if_given]

    def filled(self, values: Mapping[str, str]) -> Self:
        """Return the query with the form's values, by the fields' ids; RuleError for what isn't a number."""
        changes: dict[str, object] = {}
        for name, entry in self._entries():
            old = getattr(self, name)
            optional = NoneType in get_args(type(self).model_fields[name].annotation)
            if entry.choices is None:
                changes[name] = entry.read(name, values.get(name, ""), optional=optional)
            elif values.get(name) in entry.choices:
                changes[name] = type(old)(values[name])
        return self.model_copy(update=changes)

    @classmethod
    def _entries(cls) -> Sequence[tuple[str, Entry]]:
        return [
            (name, entry)
            for name, field in cls.model_fields.items()
            for entry in field.metadata
            if isinstance(entry, Entry)
        ]


def read_number(text: str, what: str, minimum: int, maximum: int) -> int:
    """Return a whole number; RuleError, which names the field `what`, if it isn't one or is out of range."""
    try:
        number = read_whole(text.strip())
    except ValueError as error:
        raise RuleError(f"{what}: {error}.") from None
    if not minimum <= number <= maximum:
        raise RuleError(f"{what}: from {minimum:,} to {maximum:,}.")
    return number
