"""Places of teams, and their chances before the first roll."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import MANUAL, Setup
from sim.axis_allies.parse import parse_question
from sim.core.battle import AnySystem, Outcome
from sim.core.standings import Team, standings, with_chances
from sim.core.values import Ending, Side

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


TEAMS = (Team(place=1, seats=("attacker",)), Team(place=2, seats=("defender",)))


def chances(text: str, *, manual: bool = False) -> list[float | None]:
    setup = Setup.of(parse_question(text, "1942"), dict.fromkeys(Side, MANUAL if manual else None), fog=False)
    return [team.chance for team in with_chances(DiceBattle(), DiceBattle().begin(setup), TEAMS)]


@pytest.mark.parametrize(
    ("text", "attacker", "within"), [("30 tanks vs 1 inf", 0.995, 1e-3), ("1 tank vs 1 tank", 0.5, 0.12)]
)
def test_chances_are_those_before_the_first_roll_and_add_up(text: str, attacker: float, within: float) -> None:
    found = chances(text)
    assert found == [pytest.approx(attacker, abs=within), pytest.approx(1 - attacker, abs=within)]
    assert sum(filter(None, found)) == pytest.approx(1)
    assert found == chances(text), "always the same"


def test_chances_are_unknown_where_players_decide() -> None:
    assert chances("4 tanks, 4 inf vs 4 tanks, 4 inf", manual=True) == [None, None]
