"""The dice that count for luck are those of the battle's own tally, in every edition and with every kind of dice."""

import random
from fractions import Fraction

import pytest

from sim.axis_allies.battle.values import RunOut
from sim.core.dice import SeededDice
from sim.core.luck import Bag, Throw, chance, expected, poured
from sim.core.luck_odds import Sums
from sim.core.values import Side
from tests.sim.axis_allies.battle.builders import BATTLE, begin

BATTLES = 600

SETUPS = [
    ("1941", "10 inf 3 tanks 2 fig vs 8 inf 2 fig"),
    ("1942", "6 inf, 2 art, 1 tank, 2 ftr + 2 bb bombard vs 5 inf, 1 art, 2 aa, 1 ftr"),
    ("1940", "6 inf, 2 art, 3 ftr, 2 bmb vs 5 inf, 3 aa, 1 ftr | tech attacker: heavy bombers; defender: radar"),
    ("revised", "2 sub 2 dd 3 ftr 3 bmb vs 3 sub 2 dd 1 bb | tech attacker: heavy bombers"),
    ("1941", "7 inf 4 tanks vs 9 inf | low luck"),
]


def thrown(setup: str, edition: str, seed: bytes) -> tuple[list[Throw], object]:
    state = begin(setup, edition=edition)
    step = BATTLE.apply(state, RunOut(), "attacker", SeededDice(seed, 1))
    return list(BATTLE.throws(state, step.events)), step.state


def variance(bag: Bag) -> Fraction:
    chances = [(count, Fraction(die[-1], sum(die))) for die, count in bag]
    return sum((count * chance * (1 - chance) for count, chance in chances), Fraction(0))


@pytest.mark.parametrize(("edition", "setup"), SETUPS)
def test_dice_are_those_of_the_tally(edition: str, setup: str) -> None:
    for number in range(20):
        throws, after = thrown(setup, edition, bytes([number]))
        for side in Side:
            tally = getattr(after, f"{side}_fire")
            bag = poured(throw.dice for throw in throws if throw.seat == side)
            assert sum(throw.rolled for throw in throws if throw.seat == side) == tally.hits
            assert (6 * expected(bag), 36 * variance(bag)) == (tally.sixths, tally.variance)


def test_moments_are_rounds_and_what_comes_before_them() -> None:
    throws, _ = thrown("6 inf, 2 ftr + 2 bb bombard vs 5 inf, 2 aa", "1942", b"moments")
    moments = list(dict.fromkeys(throw.moment for throw in throws))
    assert moments[0] == "antiaircraft fire"
    assert "round 1" in moments
    guns = next(throw for throw in throws if throw.moment == "antiaircraft fire")
    assert (guns.seat, guns.dice) == ("defender", ((chance(1, 6), 2),))


@pytest.mark.statistics
def test_who_rolls_well_ends_a_battle_sooner_which_shifts_a_single_one_by_a_few_points() -> None:
    """The odds are those of the dice thrown, as if their number had been fixed; the battle's end depends on them."""
    dice = random.Random("the luck of one battle")
    places = []
    for _ in range(BATTLES):
        throws, _state = thrown("6 inf 2 tanks vs 5 inf", "1941", dice.randbytes(8))
        own = [throw for throw in throws if throw.seat == "attacker"]
        sums = Sums.of(poured(throw.dice for throw in own))
        places.append(sums.place(sum(throw.rolled for throw in own), dice.getrandbits(32)))
    places.sort()
    apart = max(abs(place - (at + 0.5) / BATTLES) for at, place in enumerate(places))
    assert apart < 0.1
    assert abs(sum(places) / BATTLES - 0.5) < 0.05
