"""B/X duels in a terminal: `duel`, `duel-odds`."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from sim.core.battle import REFEREE, Codec
from sim.core.console import Systems, add_json, add_seed, read_json
from sim.core.dice import Dice, SeededDice, seed_bytes
from sim.core.errors import RuleError
from sim.duel.battle import Continue, Duel
from sim.duel.odds import DuelOdds, DuelOddsRequest

# What a file with a fight that was fought already says of it beside the fighters and the dice.
_TOLD = frozenset({"id", "rounds", "winner", "transcript"})
_SETUP = frozenset({"group1", "group2", "words", "narrated"})
_PAIR = 2


def add_commands(systems: Systems) -> None:
    """Add the commands of B/X duels."""
    duel = systems.add_parser("duel", help="B/X duels: a fight, told to its end")
    duel.add_argument("file", type=Path, metavar="FILE.json", help="group1, group2, and the dice where they are known")
    add_seed(duel, "decides the dice where the file has none")
    duel.set_defaults(command=_duel)
    odds = systems.add_parser("duel-odds", help="B/X duels: the odds, exact for one against one")
    odds.add_argument("file", type=Path, metavar="FILE.json", help="group1 and group2, or first and second")
    add_seed(odds, "for groups, which have to be simulated")
    add_json(odds)
    odds.set_defaults(command=_odds)


class FileDice:
    """Dice that a file lists, as faces or as pairs of sides and face; RuleError where the fight needs others."""

    def __init__(self, listed: JsonValue) -> None:
        if not isinstance(listed, list):
            raise RuleError('"dice" has to be a list, of faces or of pairs such as [20, 14]: sides and face.')
        self._throws = [_throw(number, throw) for number, throw in enumerate(listed, start=1)]
        self._used = 0

    def roll(self, sides: int) -> int:
        """Return the next face of the list."""
        number = self._used + 1
        if self._used == len(self._throws):
            raise RuleError(
                f"The dice of the file end after {self._used} throws, but the fight goes on with a d{sides}."
            )
        meant, face = self._throws[self._used]
        if meant not in {None, sides}:
            raise RuleError(f"Throw {number} of the file is a d{meant}, but a d{sides} is thrown there.")
        if not 1 <= face <= sides:
            raise RuleError(f"Throw {number} of the file shows {face}, but a d{sides} is thrown there.")
        self._used = number
        return face

    def expect_used(self) -> None:
        """RuleError unless every throw was needed."""
        if self._used < len(self._throws):
            raise RuleError(f"The fight is over after {self._used} throws, but the file has {len(self._throws)}.")


def _throw(number: int, listed: JsonValue) -> tuple[int | None, int]:
    pair = listed if isinstance(listed, list) else [None, listed]
    if len(pair) == _PAIR:
        sides, face = pair
        if type(face) is int and (type(sides) is int or not isinstance(listed, list)):
            return (sides if type(sides) is int else None), face
    raise RuleError(f"Throw {number} of the file is neither a face nor a pair such as [20, 14]: sides and face.")


def _duel(arguments: argparse.Namespace) -> None:
    data = _fields(arguments.file, _SETUP | _TOLD | {"dice"})
    rules = Duel()
    state = rules.begin(rules.setups.read({name: data[name] for name in _SETUP & data.keys()}))
    listed = FileDice(data["dice"]) if "dice" in data else None
    dice: Dice = listed or SeededDice(seed_bytes(arguments.seed))
    lines: list[str] = []
    while rules.outcome(state) is None:
        step = rules.apply(state, Continue(), REFEREE, dice)
        state = step.state
        lines += rules.lines(step.events)
    if listed is not None:
        listed.expect_used()
    print(*lines, sep="\n")


_REQUESTS: Codec[DuelOddsRequest] = Codec(DuelOddsRequest)
_HEADLINES = ("p_win_first", "p_win_second", "p_never", "mean_rounds")


def _odds(arguments: argparse.Namespace) -> None:
    data = _fields(arguments.file, _SETUP | _TOLD | {"dice", "battles", "first", "second", *_HEADLINES})
    groups = {
        "group1": _group(data, "group1", "first"),
        "group2": _group(data, "group2", "second"),
    }
    battles = {"battles": data["battles"]} if "battles" in data else {}
    report = _REQUESTS.read({**groups, **battles, "seed": arguments.seed}).run()
    print(report.model_dump_json(indent=1) if arguments.json else _headlines(report))


def _group(data: Mapping[str, JsonValue], group: str, alone: str) -> JsonValue:
    """Return a side, a list of critters or a single one, which needs no name."""
    if (group in data) is (alone in data):
        raise RuleError(f'The file needs either "{group}" or "{alone}".')
    found = data.get(group, data.get(alone))
    critters = found if isinstance(found, list) else [found]
    single = len(critters) == 1
    return [{"name": alone, **critter} if single and isinstance(critter, dict) else critter for critter in critters]


def _fields(path: Path, known: frozenset[str]) -> dict[str, JsonValue]:
    data = read_json(path)
    if not isinstance(data, dict):
        raise RuleError(f'{path.name} has to be an object with "group1" and "group2".')
    strange = sorted(data.keys() - known)
    if strange:
        raise RuleError(f"{path.name} has a field {strange[0][:40]!r}, which means nothing here.")
    return data


def _headlines(report: DuelOdds) -> str:
    """Return the main figures, `name value` a line."""
    lines: Sequence[str] = [f"{name} {json.dumps(getattr(report, name))}" for name in _HEADLINES]
    if report.simulation is None:
        return "\n".join(lines)
    return "\n".join((*lines, f"battles {report.simulation.battles}", f"seed {report.simulation.seed}"))
