"""Chances from here, estimated by fighting on: near the exact ones, and none where somebody would have to choose."""

import pytest

from sim.axis_allies.battle.requests import odds_from_here
from sim.core.standings import outlook
from tests.conformance.example import example_of, registered
from tests.conformance.plays import plays


@pytest.mark.parametrize("number", range(4))
def test_estimates_are_near_the_exact_odds(number: int) -> None:
    system, found = example_of("aa-battle").system, 0
    for play in plays("aa-battle")[number::4]:
        for state in play.states:
            request, estimate = odds_from_here(state), outlook(system, state)
            if request is None or estimate is None:
                continue
            exact = request.run()
            assert estimate.get("attacker", 0) == pytest.approx(exact.p_attacker, abs=0.2)
            assert estimate.get("defender", 0) == pytest.approx(exact.p_defender, abs=0.2)
            found += 1
    assert found or number == 1


@pytest.mark.rest
@pytest.mark.parametrize("name", registered())
def test_the_same_state_has_the_same_chances_and_those_of_the_end_are_sure(name: str) -> None:
    system, told = example_of(name).system, 0
    for play in plays(name)[:4]:
        for state in play.states:
            estimate = outlook(system, state)
            assert estimate == outlook(system, state)
            outcome = system.outcome(state)
            if outcome is not None:
                assert estimate == ({} if outcome.winner is None else {outcome.winner: 1.0})
            elif estimate is not None:
                told += 1
                assert 0 <= sum(estimate.values()) <= 1 + 1e-9
    assert bool(told) is (name in {"aa-battle", "duel", "dungeon", "mfd-battle"})
