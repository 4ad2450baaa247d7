"""Boss fights in a terminal: `boss-exchange`, of a deck as text or of JSON that other programs write, and `boss-odds`.

The JSON is `{"boss": …, "tokens": […]}`. The boss is an object, or the name of one of the game's own. A token is an
object with `traits` and optionally `element` and `kind`. A trait is a name from the game's table, or an object with
figures and flags; if its `name` is in the table, what it leaves out is looked up, otherwise it is 0 or false.
"""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import count, product
from math import inf
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue

from sim.boss_fight import tables as t
from sim.boss_fight import values as v
from sim.boss_fight.battle import HANDS, Action, Chosen, HandMember, Join, Play, PutUp, Setup, State
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.exchange import ExchangeReport, ExchangeRequest, transcript
from sim.boss_fight.form_text import distinct, parse_deck, read_as
from sim.boss_fight.hands import MOST, Attack, set_table
from sim.boss_fight.requests import DeckRequest
from sim.core import RuleError
from sim.core.battle import ANYONE, Codec
from sim.core.console import add_json, add_seed, print_notes, read_json
from sim.core.dice import SeededDice, seed_bytes
from sim.core.names import name_key
from sim.core.numbers import percent
from sim.core.values import Frozen
from sim.csv import quote

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
_ELEMENTS: Mapping[str, v.Element | None] = {**v.ELEMENT_NAMES, "": None, "none": None}

_BOSSES = ", ".join(boss.name for boss in t.KNOWN_BOSSES)


def exchange(parser: argparse.ArgumentParser) -> None:
    """Show one exchange with all its arithmetic."""
    parser.add_argument(
        "deck",
        metavar="DECK",
        help='the tokens as text, such as "hero: V, Epic @Fire", or a file such as FILE.json with '
        '{"boss": …, "tokens": [{"element", "traits"}, …]}',
    )
    parser.add_argument("--boss", metavar="NAME", help=f"who fights them: {_BOSSES}; needed with a text")
    add_json(parser)
    arguments = parser.parse_args()
    boss = None if arguments.boss is None else _called(arguments.boss)
    if _is_file(arguments.deck):
        request = read_exchange(read_json(Path(arguments.deck), _MAX_FILE))
        request = request if boss is None else request.model_copy(update={"boss": boss})
    else:
        deck = DeckRequest(deck=arguments.deck).run()
        if boss is None:
            raise RuleError(f"Say with --boss who fights this deck: {_BOSSES}.")
        request = ExchangeRequest(boss=boss, deck=deck)
        if (told := read_as(arguments.deck)) is not None:
            print_notes(f"Read as: {told}")
    report = request.run()
    print(_figures_json(report) if arguments.json else transcript(report), end="")


def odds(parser: argparse.ArgumentParser) -> None:
    """Play every party of three ready hands against a boss, each way."""
    parser.add_argument("boss", metavar="NAME", help=f"who fights them: {_BOSSES}")
    parser.add_argument("--way", choices=[way.value for way in Way], help="only this way of playing")
    add_seed(parser, "decides the dice")
    arguments = parser.parse_args()
    boss, every = _called(arguments.boss), [*parties()]
    for way in list(Way) if arguments.way is None else [Way(arguments.way)]:
        won, exchanges = measure(boss, way, every, seed_bytes(arguments.seed))
        share = percent(won / len(every), certain=won in {0, len(every)})
        print(f"{boss.name}, {way}: {share} of {len(every)} fights won, {exchanges / len(every):.1f} exchanges each")


def _called(name: str) -> v.Boss:
    boss = t.known_boss(name)
    if boss is None:
        raise RuleError(f"There is no boss called {quote(name)}; there are {_BOSSES}.")
    return boss


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


def _plain(data: object) -> object:
    """Return an object's fields under their full names, as the game writes them; what is no object as it is."""
    if not isinstance(data, dict):
        return data
    fields: dict[str, object] = {}
    for written, value in data.items():
        name = _OTHER_NAMES.get(written, written)
        if name in fields:
            raise RuleError(f"The field {name} is there twice.")
        fields[name] = value
        if name in v.FLAGS:
            fields[name] = {"0": False, "1": True, "N": False, "Y": True}.get(f"{value}", value)
        elif name == "element" and isinstance(value, str):
            fields[name] = _ELEMENTS.get(name_key(value), value)
        elif isinstance(value, float) and value.is_integer():
            fields[name] = int(value)
    return fields


def _plain_boss(data: object) -> object:
    if isinstance(data, str):
        return _called(data)
    fields = _plain(data)
    return {"name": "The boss", **fields} if isinstance(fields, dict) else fields


def _plain_token(data: object) -> object:
    fields = _plain(data)
    if not isinstance(fields, dict):
        return fields
    labels = [_label(fields.pop(name)) for name in ("name", "kind") if isinstance(fields.get(name), str)]
    kind = next(filter(None, map(t.kind_of, labels)), None)
    if isinstance(traits := fields.get("traits"), list):
        fields["traits"] = [_plain_trait(trait, kind, number) for number, trait in enumerate(traits, start=1)]
    return {"name": (labels or ["token"])[0], **fields}


def _plain_trait(data: object, kind: t.Kind | None, number: int) -> object:
    fields = {"name": data} if isinstance(data, str) else _plain(data)
    if not isinstance(fields, dict) or not isinstance(fields.get("name"), str):
        return {"name": f"trait {number}", **fields} if isinstance(fields, dict) else fields
    name = fields["name"] = _label(fields["name"])
    known = t.find_trait(name, kind)
    if known is not None:
        return {**known.model_dump(), **fields, "name": known.name}
    if len(fields) > 1:
        return fields
    if kinds := t.kinds_with(name, kind):
        raise RuleError(f"{quote(name)} differs between tokens ({kinds}): say the token's kind.")
    near = t.nearest_trait(name, kind)
    hint = f" Did you mean {near}?" if near else ""
    raise RuleError(f"The game's table has no trait {quote(name)} for this token.{hint}")


def _label(name: str) -> str:
    return re.sub(f"[{v.SEPARATORS}]", " ", name).strip()


class _File(Frozen):
    boss: Annotated[v.Boss, BeforeValidator(_plain_boss)]
    tokens: Annotated[
        tuple[Annotated[v.Token, BeforeValidator(_plain_token)], ...], Field(min_length=1, max_length=v.MAX_TOKENS)
    ]


def read_exchange(data: JsonValue) -> ExchangeRequest:
    """Read the request from JSON; RuleError with the place of the first mistake."""
    if not isinstance(data, dict):
        raise RuleError("An object in braces is needed here.")
    file = Codec[_File](_File).read({name: value for name, value in data.items() if name not in _IGNORED})
    named = zip(file.tokens, distinct([token.name for token in file.tokens]), strict=True)
    tokens = tuple(token.model_copy(update={"name": name}) for token, name in named)
    return ExchangeRequest(boss=file.boss, deck=v.Deck(tokens=tokens))


_FIGHT = BossFight()


class Way(StrEnum):
    """A way to choose tokens: as many as possible from the first on, by the button, or with the next attack in mind."""

    EVERYTHING = "everything"
    BUTTON = "button"
    AHEAD = "ahead"


@cache
def ready_hands() -> tuple[v.Deck, ...]:
    """Return the ready hands."""
    return tuple(parse_deck(deck.text) for deck in t.STARTER_DECKS)


def parties() -> Iterator[tuple[v.Deck, ...]]:
    """Yield all parties of three ready hands, in every order: the first to join begins."""
    return product(ready_hands(), repeat=3)


def measure(boss: v.Boss, way: Way, decks: Sequence[Sequence[v.Deck]], seed: bytes = b"") -> tuple[int, int]:
    """Return how many parties beat a boss, and the number of all exchanges."""
    ends = [fight(boss, way, party, seed + at.to_bytes(4, "big")) for at, party in enumerate(decks)]
    return sum(end.winner == "party" for end in ends), sum(end.exchanges for end in ends)


def fight(boss: v.Boss, way: Way, party: Sequence[v.Deck], seed: bytes) -> State:
    """Return the end of a fight."""
    state = _FIGHT.begin(Setup(boss=boss, edition=HANDS))
    dice = (SeededDice(seed, number) for number in count(1))
    for deck in party:
        state = _FIGHT.apply(state, Join(deck=deck), ANYONE, next(dice)).state
    while isinstance(member := state.turn, HandMember):
        state = _FIGHT.apply(state, _action(way, state, member), member.seat, next(dice)).state
    return state


def _action(way: Way, state: State, member: HandMember) -> Action:
    chosen: Chosen = ()
    if way is Way.EVERYTHING:
        chosen = member.rested[:MOST]
    elif way is Way.AHEAD:
        chosen = _ahead(state, member)
    return PutUp(tokens=chosen) if chosen else Play()


def _ahead(state: State, member: HandMember) -> Chosen:
    """Return the rested tokens with the most worth in this exchange and in the next one, by whatever is rested then.

    Worth is damage dealt less half of that taken: a party has more health than its boss.
    """
    boss, tokens = state.setup.boss, member.deck.tokens
    now, then = (_figures(boss, attack, tokens) for attack in (state.attack_on(member), state.next_attack))
    boss_left, left = float(state.boss_left), float(member.left)
    tired = sum(1 << at for at, token in enumerate(tokens) if token.name in member.tired)
    best, most = 0, -inf
    for bits, deals, takes in now:
        if bits & tired:
            continue
        worth = min(deals, boss_left) - min(takes, left) / 2
        boss_then, left_then = boss_left - deals, left - takes
        if boss_then > 0 and left_then > 0:
            rested = (one for one in then if not one[0] & bits)
            worth += max((min(hit, boss_then) - min(hurt, left_then) / 2 for _, hit, hurt in rested), default=0)
        if worth > most:
            best, most = bits, worth
    return tuple(token.name for at, token in enumerate(tokens) if best >> at & 1)


@cache
def _figures(boss: v.Boss, attack: Attack, tokens: tuple[v.Token, ...]) -> list[tuple[int, float, float]]:
    """Return the bits of each set, and what it deals and takes."""
    table = set_table(boss, attack, tokens)
    return [(one.bits, one.deals / 4, one.takes / (1 << table.power)) for one in table.sets]
