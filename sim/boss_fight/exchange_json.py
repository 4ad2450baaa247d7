"""An exchange as JSON that other programs write: `{"boss": …, "tokens": […]}` to a question, or where it is wrong.

The boss is an object or the name of a known one. A token is an object with `traits` and, if it likes, `element` and
`kind`. A trait is a name of the game's table, or an object with figures and flags; with a `name` of the table, what it
leaves out is looked up, else it is 0 or no.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from sim.boss_fight.bosses import KNOWN, known_boss
from sim.boss_fight.exchange import ExchangeRequest
from sim.boss_fight.traits import Kind, kind_of, nearest_trait, one_meaning, rows_named
from sim.boss_fight.values import (
    FIGURES,
    FLAGS,
    MAX_FIGURE,
    MAX_LEVEL,
    MAX_TOKENS,
    MAX_TRAITS,
    Boss,
    Deck,
    Element,
    Token,
    Trait,
)
from sim.core.canonical_json import read_strict
from sim.core.csv_cells import quoted
from sim.core.errors import RuleError
from sim.core.names import check_name, name_key

MAX_TEXT = 16 << 20
"""Characters of the longest text that is read."""

_MAX_NAME = 40
_MOST_DIGITS = 40
_BESIDE = frozenset({"id", "name", "expected", "source", "note"})
"""What may stand beside boss and tokens: worked examples carry these."""

_OTHER_NAMES: Mapping[str, str] = {
    "hp": "health",
    "phy_pen": "physical_penetration",
    "phy_res": "physical_resistance",
    "mag_pen": "magical_penetration",
    "mag_res": "magical_resistance",
    "trait": "name",
    "token": "name",
}
_CUT = re.compile(r"[,;:@()]")


def read_exchange(text: str) -> ExchangeRequest:
    """Read the question; RuleError with the place of the first thing that is wrong."""
    if len(text) > MAX_TEXT:
        raise RuleError(f"The text has {len(text):,} characters; at most {MAX_TEXT:,} are read.")
    try:
        data = read_strict(text, _int)
    except json.JSONDecodeError as error:
        raise RuleError(f"Line {error.lineno}, column {error.colno}: this is no JSON ({error.msg}).") from None
    except (ValueError, RecursionError) as error:
        reason = error if isinstance(error, ValueError) else "it is nested too deeply"
        raise RuleError(f"This is no JSON that can be used: {reason}.") from None
    fields = _fields(data, "", {"boss", "tokens"} | _BESIDE)
    for name in ("boss", "tokens"):
        if name not in fields:
            raise RuleError(f"The field {name} is missing.")
    return ExchangeRequest(boss=_boss(fields["boss"]), deck=_deck(fields["tokens"]))


def _int(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError("a number in it has too many digits")
    return int(text)


def _wrong(place: str, message: str) -> NoReturn:
    raise RuleError(f"{place}: {message}" if place else message)


def _fields(data: object, place: str, known: set[str]) -> dict[str, Any]:
    """Return an object's fields by the names used here."""
    if not isinstance(data, dict):
        _wrong(place, "An object in braces is needed here.")
    found: dict[str, Any] = {}
    for written, value in data.items():
        name = _OTHER_NAMES.get(written, written) if place else written
        if name not in known:
            _wrong(place, f"There is no field {quoted(written)}.")
        if name in found:
            _wrong(place, f"The field {name} stands twice.")
        found[name] = value
    return found


def _boss(data: object) -> Boss:
    if isinstance(data, str):
        known = known_boss(data)
        if known is None:
            names = " and ".join(boss.name for boss in KNOWN)
            _wrong("boss", f"There is no boss called {quoted(data)}; known are {names}.")
        return known
    fields = _fields(data, "boss", {"name", "level", "element", *FIGURES, *FLAGS})
    values = _fighting(fields, "boss")
    if not values.get("health"):
        _wrong("boss.health", "A boss has a health of 1 or more.")
    level = _number(fields.get("level", 1), "boss.level", MAX_LEVEL)
    name = _name(fields.get("name", "The boss"), "boss.name")
    return Boss.model_validate({"name": name, "level": level, "element": _element(fields, "boss"), **values})


def _deck(data: object) -> Deck:
    items = _list(data, "tokens", MAX_TOKENS)
    tokens: list[Token] = []
    taken: set[str] = set()
    for number, item in enumerate(items):
        place = f"tokens[{number}]"
        fields = _fields(item, place, {"name", "kind", "element", "traits"})
        labels = [_name(fields[name], f"{place}.{name}", cut=True) for name in ("name", "kind") if name in fields]
        label = (labels or ["token"])[0]
        traits = _list(fields.get("traits"), f"{place}.traits", MAX_TRAITS)
        kind = next(filter(None, map(kind_of, labels)), None)
        tokens.append(
            Token(
                name=_free(label, number, taken),
                element=_element(fields, place),
                traits=tuple(_trait(trait, f"{place}.traits[{at}]", kind, at) for at, trait in enumerate(traits)),
            )
        )
    return Deck(tokens=tuple(tokens))


def _free(label: str, number: int, taken: set[str]) -> str:
    """Return a name that no token has yet."""
    name = label
    while name_key(name) in taken:
        number += 1
        name = f"{label[: _MAX_NAME - 6].strip()} {number}"
    taken.add(name_key(name))
    return name


def _list(data: object, place: str, most: int) -> list[Any]:
    if not isinstance(data, list) or not data:
        _wrong(place, "A list in brackets is needed here, with at least one entry.")
    if len(data) > most:
        _wrong(place, f"There are {len(data):,} entries; at most {most} are allowed.")
    return data


def _trait(data: object, place: str, kind: Kind | None, at: int) -> Trait:
    if isinstance(data, str):
        return _looked_up(data, place, kind)
    fields = _fields(data, place, {"name", *FIGURES, *FLAGS})
    values: dict[str, object] = dict(_fighting(fields, place))
    if "name" not in fields:
        return Trait.model_validate({"name": f"trait {at + 1}", **values})
    name = _name(fields["name"], f"{place}.name", cut=True)
    known = None if len(values) == len(FIGURES) + len(FLAGS) else one_meaning(rows_named(name, kind))
    if known is not None:
        return Trait.model_validate({**known.model_dump(), **values})
    if not values:
        return _looked_up(name, place, kind)
    return Trait.model_validate({"name": name, **values})


def _looked_up(name: str, place: str, kind: Kind | None) -> Trait:
    rows = rows_named(name, kind)
    trait = one_meaning(rows)
    if trait is None:
        if rows:
            kinds = ", ".join(dict.fromkeys(row.kind.value for row in rows))
            _wrong(place, f"{quoted(name)} differs between tokens ({kinds}): say the token's kind.")
        near = nearest_trait(name, kind)
        hint = f" Did you mean {near}?" if near else ""
        _wrong(place, f"The game's table has no trait {quoted(name)} for this token.{hint}")
    return trait


def _fighting(fields: Mapping[str, object], place: str) -> dict[str, int | bool]:
    readers: dict[str, Callable[[object, str], int | bool]] = dict.fromkeys(FIGURES, _figure)
    readers |= dict.fromkeys(FLAGS, _flag)
    return {name: read(fields[name], f"{place}.{name}") for name, read in readers.items() if name in fields}


def _figure(value: object, place: str) -> int:
    return _number(value, place, MAX_FIGURE)


def _number(value: object, place: str, most: int) -> int:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if not whole or isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        _wrong(place, f"A whole number from 0 to {most:,} is needed here.")
    return int(value)


def _flag(value: object, place: str) -> bool:
    words: Mapping[object, bool] = {0: False, 1: True, "N": False, "Y": True}
    try:
        return words[value]
    except (KeyError, TypeError):
        _wrong(place, "Either true or false is needed here.")


def _name(value: object, place: str, *, cut: bool = False) -> str:
    if not isinstance(value, str):
        _wrong(place, "A name in quotes is needed here.")
    name = _CUT.sub(" ", value).strip() if cut else value
    wrong = check_name(name, _MAX_NAME)
    if wrong is not None:
        _wrong(place, f"The name {wrong}.")
    return name


def _element(fields: Mapping[str, object], place: str) -> Element | None:
    value = fields.get("element")
    if value is None:
        return None
    known = {name_key(element): element for element in Element}
    key = name_key(value) if isinstance(value, str) else None
    if key in {"", "none"}:
        return None
    if key not in known:
        _wrong(f"{place}.element", f"One of {', '.join(Element)} is needed here, or null.")
    return known[key]
