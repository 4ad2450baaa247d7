"""The battle that is fought with dice, under dice that fall in every way: one on one, its chances are the odds."""

from typing import NamedTuple

import pytest

from sim.core.dice import Dice
from sim.core.values import Ending
from sim.marked_for_death.battle.runner import side_cards
from sim.marked_for_death.battle.values import NextRound, State
from sim.marked_for_death.odds.requests import OddsRequest
from sim.marked_for_death.roster import Camp, Fighter
from sim.marked_for_death.stats import FighterCard
from tests.sim.branching import LimitDice, ends
from tests.sim.marked_for_death.builders import BATTLE, begin, buff, fighter, roster

pytestmark = pytest.mark.statistics

FIGHTS = {
    "alike": ([fighter("A")], [fighter("B")]),
    "more dice and HP": ([fighter("A", 3000, 1)], [fighter("B", 1000, 4)]),
    "two dice each": ([fighter("A", 1001, 2)], [fighter("B", 2000, 3)]),
    "several attacks": ([fighter("A", aoe=3)], [fighter("B", hp=4, defend="-0.15")]),
    "the worst and the best chance": ([fighter("A", hit="-1", defend="0.6")], [fighter("B", hit="0.7", defend="-0.9")]),
    # Chances beyond 1 become dice, and tiredness takes them away again.
    "dice of bonuses": ([fighter("A", hp=3, hit="0.71", defend="0.85")], [fighter("B", hp=3, defend="0.9")]),
    "dice of a thousand sides": ([fighter("A", hit="0.155", defend="-0.045")], [fighter("B", 2000, 1, hit="0.0625")]),
    "buffs of oneself": (
        [fighter("A", buffs=(buff("A, A", "0.2", "0.35"), buff("a", "0.1"), buff("B", "0.3")))],
        [fighter("B", 2000, buffs=(buff("B", "-0.1", "-0.2"),))],
    ),
    # Whoever has no HP sits out: no buff, no guard, no link.
    "some sit out": (
        [
            fighter("A", linked_to="Gone", bodyguard_for="A"),
            fighter("Gone", 9000, 0, buffs=(buff("A", "0.5"),), bodyguard_for="A"),
        ],
        [fighter("Away", 9000, -3, linked_to="B"), fighter("B", 2000)],
    ),
}


class Situation(NamedTuple):
    """What decides how a battle goes on; `round`: 0 once nothing depends on it."""

    sides: tuple[tuple[FighterCard, ...], ...]
    ending: Ending | None
    winner: Camp | None
    round: int


@pytest.mark.parametrize("limit", [None, 1, 3])
@pytest.mark.parametrize("sides", FIGHTS.values(), ids=FIGHTS)
def test_what_is_played_is_what_the_odds_say(sides: tuple[list[Fighter], list[Fighter]], limit: int | None) -> None:
    heroes, villains = (roster(*side) for side in sides)

    def key(state: State) -> Situation:
        sides = tuple(side_cards(state, camp) for camp in Camp)
        changing = limit or any(card.hp > 0 and card.to_defend for side in sides for card in side)
        return Situation(sides, state.ending, state.winner, state.round if changing else 0)

    def play(state: State, dice: Dice) -> State:
        return BATTLE.apply(state, NextRound(), "referee", dice).state

    played = ends(
        begin(heroes, villains, limit), play, key=key, is_over=lambda state: state.ending is not None, dice=LimitDice
    )
    odds = OddsRequest(heroes=heroes, villains=villains, max_rounds=limit).run()
    assert odds.method == "exact"
    figured = {
        (Ending.ANNIHILATION, Camp.HEROES): odds.p_heroes,
        (Ending.ANNIHILATION, Camp.VILLAINS): odds.p_villains,
        (Ending.MUTUAL, None): odds.p_both_fall,
        (Ending.ROUND_LIMIT, None): odds.p_undecided,
    }
    for (ending, winner), chance in figured.items():
        seen = sum(p for end, p in played.items() if (end.ending, end.winner) == (ending, winner))
        assert float(seen) == pytest.approx(chance, abs=1e-12)
    if limit:
        assert odds.mean_rounds == pytest.approx(float(sum(p * end.round for end, p in played.items())), abs=1e-12)
    for at, camp in enumerate(Camp):
        for number, figures in enumerate(odds.side(camp)):
            left = [(max(0, end.sides[at][number].hp), p) for end, p in played.items()]
            assert figures.mean_hp == pytest.approx(float(sum(p * hp for hp, p in left)), abs=1e-12)
            assert figures.p_survives == pytest.approx(float(sum(p for hp, p in left if hp)), abs=1e-12)
