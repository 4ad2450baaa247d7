"""Simulated odds against everything that can happen, and who steps in."""

import math
from decimal import Decimal

import pytest

from sim.marked_for_death.odds.requests import OddsRequest
from sim.marked_for_death.roster import Fighter, Roster
from tests.sim.marked_for_death.odds.builders import buff, fighter, side
from tests.sim.marked_for_death.odds.enumerate_battle import Battle

pytestmark = pytest.mark.statistics

BATTLES = 40_000
TENTH = Decimal("0.1")
FAR = 4.5  # standard errors that none of these few hundred figures is off by, the seeds being fixed

PLAIN = side(fighter("A", 2, 1), fighter("B", 1, 2)), side(fighter("C", 1, 2), fighter("D", 1, 1))
GUARD = (
    side(fighter("A", 2, 2), fighter("B", 1, 2, bodyguard_for="A")),
    side(fighter("C", 2, 1, aoe=2), fighter("D", 1, 2, aoe=3)),
)
GUARDS = (
    side(fighter("A", 2, 1), fighter("B", 1, 1, bodyguard_for="A"), fighter("E", 1, 1, bodyguard_for="a")),
    side(fighter("C", 3, 3)),
)
LINK = (
    side(fighter("A", 1, 1), fighter("B", 2, 2, linked_to="A")),
    side(fighter("C", 1, 2, linked_to="D"), fighter("D", 1, 2, linked_to="C")),
)
CHAIN = side(fighter("A", 1, 1), fighter("B", 1, 2, linked_to="A"), fighter("E", 1, 2, linked_to="B")), PLAIN[1]
BUFF = (
    side(fighter("A", 2, 1, buffs=(buff("A, B, B, nobody", "0.4", "0.3"),)), fighter("B", 2, 2)),
    side(fighter("C", 2, 2, buffs=(buff("D", "0.8"), buff("D", "0.1", "0.5"))), fighter("D", 1, 2)),
)
EVERYTHING = (
    side(
        fighter("A", 2, 1, buffs=(buff("B", "0.3", "0.2"),), bodyguard_for="B"),
        fighter("B", 2, 2, linked_to="A", bodyguard_for="A"),
    ),
    side(fighter("C", 2, 2, aoe=2, linked_to="D"), fighter("D", 1, 2, bodyguard_for="C", buffs=(buff("C", "0.2"),))),
)
ALL = {"plain": PLAIN, "guard": GUARD, "guards": GUARDS, "link": LINK, "chain": CHAIN, "buff": BUFF, "all": EVERYTHING}


def keyed(member: Fighter) -> Fighter:
    """Write whom a fighter guards as the fighter is written: the check goes by the letter."""
    return member.model_copy(update={"bodyguard_for": member.bodyguard_for and member.bodyguard_for.upper()})


def close(seen: float, true: float, spread: float | None = None) -> bool:
    deviation = math.sqrt(true * (1 - true)) if spread is None else spread
    return abs(seen - true) <= FAR * deviation / math.sqrt(BATTLES) + 1e-9


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("limit", [None, 2])
def test_everything_that_can_happen(name: str, limit: int | None) -> None:
    heroes, villains = ALL[name]
    ends = Battle(*(Roster(fighters=tuple(map(keyed, roster.fighters))) for roster in (heroes, villains))).ends(
        limit, 1e-7
    )
    request = OddsRequest(heroes=heroes, villains=villains, max_rounds=limit, seed=5)
    odds = request.report(request.batch(0, BATTLES))
    assert odds.method == "simulated"
    assert close(odds.p_heroes, ends.heroes)
    assert close(odds.p_villains, ends.villains)
    assert close(odds.p_both_fall, ends.nobody)
    assert close(odds.p_undecided, ends.undecided if limit else 0)
    assert close(odds.mean_rounds, ends.rounds, ends.rounds)
    for fighter_odds in odds.fighters:
        assert close(fighter_odds.p_survives, ends.survives[fighter_odds.name]), fighter_odds
        assert close(fighter_odds.mean_hp, ends.hp[fighter_odds.name], fighter_odds.hp), fighter_odds
        assert close(fighter_odds.p_falls_first, min(1, ends.first[fighter_odds.name])), fighter_odds


def test_the_intervals_hold_what_is_true() -> None:
    """A 95% interval misses about one time in twenty."""
    ends = Battle(*GUARD).ends(None, 1e-7)
    missed = 0
    for seed in range(60):
        request = OddsRequest(heroes=GUARD[0], villains=GUARD[1], seed=seed, battles=1_000)
        odds = request.report(request.batch(0, 1_000))
        assert odds.simulation is not None
        low, high = odds.simulation.intervals.p_heroes
        missed += not low <= ends.heroes <= high
        low, high = odds.simulation.intervals.mean_rounds
        missed += not low <= ends.rounds <= high
    assert 0 < missed < 16


@pytest.mark.parametrize(("first", "more"), [(1, 2), (2, 1)])
def test_a_battle_goes_on_from_its_files(first: int, more: int) -> None:
    """After some rounds, HP and tiredness as the final files say them, the odds of the rest are those of the whole."""
    heroes, villains = EVERYTHING
    battle = Battle(heroes, villains)
    whole = OddsRequest(heroes=heroes, villains=villains, max_rounds=first + more, seed=8)
    expected = whole.report(whole.batch(0, BATTLES))
    won = survives = 0.0
    course = battle.states(first)
    for at, states in enumerate(course):
        for state, p in states.items():
            if at < first and battle.stands(state) == (True, True):
                continue  # goes on to the next round
            left = [
                member.model_copy(
                    update={"bonus_hp": hp - 2, "bonus_to_defend": member.bonus_to_defend - first * TENTH}
                )
                for member, hp in zip(battle.all, state, strict=True)
            ]
            count = len(heroes.fighters)
            rest = OddsRequest(heroes=side(*left[:count]), villains=side(*left[count:]), max_rounds=more, seed=9)
            odds = rest.run() if rest.duel() else rest.report(rest.batch(0, BATTLES))
            won += p * odds.p_heroes
            survives += p * odds.fighters[0].p_survives
    assert abs(won - expected.p_heroes) < 2 * FAR * 0.5 / math.sqrt(BATTLES)
    assert abs(survives - expected.fighters[0].p_survives) < 2 * FAR * 0.5 / math.sqrt(BATTLES)
