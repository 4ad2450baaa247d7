"""Finds puzzles in battles that were played: the armies as each round began, and the hits that the attacker took.

What the battle leaves open, such as the choices offered, is drawn from a seed; what is a puzzle, and the double check,
are those of `sim.axis_allies.puzzles`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sim.axis_allies.army import Army
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Ended, Event, Fired, RoundBegan
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.puzzles import EDITION, KINDS, Counts, Kind, Puzzle, puzzle_of
from sim.core.dice import SeededDice
from sim.core.values import Side

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
        read_lists = DiceBattle().events.read_lists
        events = ((row, event) for row, text in self.steps for event in read_lists([text]))
        found: list[tuple[int, Puzzle]] = []
        for number, (row, kind, attacker, defender, hits) in zip(range(MAX_POSITIONS), positions(events), strict=False):
            puzzle = puzzle_of(kind, attacker, defender, SeededDice(self.seed, number), hits)
            if puzzle is not None:
                found.append((row, puzzle.model_copy(update={"played": True})))
        return tuple(found)


def positions(events: Iterable[tuple[int, Event]]) -> Iterator[Position]:
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
