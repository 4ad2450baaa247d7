"""B/X duels in the terminal: `duel`, `duel-odds`."""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from sim.core import RuleError
from sim.core.battle import REFEREE, Codec
from sim.core.console import add_json, add_seed, print_notes, read_json, whole_number
from sim.core.dice import MAX_SEED, Dice, SeededDice, seed_bytes
from sim.core.numbers import rounded_percent
from sim.core.replay import Session
from sim.duel.battle import Continue, Setup
from sim.duel.battle.rules import Duel
from sim.duel.critter import RULES_VERSION, roll_rivals
from sim.duel.group_text import parse_group, read_as
from sim.duel.reports import DuelOdds
from sim.duel.requests import DuelOddsRequest
from sim.duel.words import NARRATED_WORDS

# Fields that the file of a finished fight, or of odds, may have; they are ignored.
_RESULT = frozenset({"id", "rounds", "winner", "transcript"})
_ODDS = frozenset({"p_win_first", "p_win_second", "p_never", "mean_rounds"})
_SETUP = frozenset({"group1", "group2", "words", "narrated"})
_PAIR = 2
_NAMES = ("First", "Second")


class FileDice:
    """Dice listed in a file, as faces or pairs of sides and face; RuleError if the fight needs other dice."""

    def __init__(self, throws: JsonValue) -> None:
        if not isinstance(throws, list):
            raise RuleError('"dice" has to be a list, of faces or of pairs such as [20, 14]: sides and face.')
        self._throws = [_throw(number, throw) for number, throw in enumerate(throws, start=1)]
        self._used = 0

    def roll(self, sides: int) -> int:
        """Return the next face of the list."""
        number = self._used + 1
        if self._used == len(self._throws):
            raise RuleError(
                f"The dice of the file end after {self._used} throws, but the fight goes on with a d{sides}."
            )
        listed_sides, face = self._throws[self._used]
        if listed_sides not in {None, sides}:
            raise RuleError(f"Throw {number} of the file is a d{listed_sides}, but a d{sides} is thrown there.")
        if not 1 <= face <= sides:
            raise RuleError(f"Throw {number} of the file shows {face}, but a d{sides} is thrown there.")
        self._used = number
        return face

    def expect_used(self) -> None:
        """Raise RuleError if any throws are left."""
        if self._used < len(self._throws):
            raise RuleError(f"The fight is over after {self._used} throws, but the file has {len(self._throws)}.")


def _throw(number: int, listed: JsonValue) -> tuple[int | None, int]:
    pair = listed if isinstance(listed, list) else [None, listed]
    if len(pair) == _PAIR:
        sides, face = pair
        if type(face) is int and (type(sides) is int or not isinstance(listed, list)):
            return (sides if type(sides) is int else None), face
    raise RuleError(f"Throw {number} of the file is neither a face nor a pair such as [20, 14]: sides and face.")


def duel(parser: argparse.ArgumentParser) -> None:
    """Fight the duel of a file, or tell a story of two barbarians."""
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        metavar="FILE.json",
        help="group1, group2, and the dice if they are known (default: two random barbarians, one lawful, one chaotic)",
    )
    seed = whole_number(0, MAX_SEED)
    parser.add_argument(
        "--seed", type=seed, metavar="N", help="decides the dice (default: 0; without a file, by chance)"
    )
    parser.add_argument("--no-pause", action="store_true", help="don't wait for Enter after each page of a story")
    arguments = parser.parse_args()
    if arguments.file is None:
        _story(arguments)
        return
    data = _fields(arguments.file, _SETUP | _RESULT | {"dice"})
    system = Duel()
    state = system.begin(system.setups.read({name: data[name] for name in _SETUP & data.keys()}))
    file_dice = FileDice(data["dice"]) if "dice" in data else None
    dice: Dice = file_dice or SeededDice(seed_bytes(arguments.seed or 0))
    lines: list[str] = []
    while system.outcome(state) is None:
        step = system.apply(state, Continue(), REFEREE, dice)
        state = step.state
        lines += system.lines(step.events)
    if file_dice is not None:
        file_dice.expect_used()
    print(*lines, sep="\n")


def _story(arguments: argparse.Namespace) -> None:
    """Tell the story of two barbarians page by page: the opening, each round, the closing."""
    seed = int.from_bytes(os.urandom(4)) if arguments.seed is None else arguments.seed
    lawful, chaotic = roll_rivals(SeededDice(seed_bytes(seed)))
    setup = Setup(group1=(lawful,), group2=(chaotic,), words=NARRATED_WORDS, narrated=True, edition=RULES_VERSION)
    session = Session(Duel(), setup, seed_bytes(seed))
    pauses = not arguments.no_pause and sys.stdin.isatty() and sys.stdout.isatty()
    while session.outcome is None:
        print(*session.act(Continue(), REFEREE), sep="\n")
        if session.outcome is None:
            print("\n(Press Enter to continue!)" if pauses else "", flush=True)
            if pauses:
                sys.stdin.readline()
    print_notes(f"--seed {seed} tells this story again.")


def odds(parser: argparse.ArgumentParser) -> None:
    """Tell who wins how often."""
    parser.add_argument(
        "sides",
        nargs="+",
        metavar="SIDE",
        help='both sides as texts, such as "8 hp str +2" "2 x wolf 6 hp 1d6"; or a file such as FILE.json with '
        "group1 and group2, or first and second",
    )
    add_seed(parser, "for groups, which are simulated")
    add_json(parser)
    arguments = parser.parse_args()
    if len(arguments.sides) > _PAIR:
        raise RuleError(f"Two sides fight a duel, not {len(arguments.sides)}: put each in quotes.")
    if len(arguments.sides) == _PAIR:
        told = [read_as(text, {}, name) for text, name in zip(arguments.sides, _NAMES, strict=True)]
        print_notes(*(f"Read as: {side}" for side in told if side is not None))
        first, second = (parse_group(text, {}, name) for text, name in zip(arguments.sides, _NAMES, strict=True))
        request = DuelOddsRequest(group1=first, group2=second, seed=arguments.seed)
    else:
        data = _fields(Path(arguments.sides[0]), _SETUP | _RESULT | {"dice", "battles", "first", "second", *_ODDS})
        groups = {group: _group(data, group, alone) for group, alone in (("group1", "first"), ("group2", "second"))}
        battles = {"battles": data["battles"]} if "battles" in data else {}
        request = Codec[DuelOddsRequest](DuelOddsRequest).read({**groups, **battles, "seed": arguments.seed})
    report = request.run()
    print(report.model_dump_json(indent=1) if arguments.json else "\n".join(_sentences(report)))


def _group(data: Mapping[str, JsonValue], group: str, alone: str) -> JsonValue:
    """Return a group from a list of critters or from a single one, which needs no name."""
    if (group in data) is (alone in data):
        raise RuleError(f'The file needs either "{group}" or "{alone}".')
    side = data.get(group, data.get(alone))
    critters = side if isinstance(side, list) else [side]
    single = len(critters) == 1
    return [{"name": alone, **critter} if single and isinstance(critter, dict) else critter for critter in critters]


def _fields(path: Path, known: frozenset[str]) -> dict[str, JsonValue]:
    data = read_json(path)
    if not isinstance(data, dict):
        raise RuleError(f'{path.name} has to be an object with "group1" and "group2".')
    unknown = sorted(data.keys() - known)
    if unknown:
        raise RuleError(f"{path.name} has a field {unknown[0][:40]!r}, which means nothing here.")
    return data


def _sentences(report: DuelOdds) -> Iterator[str]:
    """Yield who wins, how long it takes, and what is left, as players read it."""
    exact = report.method == "exact"
    for name, (chance, side) in zip(_NAMES, report.sides, strict=True):
        left = f"{side.mean_hp_left:.1f} hit points left on average"
        yield f"{name} wins {rounded_percent(chance, exact=exact)} of the time, {left}."
    if report.p_never > 0:
        yield f"Stalemate, neither side can hit the other: {rounded_percent(report.p_never, exact=exact)}."
    yield f"About {report.mean_rounds:.1f} rounds."
    if (simulation := report.simulation) is not None:
        yield f"{simulation.battles:,} simulated battles, seed {simulation.seed}."
