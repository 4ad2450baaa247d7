"""Boss fights in a terminal: `boss-exchange`, of a deck as text or of an exchange as JSON that other programs write.

The JSON is `{"boss": …, "tokens": […]}`. The boss is an object, or the name of one of the game's own. A token is an
object with `traits` and optionally `element` and `kind`. A trait is a name from the game's table, or an object with
figures and flags; if its `name` is in the table, what it leaves out is looked up, otherwise it is 0 or false.
"""

import argparse
import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from sim.boss_fight.exact import digits
from sim.boss_fight.exchange import transcript
from sim.boss_fight.presets import KNOWN_BOSSES, known_boss
from sim.boss_fight.reports import ExchangeReport
from sim.boss_fight.requests import DeckRequest, ExchangeRequest
from sim.boss_fight.traits import Kind, find_trait, kind_of, kinds_with, nearest_trait
from sim.boss_fight.values import (
    ELEMENT_NAMES,
    FIGURES,
    FLAGS,
    MAX_FIGURE,
    MAX_LEVEL,
    MAX_NAME,
    MAX_TOKENS,
    MAX_TRAITS,
    SEPARATORS,
    Boss,
    Deck,
    Element,
    Token,
    Trait,
)
from sim.core.canonical_json import read_strict
from sim.core.console import add_json, read_file
from sim.core.errors import RuleError
from sim.core.names import check_name, name_key
from sim.csv.table import quote

MAX_TEXT = 16 << 20
"""Characters of the longest text."""

_MAX_DIGITS = 40
_IGNORED = frozenset({"id", "name", "expected", "source", "note"})
"""Fields beside boss and tokens in worked examples."""

_OTHER_NAMES: Mapping[str, str] = {
    "hp": "health",
    "phy_pen": "physical_penetration",
    "phy_res": "physical_resistance",
    "mag_pen": "magical_penetration",
    "mag_res": "magical_resistance",
    "trait": "name",
    "token": "name",
}
_SEPARATOR = re.compile(f"[{SEPARATORS}]")

_BOSSES = ", ".join(boss.name for boss in KNOWN_BOSSES)


def add_exchange(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `boss-exchange`."""
    command.add_argument(
        "deck",
        metavar="DECK",
        help='the tokens as text, such as "hero: V, Epic @Fire", or a file such as FILE.json with '
        '{"boss": …, "tokens": [{"element", "traits"}, …]}',
    )
    command.add_argument("--boss", metavar="NAME", help=f"who fights them: {_BOSSES}; needed with a text")
    add_json(command)
    command.set_defaults(command=_exchange)


def _exchange(arguments: argparse.Namespace) -> None:
    boss = None if arguments.boss is None else known_boss(arguments.boss)
    if boss is None and arguments.boss is not None:
        raise RuleError(_no_boss(arguments.boss))
    if _is_file(arguments.deck):
        request = read_exchange(_text_of(Path(arguments.deck)))
        request = request if boss is None else request.model_copy(update={"boss": boss})
    else:
        deck = DeckRequest(text=arguments.deck).run()
        if boss is None:
            raise RuleError(f"Say with --boss who fights this deck: {_BOSSES}.")
        request = ExchangeRequest(boss=boss, deck=deck)
    report = request.run()
    print(_figures_json(report) if arguments.json else transcript(report), end="")


def _no_boss(name: str) -> str:
    return f"There is no boss called {quote(name)}; there are {_BOSSES}."


def _is_file(text: str) -> bool:
    try:
        return bool(text) and (text.casefold().endswith(".json") or Path(text).exists())
    except OSError:  # too long to be a name
        return False


def _text_of(file: Path) -> str:
    try:
        return read_file(file, MAX_TEXT).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RuleError(f"{file.name} is not UTF-8: byte {error.start + 1} is none.") from None


def _figures_json(report: ExchangeReport) -> str:
    """Return the figures as a JSON object with every digit, which `json` would round."""
    figures: dict[str, Fraction | int] = {
        "player_hp": report.player_health,
        "physical_damage_to_boss": report.to_boss.physical,
        "magical_damage_to_boss": report.to_boss.magical,
        "damage_to_boss": report.to_boss.total,
        "boss_hp_left": report.boss_left,
        "stacked_physical": report.stacked_physical,
        "stacked_magical": report.stacked_magical,
        "stacked_element": report.stacked_element,
        "damage_to_player": report.to_player.total,
        "player_hp_left": report.player_left,
    }
    lines = ",\n".join(f' "{name}": {digits(Fraction(value))}' for name, value in figures.items())
    return f"{{\n{lines}\n}}\n"


def read_exchange(text: str) -> ExchangeRequest:
    """Read the request; RuleError with the place of the first mistake."""
    if len(text) > MAX_TEXT:
        raise RuleError(f"The text has {len(text):,} characters; at most {MAX_TEXT:,} are read.")
    try:
        data = read_strict(text, _read_int)
    except json.JSONDecodeError as error:
        raise RuleError(f"Line {error.lineno}, column {error.colno}: this is no JSON ({error.msg}).") from None
    except (ValueError, RecursionError) as error:
        reason = error if isinstance(error, ValueError) else "it is nested too deeply"
        raise RuleError(f"This is no JSON that can be used: {reason}.") from None
    fields = _fields(data, "", {"boss", "tokens"} | _IGNORED)
    for name in ("boss", "tokens"):
        if name not in fields:
            raise RuleError(f"The field {name} is missing.")
    return ExchangeRequest(boss=_read_boss(fields["boss"]), deck=_read_deck(fields["tokens"]))


def _read_int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError("a number in it has too many digits")
    return int(text)


def _fail(path: str, message: str) -> NoReturn:
    raise RuleError(f"{path}: {message}" if path else message)


def _fields(data: object, path: str, known: set[str]) -> dict[str, Any]:
    """Return an object's fields under their full names."""
    if not isinstance(data, dict):
        _fail(path, "An object in braces is needed here.")
    found: dict[str, Any] = {}
    for written, value in data.items():
        name = _OTHER_NAMES.get(written, written) if path else written
        if name not in known:
            _fail(path, f"There is no field {quote(written)}.")
        if name in found:
            _fail(path, f"The field {name} is there twice.")
        found[name] = value
    return found


def _read_boss(data: object) -> Boss:
    if isinstance(data, str):
        known = known_boss(data)
        return _fail("boss", _no_boss(data)) if known is None else known
    fields = _fields(data, "boss", {"name", "level", "element", *FIGURES, *FLAGS})
    values = _stats(fields, "boss")
    if not values.get("health"):
        _fail("boss.health", "A boss needs a health of 1 or more.")
    level = _read_number(fields.get("level", 1), "boss.level", MAX_LEVEL)
    name = _read_name(fields.get("name", "The boss"), "boss.name")
    return Boss.model_validate({"name": name, "level": level, "element": _read_element(fields, "boss"), **values})


def _read_deck(data: object) -> Deck:
    items = _read_list(data, "tokens", MAX_TOKENS)
    tokens: list[Token] = []
    taken: set[str] = set()
    for number, item in enumerate(items):
        path = f"tokens[{number}]"
        fields = _fields(item, path, {"name", "kind", "element", "traits"})
        labels = [_read_name(fields[name], f"{path}.{name}", clean=True) for name in ("name", "kind") if name in fields]
        label = (labels or ["token"])[0]
        traits = _read_list(fields.get("traits"), f"{path}.traits", MAX_TRAITS)
        kind = next(filter(None, map(kind_of, labels)), None)
        tokens.append(
            Token(
                name=_unique_name(label, number, taken),
                element=_read_element(fields, path),
                traits=tuple(_read_trait(trait, f"{path}.traits[{at}]", kind, at) for at, trait in enumerate(traits)),
            )
        )
    return Deck(tokens=tuple(tokens))


def _unique_name(label: str, number: int, taken: set[str]) -> str:
    """Return a name that no other token has."""
    name = label
    while name_key(name) in taken:
        number += 1
        name = f"{label[: MAX_NAME - 6].strip()} {number}"
    taken.add(name_key(name))
    return name


def _read_list(data: object, path: str, most: int) -> list[Any]:
    if not isinstance(data, list) or not data:
        _fail(path, "A list in brackets is needed here, with at least one entry.")
    if len(data) > most:
        _fail(path, f"There are {len(data):,} entries; at most {most} are allowed.")
    return data


def _read_trait(data: object, path: str, kind: Kind | None, at: int) -> Trait:
    if isinstance(data, str):
        return _known_trait(data, path, kind)
    fields = _fields(data, path, {"name", *FIGURES, *FLAGS})
    values: dict[str, object] = dict(_stats(fields, path))
    if "name" not in fields:
        return Trait.model_validate({"name": f"trait {at + 1}", **values})
    name = _read_name(fields["name"], f"{path}.name", clean=True)
    known = None if len(values) == len(FIGURES) + len(FLAGS) else find_trait(name, kind)
    if known is not None:
        return Trait.model_validate({**known.model_dump(), **values})
    if not values:
        return _known_trait(name, path, kind)
    return Trait.model_validate({"name": name, **values})


def _known_trait(name: str, path: str, kind: Kind | None) -> Trait:
    trait = find_trait(name, kind)
    if trait is None:
        if kinds := kinds_with(name, kind):
            _fail(path, f"{quote(name)} differs between tokens ({kinds}): say the token's kind.")
        near = nearest_trait(name, kind)
        hint = f" Did you mean {near}?" if near else ""
        _fail(path, f"The game's table has no trait {quote(name)} for this token.{hint}")
    return trait


def _stats(fields: Mapping[str, object], path: str) -> dict[str, int | bool]:
    readers: dict[str, Callable[[object, str], int | bool]] = dict.fromkeys(FIGURES, _read_number)
    readers |= dict.fromkeys(FLAGS, _read_flag)
    return {name: read(fields[name], f"{path}.{name}") for name, read in readers.items() if name in fields}


def _read_number(value: object, path: str, most: int = MAX_FIGURE) -> int:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if not whole or isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        _fail(path, f"A whole number from 0 to {most:,} is needed here.")
    return int(value)


def _read_flag(value: object, path: str) -> bool:
    words: Mapping[object, bool] = {0: False, 1: True, "N": False, "Y": True}
    try:
        return words[value]
    except (KeyError, TypeError):
        _fail(path, "Either true or false is needed here.")


def _read_name(value: object, path: str, *, clean: bool = False) -> str:
    if not isinstance(value, str):
        _fail(path, "A name in quotes is needed here.")
    name = _SEPARATOR.sub(" ", value).strip() if clean else value
    wrong = check_name(name, MAX_NAME)
    if wrong is not None:
        _fail(path, f"The name {wrong}.")
    return name


def _read_element(fields: Mapping[str, object], path: str) -> Element | None:
    value = fields.get("element")
    if value is None:
        return None
    key = name_key(value) if isinstance(value, str) else "?"
    if key in {"", "none"}:
        return None
    if key not in ELEMENT_NAMES:
        _fail(f"{path}.element", f"One of {', '.join(Element)} is needed here, or null.")
    return ELEMENT_NAMES[key]
