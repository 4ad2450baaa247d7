"""How fast Marked for Death reads, checks and fights: `python -m tests.bench.marked_for_death`."""

import resource
import time
from collections.abc import Callable

from sim.core.battle import REFEREE
from sim.core.dice import SeededDice
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.values import NextRound, Setup
from sim.marked_for_death.requests import RunRequest, battle_files
from sim.marked_for_death.tables import read_roster, roster_csv
from tests.sim.marked_for_death.builders import mixed_crowd

SECONDS = 1.0
"""How long each thing is repeated."""


def least(work: Callable[[], object]) -> float:
    """Return the least milliseconds that `work` takes."""
    found = float("inf")
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        work()
        found = min(found, time.perf_counter() - start)
    return 1e3 * found


def main() -> None:
    """Measure and print everything; takes some seconds."""
    file, large = roster_csv(mixed_crowd(500)), mixed_crowd(200)
    request = RunRequest(heroes=large, villains=large, seed=1)
    battle = RosterBattle()
    state = battle.begin(Setup(heroes=large, villains=large))
    rows = (
        ("500 rows read and checked", 50, lambda: read_roster(file)),
        ("200 v 200 fought, log and files", 500, lambda: battle_files(request.run())),
        ("one round of 200 v 200 as a step", None, lambda: battle.apply(state, NextRound(), REFEREE, SeededDice(b"x"))),
    )
    print(f"{'':<34}{'ms':>8}{'target':>8}")
    for name, target, work in rows:
        print(f"{name:<34}{least(work):>8.1f}{target or '-':>8}")
    print(f"Rounds of 200 v 200: {len(request.run().rounds)}.")
    print(f"Most memory resident: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB.")


if __name__ == "__main__":
    main()
