"""The odds of duels: exact, simulated and played."""

import math
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.dice import SeededDice
from sim.duel.battle import Continue, Run
from sim.duel.critter import Critter
from sim.duel.reports import DuelOdds, odds_card
from sim.duel.requests import DuelOddsRequest
from sim.duel.simulate import simulate
from tests.sim.branching import ends, near
from tests.sim.conftest import printed
from tests.sim.core.cards.looking import texts_apart
from tests.sim.duel.builders import DUEL, critter, critters, setup


def odds(first: Critter, second: Critter) -> DuelOdds:
    return DuelOddsRequest(group1=(first,), group2=(second,)).run()


def fighter(name: str, hp: int, strength: int = 0, **values: object) -> Critter:
    return critter(name, hp, str_mod=strength, **values)


def test_the_cost_of_hundreds_of_fighters_is_estimated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every batch needs the cost in the event loop, so it must be computed only once."""
    calls = 0
    chance = Critter.hit_chance

    def counted(striker: Critter, target: Critter) -> float:
        nonlocal calls
        calls += 1
        return chance(striker, target)

    monkeypatch.setattr(Critter, "hit_chance", counted)
    request = DuelOddsRequest(
        group1=tuple(fighter(f"A{number}", 8) for number in range(100)),
        group2=tuple(fighter(f"B{number}", 8) for number in range(100)),
    )
    assert request.cost() > 0
    assert sum(batch.cost() for batch in request.parts(None)) > 0
    assert request.battle_count
    assert calls <= 200


def test_one_hit_decides_between_the_weak() -> None:
    """Worked out by hand: the higher Dexterity strikes first."""
    p = 0.35
    ahead = sum(roll + 1 > other for roll in range(6) for other in range(6)) / 36
    tied = sum(roll + 1 == other for roll in range(6) for other in range(6)) / 36
    lead = ahead + tied / 2
    wins = (lead * p + (1 - lead) * (1 - p) * p) / (1 - (1 - p) ** 2)
    report = odds(fighter("A", 1, dex_mod=1), fighter("B", 1))
    assert report.p_win_first == pytest.approx(wins)
    assert report.rounds[0] == pytest.approx(1 - (1 - p) ** 2)
    assert report.mean_rounds == pytest.approx(1 / (1 - (1 - p) ** 2))
    percents = [words for words in texts_apart(odds_card(report, "AB")) if "%" in words]
    assert percents == [f"{100 * wins:.1f}%", f"B {100 * (1 - wins):.1f}%"], "each number once"


def checked(report: DuelOdds) -> None:
    """All chances add up, and the means are those of the distributions."""
    ends = report.p_win_first + report.p_win_second + report.p_never + report.p_given_up
    assert ends == pytest.approx(1, abs=1e-9)
    assert sum(report.rounds) + report.rounds_beyond == pytest.approx(1, abs=1e-9)
    for side, wins in ((report.first, report.p_win_first), (report.second, report.p_win_second)):
        assert sum(side.survivors) == pytest.approx(1, abs=1e-9)
        if side.hp_left:
            assert sum(side.hp_left[1:]) == pytest.approx(wins, abs=1e-9)
            assert side.mean_hp_left == pytest.approx(sum(hp * chance for hp, chance in enumerate(side.hp_left)))


@settings(deadline=None)
@given(critters("red", 40), critters("blue", 40))
def test_both_ways_round_the_odds_are_the_same(first: Critter, second: Critter) -> None:
    here, there = odds(first, second), odds(second, first)
    checked(here)
    assert here.lost_mass < 1e-9
    assert here.p_win_first == pytest.approx(there.p_win_second, abs=1e-9)
    assert here.first.hp_left == pytest.approx(there.second.hp_left, abs=1e-9)
    assert here.mean_rounds == pytest.approx(there.mean_rounds)


BATTLES = 4_000


@pytest.mark.statistics
@settings(max_examples=25, derandomize=True, deadline=None)
@given(critters("red"), critters("blue"), st.integers(0, 99))
def test_simulated_duels_agree_with_the_exact_odds(first: Critter, second: Critter, seed: int) -> None:
    exact, thrown = odds(first, second), simulate((first,), (second,), BATTLES, seed, 0).odds(seed)
    checked(thrown)
    wins = exact.p_win_first
    assert near(thrown.p_win_first, wins, BATTLES)
    variance = sum((n - exact.mean_rounds) ** 2 * p for n, p in enumerate(exact.rounds, start=1))
    assert near(thrown.mean_rounds, exact.mean_rounds, BATTLES, math.sqrt(variance) + 0.05)
    mean = exact.first.mean_hp_left
    left = sum((hp - mean) ** 2 * chance for hp, chance in enumerate(exact.first.hp_left))
    assert near(thrown.first.mean_hp_left, mean, BATTLES, math.sqrt(left))


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (fighter("A", 2, 1, dex_mod=1, damage="1d2"), fighter("B", 2, damage="1d1", to_hit=17)),
        (fighter("A", 1, damage="1d1", armour_class=6), fighter("B", 2, dex_mod=-1, damage="1d2-1")),
    ],
)
def test_what_is_played_is_what_the_odds_say(first: Critter, second: Critter) -> None:
    """Under dice that show every face, the rules of battles lead to the chances of the odds."""
    played = ends(
        DUEL.begin(setup([first], [second])),
        lambda state, dice: DUEL.apply(state, Continue(), "group-1", dice).state,
        key=lambda state: state.hp,
        is_over=lambda state: state.winner is not None,
    )
    exact = odds(first, second)
    for number, side in enumerate((exact.first, exact.second)):
        left = [float(sum(p for hp, p in played.items() if hp[number] == kept)) for kept in range(len(side.hp_left))]
        assert left == pytest.approx(side.hp_left, abs=1e-12)


GROUPS: dict[str, Any] = {
    "group1": (fighter("A", 8, 2, dex_mod=1), fighter("B", 4, damage="1d8")),
    "group2": tuple(fighter(f"G{number}", 3, damage="1d6", to_hit=18) for number in range(4)),
}


@pytest.mark.statistics
def test_played_fights_of_groups_agree_with_the_simulation() -> None:
    report = DuelOddsRequest(**GROUPS).run()
    checked(report)
    assert report.method == "simulated"
    assert report.simulation is not None
    assert report.simulation.battles == 10_000
    low, high = report.simulation.intervals["p_win_first"]
    assert low < report.p_win_first < high
    start = DUEL.begin(setup(GROUPS["group1"], GROUPS["group2"]))
    ends = [DUEL.apply(start, Run(), "group-1", SeededDice(b"groups", number)).state for number in range(2_000)]
    both = 1 / (1 / 2_000 + 1 / 10_000)  # so many tell as much as the difference
    assert near(sum(end.winner == "group-1" for end in ends) / 2_000, report.p_win_first, both)
    for count, chance in enumerate(report.second.survivors):
        seen = sum(len(end.living[1]) == count for end in ends) / 2_000
        assert near(seen, chance, both)


def test_batches_make_the_whole() -> None:
    request = DuelOddsRequest(**GROUPS, battles=1_001, seed=7)
    batches = pickle.loads(pickle.dumps(request.parts(None)))
    assert sum(batch.count for batch in batches) == 1_001
    tallies = [batch.run() for batch in batches]
    report = request.run()
    assert request.join(None, tallies[::-1]) == report
    assert texts_apart(odds_card(report, ("A and B", "4 guards")))[0].endswith(" win ")
    assert tallies[0] != tallies[1]
    assert DuelOddsRequest(**GROUPS, battles=1_001, seed=8).run().p_win_first != report.p_win_first
    assert 0 < sum(batch.cost() for batch in batches) - 0.09 == pytest.approx(request.cost())


@pytest.mark.process
def test_without_the_compiler_the_same_dice_fall() -> None:
    """While others compile, a worker answers without the compiler, with the same result."""
    request = DuelOddsRequest(**GROUPS, battles=200, seed=7)
    program = (
        "import sys; from sim.duel.requests import DuelOddsRequest; "
        "print(DuelOddsRequest.model_validate_json(sys.argv[1]).run().model_dump_json())"
    )
    said = printed(program, request.model_dump_json(), compiled=False)
    assert DuelOdds.model_validate_json(said) == request.run()


def test_groups_that_may_become_hopeless() -> None:
    """Only the priest can hit the ghost, which can't hit the knight."""
    ghost = critter("Ghost", 4, armour_class=-9)
    priest, knight = critter("Priest", 2, to_hit=8), critter("Knight", armour_class=-9)
    report = DuelOddsRequest(group1=(priest, knight), group2=(ghost,), battles=2_000).run()
    checked(report)
    assert 0.05 < report.p_never < 0.95
    assert report.p_win_second == 0
    assert report.first.survivors[0] == 0


@pytest.mark.parametrize(("hp", "most"), [(10, 0.1), (50, 0.1), (1_000, 2)])
def test_the_cost_of_exact_odds_is_known_before(hp: int, most: float) -> None:
    request = DuelOddsRequest(group1=(fighter("A", hp, -6),), group2=(fighter("B", hp, -6),))
    assert 0 < request.cost() < most
    checked(request.run())


def test_large_groups_are_simulated_less_often() -> None:
    many = [tuple(fighter(f"{side}{number}", 30) for number in range(100)) for side in "ab"]
    request = DuelOddsRequest(group1=many[0], group2=many[1])
    assert 200 <= request.battle_count < 10_000
    assert request.cost() < 4
    slow = [tuple(creature.model_copy(update={"hp": 1_000, "str_mod": -6}) for creature in group) for group in many]
    assert DuelOddsRequest(group1=slow[0], group2=slow[1]).cost() > 5
