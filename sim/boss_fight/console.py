"""Boss fights in a terminal: `boss-exchange`, of a deck as text or of JSON that other programs write, and `boss-odds`.

The JSON is `{"boss": …, "tokens": […]}`. The boss is an object, or the name of one of the game's own. A token is an
object with `traits` and optionally `element` and `kind`. A trait is a name from the game's table, or an object with
figures and flags; if its `name` is in the table, what it leaves out is looked up, otherwise it is 0 or false.
"""

import argparse
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from pydantic import JsonValue

from sim.boss_fight import values as v
from sim.boss_fight.exchange import ExchangeReport, ExchangeRequest, transcript
from sim.boss_fight.form_text import distinct, read_as
from sim.boss_fight.requests import DeckRequest
from sim.boss_fight.tables import KNOWN_BOSSES, known_boss
from sim.boss_fight.traits import Kind, find_trait, kind_of, kinds_with, nearest_trait
from sim.boss_fight.ways import Way, measure, parties
from sim.core.console import add_json, add_seed, print_notes, read_json
from sim.core.dice import seed_bytes
from sim.core.errors import RuleError
from sim.core.names import check_name, name_key
from sim.core.numbers import percent
from sim.csv.table import quote

_MAX_FILE = 16 << 20
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
_Reader = Callable[[object, str], Any]
"""Reads a value that stands at a path; RuleError with what is wrong."""

_SEPARATOR = re.compile(f"[{v.SEPARATORS}]")

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
        request = read_exchange(read_json(Path(arguments.deck), _MAX_FILE))
        request = request if boss is None else request.model_copy(update={"boss": boss})
    else:
        deck = DeckRequest(text=arguments.deck).run()
        if boss is None:
            raise RuleError(f"Say with --boss who fights this deck: {_BOSSES}.")
        request = ExchangeRequest(boss=boss, deck=deck)
        if (told := read_as(arguments.deck)) is not None:
            print_notes(f"Read as: {told}")
    report = request.run()
    print(_figures_json(report) if arguments.json else transcript(report), end="")


def add_odds(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `boss-odds`."""
    command.add_argument("boss", metavar="NAME", help=f"who fights them: {_BOSSES}")
    command.add_argument("--way", type=Way, choices=list(Way), help="only this way of playing")
    add_seed(command, "decides the dice")
    command.set_defaults(command=_odds)


def _odds(arguments: argparse.Namespace) -> None:
    boss = known_boss(arguments.boss)
    if boss is None:
        raise RuleError(_no_boss(arguments.boss))
    for way in list(Way) if arguments.way is None else [arguments.way]:
        report = measure(boss, way, [*parties()], seed_bytes(arguments.seed))
        share, length = report.won / report.fights, report.exchanges / report.fights
        won = percent(share, certain=share in {0, 1})
        print(f"{boss.name}, {way}: {won} of {report.fights} fights won, {length:.1f} exchanges each")


def _no_boss(name: str) -> str:
    return f"There is no boss called {quote(name)}; there are {_BOSSES}."


def _is_file(text: str) -> bool:
    try:
        return bool(text) and (text.casefold().endswith(".json") or Path(text).exists())
    except OSError:  # too long to be a name
        return False


def _figures_json(report: ExchangeReport) -> str:
    """Return the figures as a JSON object with every digit, which `json` would round."""
    figures: dict[str, Fraction | int] = {
        "player_hp": report.player_health,
        "physical_damage_to_boss": report.to_boss.physical,
        "magical_damage_to_boss": report.to_boss.magical,
        "damage_to_boss": report.to_boss.total,
        "boss_hp_left": report.boss_left,
        **{f"stacked_{kind}": stack for kind, stack in report.stacks._asdict().items()},
        "damage_to_player": report.to_player.total,
        "player_hp_left": report.player_left,
    }
    lines = ",\n".join(f' "{name}": {v.digits(Fraction(value))}' for name, value in figures.items())
    return f"{{\n{lines}\n}}\n"


def read_exchange(data: JsonValue) -> ExchangeRequest:
    """Read the request from JSON; RuleError with the place of the first mistake."""
    fields = _read_object(data, "", {"boss": _read_boss, "tokens": _read_deck, **dict.fromkeys(_IGNORED, _as_it_is)})
    for name in ("boss", "tokens"):
        if name not in fields:
            raise RuleError(f"The field {name} is missing.")
    return ExchangeRequest(boss=fields["boss"], deck=fields["tokens"])


def _fail(path: str, message: str) -> NoReturn:
    raise RuleError(f"{path}: {message}" if path else message)


def _read_object(data: object, path: str, readers: Mapping[str, _Reader]) -> dict[str, Any]:
    """Return an object's fields under their full names, each as its reader reads it."""
    if not isinstance(data, dict):
        _fail(path, "An object in braces is needed here.")
    found: dict[str, Any] = {}
    for written, value in data.items():
        name = _OTHER_NAMES.get(written, written) if path else written
        if name not in readers:
            _fail(path, f"There is no field {quote(written)}.")
        if name in found:
            _fail(path, f"The field {name} is there twice.")
        found[name] = readers[name](value, f"{path}.{name}" if path else name)
    return found


def _read_boss(data: object, path: str) -> v.Boss:
    if isinstance(data, str):
        known = known_boss(data)
        return _fail(path, _no_boss(data)) if known is None else known
    level = partial(_read_number, most=v.MAX_LEVEL)
    fields = _read_object(data, path, {"name": _read_name, "level": level, "element": _read_element, **_STATS})
    if not fields.get("health"):
        _fail(f"{path}.health", "A boss needs a health of 1 or more.")
    return v.Boss.model_validate({"name": "The boss", **fields})


def _read_deck(data: object, path: str) -> v.Deck:
    readers = {"name": _read_label, "kind": _read_label, "element": _read_element, "traits": _as_it_is}
    tokens: list[v.Token] = []
    for number, item in enumerate(_read_list(data, path, v.MAX_TOKENS)):
        here = f"{path}[{number}]"
        fields = _read_object(item, here, readers)
        labels = [fields[name] for name in ("name", "kind") if name in fields]
        kind = next(filter(None, map(kind_of, labels)), None)
        traits = _read_list(fields.get("traits"), f"{here}.traits", v.MAX_TRAITS)
        tokens.append(
            v.Token(
                name=(labels or ["token"])[0],
                element=fields.get("element"),
                traits=tuple(_read_trait(trait, f"{here}.traits[{at}]", kind, at) for at, trait in enumerate(traits)),
            )
        )
    pairs = zip(tokens, distinct([token.name for token in tokens]), strict=True)
    return v.Deck(tokens=tuple(token.model_copy(update={"name": name}) for token, name in pairs))


def _read_list(data: object, path: str, most: int) -> list[Any]:
    if not isinstance(data, list) or not data:
        _fail(path, "A list in brackets is needed here, with at least one entry.")
    if len(data) > most:
        _fail(path, f"There are {len(data):,} entries; at most {most} are allowed.")
    return data


def _read_trait(data: object, path: str, kind: Kind | None, at: int) -> v.Trait:
    if isinstance(data, str):
        return _known_trait(data, path, kind)
    values = _read_object(data, path, {"name": _read_label, **_STATS})
    name = values.pop("name", None)
    if name is None:
        return v.Trait.model_validate({"name": f"trait {at + 1}", **values})
    known = None if len(values) == len(_STATS) else find_trait(name, kind)
    if known is not None:
        return v.Trait.model_validate({**known.model_dump(), **values})
    return v.Trait.model_validate({"name": name, **values}) if values else _known_trait(name, path, kind)


def _known_trait(name: str, path: str, kind: Kind | None) -> v.Trait:
    trait = find_trait(name, kind)
    if trait is None:
        if kinds := kinds_with(name, kind):
            _fail(path, f"{quote(name)} differs between tokens ({kinds}): say the token's kind.")
        near = nearest_trait(name, kind)
        hint = f" Did you mean {near}?" if near else ""
        _fail(path, f"The game's table has no trait {quote(name)} for this token.{hint}")
    return trait


def _read_number(value: object, path: str, most: int = v.MAX_FIGURE) -> int:
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


def _read_name(name: object, path: str) -> str:
    if not isinstance(name, str):
        _fail(path, "A name in quotes is needed here.")
    wrong = check_name(name, v.MAX_NAME)
    if wrong is not None:
        _fail(path, f"The name {wrong}.")
    return name


def _read_label(name: object, path: str) -> str:
    return _read_name(_SEPARATOR.sub(" ", name).strip() if isinstance(name, str) else name, path)


def _read_element(value: object, path: str) -> v.Element | None:
    key = name_key(value) if isinstance(value, str) else "?"
    if value is None or key in {"", "none"}:
        return None
    if key not in v.ELEMENT_NAMES:
        _fail(path, f"One of {', '.join(v.Element)} is needed here, or null.")
    return v.ELEMENT_NAMES[key]


def _as_it_is(value: object, _path: str) -> object:
    return value


_STATS: Mapping[str, _Reader] = {**dict.fromkeys(v.FIGURES, _read_number), **dict.fromkeys(v.FLAGS, _read_flag)}
