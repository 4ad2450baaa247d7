from types import SimpleNamespace
from typing import Any, cast

from sim.core.battle import AnySystem, Outcome
from sim.core.standings import Team, standings
from sim.core.values import Ending

SEATS = ("attacker", "defender", "referee")


def rules(winner: str | None, *, over: bool = True) -> AnySystem:
    outcome = Outcome(ending=Ending.ANNIHILATION, winner=winner, rounds=3) if over else None
    return cast("AnySystem", SimpleNamespace(outcome=lambda _state: outcome))


def places(found: tuple[Team, ...]) -> list[Any]:
    return [(team.place, *team.seats) for team in found]


def test_the_winner_is_first() -> None:
    assert places(standings(rules("defender"), None, SEATS)) == [(2, "attacker"), (1, "defender")]


def test_without_a_winner_all_are_tied() -> None:
    assert places(standings(rules(None), None, SEATS)) == [(1, "attacker"), (1, "defender")]


def test_nothing_is_decided_yet() -> None:
    assert standings(rules(None, over=False), None, SEATS) == ()
