"""The rows of Marked for Death: rosters read, battles fought, odds simulated and exact."""

from collections.abc import Callable, Iterator

from sim.core.battle import REFEREE
from sim.core.dice import SeededDice
from sim.marked_for_death.battle import NextRound, Setup
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.odds import OddsRequest, SensitivityRequest
from sim.marked_for_death.requests import RunRequest, battle_files
from sim.marked_for_death.tables import read_roster, roster_csv
from tests.bench.rows import Row
from tests.sim.marked_for_death.builders import legion


def fought(request: OddsRequest, battles: int) -> Callable[[], None]:
    """Return what simulates so many battles, in batches as long as a worker's."""

    def fight() -> None:
        done = 0
        while done < battles:
            done += request.batch(done, battles - done).battles

    return fight


def rows() -> Iterator[Row]:
    """Yield the rows."""
    file, large = roster_csv(legion("F", 500)), legion("F", 200)
    request, battle = RunRequest(heroes=roster_csv(large), villains=roster_csv(large), seed=1), RosterBattle()
    state = battle.begin(Setup(heroes=large, villains=large))
    yield Row("500 rows read and checked", lambda: read_roster(file), 50)
    yield Row("200 v 200 fought, log and files", lambda: battle_files(request.run()), 500)
    yield Row("a round of 200 v 200 as a step", lambda: battle.apply(state, NextRound(), REFEREE, SeededDice(b"x")))
    for count, dice, battles in ((2, 5, 40_000), (30, 5, 10_000), (30, 100, 10_000), (500, 5, 500)):
        odds = OddsRequest(heroes=legion("h", count, dice), villains=legion("v", count, dice))
        yield Row(f"{battles:,} battles of {count} v {count}, {dice} dice", fought(odds, battles))
    odds = OddsRequest(heroes=legion("h", 30), villains=legion("v", 30))
    yield Row("30 v 30 until settled", odds.run)
    yield Row("30 v 30, sensitivity", SensitivityRequest(odds=odds).run)
    yield Row("1 v 1 exactly, 5 dice, 3 HP", OddsRequest(heroes=legion("h", 1), villains=legion("v", 1)).run)
