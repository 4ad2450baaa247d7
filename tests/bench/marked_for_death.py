"""The rows of Marked for Death: rosters read, battles fought, odds simulated and exact."""

from collections.abc import Callable, Iterator
from decimal import Decimal

from sim.core.battle import REFEREE
from sim.core.dice import SeededDice
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.values import NextRound, Setup
from sim.marked_for_death.odds.requests import OddsRequest, SensitivityRequest
from sim.marked_for_death.requests import RunRequest, battle_files
from sim.marked_for_death.roster import Buff, Fighter, Roster
from sim.marked_for_death.tables import read_roster, roster_csv
from tests.bench.rows import Row
from tests.sim.marked_for_death.builders import mixed_crowd


def crowd(letter: str, count: int, dice: int = 5) -> Roster:
    """Return a side in which a third guards, a sixth is linked, a quarter buffs six, a fifth attacks three at once."""
    return Roster(
        fighters=tuple(
            Fighter(
                name=f"{letter}{at}",
                xp=1000 * dice + 37 * at,
                bonus_hp=at % 3,
                bonus_to_hit=Decimal(at % 5) / 100,
                bonus_to_defend=Decimal(at % 7) / 50,
                aoe=1 if at % 5 else 3,
                bodyguard_for=None if at % 3 else f"{letter}{(at + 7) % count}",
                linked_to=f"{letter}{(at + 3) % count}" if at % 6 == 5 else None,
                buffs=() if at % 4 else (_buff(letter, at, count),),
            )
            for at in range(count)
        )
    )


def _buff(letter: str, at: int, count: int) -> Buff:
    who = tuple(f"{letter}{(at + step) % count}" for step in range(min(6, count)))
    return Buff(who=who, offense=Decimal("0.03"), defense=Decimal("0.02"))


def fought(request: OddsRequest, battles: int) -> Callable[[], None]:
    """Return what simulates so many battles, in batches as long as a worker's."""

    def fight() -> None:
        done = 0
        while done < battles:
            done += request.batch(done, battles - done).battles

    return fight


def rows() -> Iterator[Row]:
    """Yield the rows."""
    file, large = roster_csv(mixed_crowd(500)), mixed_crowd(200)
    request, battle = RunRequest(heroes=large, villains=large, seed=1), RosterBattle()
    state = battle.begin(Setup(heroes=large, villains=large))
    yield Row("500 rows read and checked", lambda: read_roster(file), 50)
    yield Row("200 v 200 fought, log and files", lambda: battle_files(request.run()), 500)
    yield Row("a round of 200 v 200 as a step", lambda: battle.apply(state, NextRound(), REFEREE, SeededDice(b"x")))
    for count, dice, battles in ((2, 5, 40_000), (30, 5, 10_000), (30, 100, 10_000), (500, 5, 500)):
        odds = OddsRequest(heroes=crowd("h", count, dice), villains=crowd("v", count, dice))
        yield Row(f"{battles:,} battles of {count} v {count}, {dice} dice", fought(odds, battles))
    odds = OddsRequest(heroes=crowd("h", 30), villains=crowd("v", 30))
    yield Row("30 v 30 until settled", odds.run)
    yield Row("30 v 30, sensitivity", SensitivityRequest(odds=odds).run)
    yield Row("1 v 1 exactly, 5 dice, 3 HP", OddsRequest(heroes=crowd("h", 1), villains=crowd("v", 1)).run)
