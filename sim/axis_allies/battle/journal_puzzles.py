"""Finds puzzles in battles that were played: the armies as each round began, and the hits that the attacker took.

What the battle leaves open, such as the choices offered, is drawn from a seed; what is a puzzle, and the double check,
are those of `sim.axis_allies.puzzles`.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sim.axis_allies.army import Army, army_words
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Ended, Event, Fired, RoundBegan
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.puzzles import EDITION, KINDS, Counts, Kind, Puzzle, puzzle_of
from sim.core.console import read_file
from sim.core.dice import SeededDice, seed_bytes
from sim.core.errors import RuleError
from sim.core.journal import active_steps
from sim.core.journal_file import MAX_TEXT, read
from sim.core.replay import verify
from sim.core.values import Side, canonical

MAX_UNITS = 12
"""Units of a side in a puzzle."""

MAX_POSITIONS = 20
"""Positions of a battle that are looked at."""

Position = tuple[int, Kind, Counts, Counts, int | None]
"""The row, what is asked, both armies, and the hits of the defender if they are to be taken."""


@dataclass(frozen=True, slots=True)
class FindPuzzles:
    """Find the puzzles in a battle; `steps`: the active ones, each its row and its events as JSON."""

    steps: Sequence[tuple[int, str]] = field(repr=False)
    seed: bytes = field(repr=False)

    def cost(self) -> float:
        """Return a rough upper bound of the seconds."""
        return 1.0

    def run(self) -> tuple[tuple[int, Puzzle], ...]:
        """Return them, each with the row that it is from, in order."""
        read_lists = DiceBattle.events.read_lists
        events = ((row, event) for row, text in self.steps for event in read_lists([text]))
        found: list[tuple[int, Puzzle]] = []
        for number, (row, kind, attacker, defender, hits) in zip(range(MAX_POSITIONS), positions(events), strict=False):
            puzzle = puzzle_of(kind, attacker, defender, SeededDice(self.seed, number), hits)
            if puzzle is not None:
                found.append((row, puzzle.model_copy(update={"played": True})))
        return tuple(found)


def positions(events: Iterator[tuple[int, Event]]) -> Iterator[Position]:
    """Yield the positions of a battle in which something can be asked, from its events with their rows."""
    before: Counts | None = None
    hits = 0
    for row, event in events:
        if isinstance(event, Fired) and event.side is Side.DEFENDER:
            hits += event.hits.total
        elif isinstance(event, RoundBegan | Ended):
            attacker, defender = _counts(event.attacker), _counts(event.defender)
            if before and defender and hits:
                yield row, Kind.LOSE, before, defender, hits
            if isinstance(event, RoundBegan) and attacker and defender:
                for kind in (Kind.BUY, Kind.RETREAT):
                    yield row, kind, attacker, defender, None
            before, hits = attacker, 0


def _counts(army: Army) -> Counts | None:
    """Return how many of each kind an army has; None if it is none of a puzzle, as by other units or other values."""
    units, known = army.book.units, EDITIONS[EDITION].units
    fits = all(group.unit in KINDS and units[group.unit] == known[group.unit] for group in army.groups)
    counts = tuple(int(army.count(unit)) for unit in KINDS)
    return counts if fits and 0 < sum(counts) <= MAX_UNITS else None


def add_puzzles(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `puzzles`."""
    parser.add_argument("files", nargs="+", type=Path, metavar="JOURNAL", help="journals of battles, as files")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="what the choices are drawn from (default: 0)")
    parser.set_defaults(command=_print_puzzles)


def _print_puzzles(arguments: argparse.Namespace) -> None:
    for file in arguments.files:
        journal, rules = read(read_file(file, MAX_TEXT)), DiceBattle()
        if journal.head.system != rules.name:
            raise RuleError(f"{file}: this is no battle of Axis & Allies.")
        if (mismatch := verify(rules, journal).mismatch) is not None:
            raise RuleError(f"{file}: {mismatch.sentence}")
        steps = [(entry.n, canonical(list(entry.events))) for entry in active_steps(journal.entries)]
        found = FindPuzzles(steps, seed_bytes(arguments.seed)).run()
        for row, puzzle in found:
            print(f"{file}, row {row}: {army_words(puzzle.attacker)} attack {army_words(puzzle.defender)}")
            print(puzzle.question)
            for option in puzzle.options:
                print(f"  {option.worth:6.1f}  {option.text}")
        if not found:
            print(f"{file}: no puzzle")
