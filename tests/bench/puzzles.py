"""How many puzzles a search finds: `python -m tests.bench.puzzles SECONDS [SEED]`, by hand, on one core.

Prints the puzzles by kind, all of them different, how many positions were drawn for them, and what an hour would find.
"""

import sys
import time
from collections import Counter

from sim.axis_allies.battle.puzzles import Puzzle, drawn
from sim.core.dice import SeededDice, seed_bytes


def main(seconds: float, seed: int) -> None:
    """Search for so many seconds of processor time."""
    found: dict[Puzzle, None] = {}
    positions, began = 0, time.process_time()
    while (spent := time.process_time() - began) < seconds:
        puzzle = drawn(SeededDice(seed_bytes(seed), positions))
        positions += 1
        if puzzle is not None:
            found[puzzle] = None
    kinds = Counter(puzzle.kind.value for puzzle in found)
    print(f"{len(found):,} different puzzles of {positions:,} positions in {spent:.0f} s: {dict(kinds)}")
    print(f"At this rate an hour finds {len(found) * 3600 / spent:,.0f}.")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)  # the seed is optional
