"""Reads a line typed or pasted at the offline table: a command to run, one that lacks something, or chat."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from discord import AppCommandOptionType, app_commands

from bot.client import Client
from bot.games import Games, PlainLine
from bot.help import AnyCommand, all_commands
from sim.core.names import nearest

Value = str | bool
"""An option's value as simcord's action `run_command` takes it: numbers and the ids of people as decimal text."""

_VERSUS: Final = re.compile(r"\s+(?:vs?\.?|versus|against)\s+", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"([^"]*)"(?!\S)|“([^“”]*)”(?!\S)')
_LARGEST: Final = 2**53 - 1  # the largest number that Discord takes
_MOST_WORDS = 3  # of a command's name: group, group in it, command
_SHOWN = 40  # characters of what was typed that a sentence repeats


@dataclass(frozen=True, slots=True)
class Line:
    """A command as it was read: its qualified name, such as "pig chance", and its options by name.

    `sentence`: why it can't run yet, "" if it can. `option`: the field to fill, or to fill anew; `is_file`: it takes a
    file. None if no field is wrong: the command isn't known, and `command` is the nearest one or empty, or there is
    more text than fields.
    """

    command: str
    options: Mapping[str, Value]
    sentence: str = ""
    option: str | None = None
    is_file: bool = False


@dataclass(frozen=True, slots=True)
class Commands:
    """What lines are read by: the commands by their names, the ids of the people here by theirs, the plain lines."""

    by_name: Mapping[str, AnyCommand]
    people: Mapping[str, int]
    plain: Sequence[PlainLine]

    @classmethod
    def of(cls, bot: Client, people: Mapping[str, int]) -> "Commands":
        """Return those of a bot whose commands are loaded."""
        plain = tuple(filter(None, (loaded.game.plain_line for loaded in bot.services[Games])))
        return cls(all_commands(bot), people, plain)


def understand(text: str, commands: Commands) -> Line | None:
    """Read a line; None for chat, which is whatever is no command.

    Options are named (`chance:75`) or not: text without a name fills the required ones in their order, then the others.
    An option named twice counts once; the second time it is text.
    """
    line = text.strip()
    if not line.startswith("/"):
        command = next((plain.command for plain in commands.plain if plain.reads(line)), None)
        return None if command is None else _Reader(command, commands).read(line)
    words = line.removeprefix("/").split(maxsplit=_MOST_WORDS)
    for count in range(min(_MOST_WORDS, len(words)), 0, -1):
        name = " ".join(words[:count]).casefold()
        if name in commands.by_name:
            return _Reader(name, commands).read("".join(line.removeprefix("/").split(maxsplit=count)[count:]))
    return _unknown(words, commands)


def _unknown(words: Sequence[str], commands: Commands) -> Line:
    typed = " ".join(words[:2]).casefold()
    group = [name for name in commands.by_name if words and name.startswith(f"{words[0].casefold()} ")]
    name = nearest(typed if group else typed.partition(" ")[0], {name: name for name in group or commands.by_name})
    if group and len(words) == 1:
        sentence = f"/{words[0]} is only the beginning: {', '.join(f'/{each}' for each in group)}."
    else:
        hint = "Type / to see them all." if name is None else f"Did you mean /{name}?"
        sentence = f"There is no command /{_short(' '.join(words[:2] if group else words[:1]))}. {hint}"
    return Line(name or "", {}, sentence)


class _Reader:
    """Reads the options of one command."""

    def __init__(self, name: str, commands: Commands) -> None:
        self._name = name
        self._parameters = {each.display_name: each for each in commands.by_name[name].parameters}
        self._people = commands.people
        self._options: dict[str, Value] = {}
        self._faults: dict[str | None, str] = {}
        self._named = re.compile(rf"(?<!\S)({'|'.join(map(re.escape, self._parameters)) or '(?!)'}):", re.IGNORECASE)

    def read(self, text: str) -> Line:
        """Read what follows the command's name."""
        free = self._take_last(self._take_named(text))
        waiting = sorted(self._unread, key=lambda parameter: not parameter.required)
        for parameter, following in zip(waiting, [*waiting, None][1:], strict=True):
            if not free:
                break
            free = self._take(parameter, free, following)
        if free and not self._faults:
            self._faults[None] = f"/{self._name} takes no more than that: what is “{_short(free)}”?"
        for parameter in self._unread:
            if parameter.required:
                self._faults[parameter.display_name] = (
                    f"/{self._name} needs {parameter.display_name}: {parameter.description.rstrip('.')}."
                )
        if not self._faults:
            return Line(self._name, self._options)
        option, sentence = next(iter(self._faults.items()))
        is_file = option is not None and self._parameters[option].type is AppCommandOptionType.attachment
        return Line(self._name, self._options, sentence, option, is_file)

    @property
    def _unread(self) -> list[app_commands.Parameter]:
        known = {*self._options, *self._faults}
        return [parameter for name, parameter in self._parameters.items() if name not in known]

    def _take_named(self, text: str) -> str:
        """Read the options that are named; return the text without a name."""
        places: dict[str, re.Match[str]] = {}
        for place in self._named.finditer(text):
            places.setdefault(place[1].casefold(), place)
        starts = [place.start() for place in places.values()]
        free = [text[: min(starts, default=len(text))]]
        for (name, place), end in zip(places.items(), [*starts[1:], len(text)], strict=False):
            value, parameter = text[place.end() : end].strip(), self._parameters[name]
            if value or parameter.type is AppCommandOptionType.attachment:
                free.append(self._take(parameter, value, None))
        return " ".join(free).strip()

    def _take_last(self, text: str) -> str:
        """Read a last word that can only be the last required option's, such as a number; return the other text."""
        required = [parameter for parameter in self._unread if parameter.required]
        head, _, word = text.rpartition(" ")
        if len(required) > 1 and not _is_text(required[-1]) and self._value(required[-1], word)[0] is not None:
            return self._take(required[-1], word, None) or head.strip()
        return text

    def _take(self, parameter: app_commands.Parameter, text: str, following: app_commands.Parameter | None) -> str:
        """Read an option from the beginning of a text and return the rest; all is read if it can't be this.

        `following`: the option that gets what is left.
        """
        name = parameter.display_name
        value, rest = self._text(parameter, text, following) if _is_text(parameter) else self._value(parameter, text)
        if value is None:
            typed = f", not “{_short(text)}”" if text else ""
            self._faults[name] = f"{name} {self._wanted(parameter)}{typed}."
            return ""
        low, high = parameter.min_value or 1, parameter.max_value or math.inf
        if isinstance(value, str) and _is_text(parameter) and not low <= len(value) <= high:
            self._faults[name] = f"{name} can't have {len(value):,} characters."
            return ""
        self._options[name] = value
        return rest

    def _text(
        self, parameter: app_commands.Parameter, text: str, following: app_commands.Parameter | None
    ) -> tuple[str, str]:
        quoted = _QUOTED.match(text)
        shared = following is not None and _is_text(following) and following.required == parameter.required
        if quoted is not None and (shared or quoted.end() == len(text)):
            return quoted[1] or quoted[2] or "", _VERSUS.sub("", f" {text[quoted.end() :].lstrip()}", count=1).strip()
        parts = _VERSUS.split(text, maxsplit=1) if shared else []
        if len(parts) == len(("this", "following")):
            return parts[0], parts[1]
        if shared and parameter.required:
            word, _, rest = text.partition(" ")
            return word, rest.strip()
        return text, ""

    def _value(self, parameter: app_commands.Parameter, text: str) -> tuple[Value | None, str]:
        """Return the value at the beginning of a text, None if there is none, and the rest."""
        labels = self._labels(parameter)
        for label in sorted(labels, key=len, reverse=True):
            if found := re.match(rf"{re.escape(label)}(?!\S)", text, re.IGNORECASE):
                return labels[label], text[found.end() :].strip()
        if labels:
            return None, text
        word, _, rest = text.partition(" ")
        try:
            return _number(parameter, word), rest.strip()
        except ValueError:
            return None, text

    def _labels(self, parameter: app_commands.Parameter) -> dict[str, Value]:
        """Return how each value may be spelled; nothing for numbers and files."""
        if parameter.choices:
            return {str(label): str(each.value) for each in parameter.choices for label in (each.value, each.name)}
        match parameter.type:
            case AppCommandOptionType.boolean:
                return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
            case AppCommandOptionType.user:
                return {
                    label: str(number)
                    for name, number in self._people.items()
                    for label in (f"@{name}", name, f"<@{number}>", f"<@!{number}>", str(number))
                }
        return {}

    def _wanted(self, parameter: app_commands.Parameter) -> str:
        """Return what an option takes."""
        if parameter.choices:
            return f"is one of {', '.join(f'“{each.name}”' for each in parameter.choices)}"
        match parameter.type:
            case AppCommandOptionType.boolean:
                return "is true or false"
            case AppCommandOptionType.user:
                return f"is one of {', '.join(self._people)}"
            case AppCommandOptionType.integer | AppCommandOptionType.number:
                kind = "a whole number" if parameter.type is AppCommandOptionType.integer else "a number"
                ends = {"from": parameter.min_value, "to": parameter.max_value}
                return " ".join(["is", kind, *(f"{word} {end:,}" for word, end in ends.items() if end is not None)])
            case AppCommandOptionType.attachment:
                return "takes a file that you choose"
        return "is chosen from a list"


def _is_text(parameter: app_commands.Parameter) -> bool:
    return parameter.type is AppCommandOptionType.string and not parameter.choices


def _number(parameter: app_commands.Parameter, word: str) -> str | None:
    """Return a number as Discord writes it, None if it isn't one or out of range; ValueError for other text."""
    plain = word.removeprefix("#").removesuffix("%")
    match parameter.type:
        case AppCommandOptionType.integer:
            number: float = int(plain)
        case AppCommandOptionType.number:
            number = float(plain)
        case _:
            return None
    low = -_LARGEST if parameter.min_value is None else parameter.min_value
    high = _LARGEST if parameter.max_value is None else parameter.max_value
    return str(number) if math.isfinite(number) and low <= number <= high else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
