"""What games tell of their dice and of who won, held against what really happens."""

from collections import defaultdict
from fractions import Fraction
from math import sqrt

import pytest

from sim.core.luck import Bag, Throw, ThrowsDice, expected, mean
from sim.core.standings import standings
from tests.conformance.example import Example, example_of, registered
from tests.conformance.plays import Play, play, plays

WITH_DICE = ("aa-battle", "mfd-battle", "duel", "dungeon")
BATTLES = 40


@pytest.fixture(params=WITH_DICE)
def example(request: pytest.FixtureRequest) -> Example:
    return example_of(request.param)


def thrown(example: Example, played: Play) -> list[Throw]:
    assert isinstance(example.system, ThrowsDice)
    return [throw for turn in played.turns for throw in example.system.throws(turn.state, turn.step.events)]


def variance(bag: Bag) -> Fraction:
    squares = ((die, Fraction(sum(value**2 * weight for value, weight in enumerate(die)), sum(die))) for die, _ in bag)
    return sum(
        (count * (square - mean(die) ** 2) for (die, square), (_, count) in zip(squares, bag, strict=True)), Fraction(0)
    )


def test_these_games_tell_of_their_dice() -> None:
    found = {name for name in registered() if isinstance(example_of(name).system, ThrowsDice)}
    assert set(WITH_DICE) <= found


def test_dice_show_what_they_can_show(example: Example) -> None:
    found = [throw for played in plays(example.system.name) for throw in thrown(example, played)]
    assert found
    for throw in found:
        least = sum(count * next(value for value, weight in enumerate(die) if weight) for die, count in throw.dice)
        assert least <= throw.rolled <= sum(count * (len(die) - 1) for die, count in throw.dice)


@pytest.mark.statistics
def test_dice_are_as_good_as_games_tell(example: Example) -> None:
    """What is thrown less what is expected is fair at every throw, so its sum is, however a battle goes on."""
    totals: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for name, setup in example.setups.items():
        for number in range(BATTLES):
            seed = f"{name} {number}".encode()
            played = Play(setup, seed, tuple(play(example, setup, seed, most=12)))
            for throw in thrown(example, played):
                total, spread = totals[throw.unit]
                more = float(throw.rolled - expected(throw.dice))
                totals[throw.unit] = (total + more, spread + float(variance(throw.dice)))
    for unit, (total, spread) in totals.items():
        assert spread > 50, f"{unit}: too few dice to tell"
        assert abs(total) < 4 * sqrt(spread), unit


@pytest.mark.parametrize("name", registered())
def test_teams_are_known_when_a_battle_is_decided(name: str) -> None:
    system = example_of(name).system
    for played in plays(name):
        for state in played.states:
            teams = standings(system, state, ("attacker", "defender"))
            if system.outcome(state) is None:
                assert teams == ()
                continue
            seats = [seat for team in teams for seat in team.seats]
            assert len(seats) == len(set(seats))
            outcome = system.outcome(state)
            first = [team for team in teams if team.place == 1]
            assert outcome is not None
            if outcome.winner in seats:
                assert [team.seats for team in first] == [(outcome.winner,)]
