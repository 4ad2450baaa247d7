"""Throws of the kernels: binomial for any number of dice, the same on every machine, and who steps in."""

import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from sim.core.kernels import kernel
from sim.marked_for_death.odds.chance import Ints, Tables, Words, binomial, derive_key, log_ratio, new_tables, pick
from sim.marked_for_death.odds.kernel import Field, FighterArrays, _guard, new_field
from sim.marked_for_death.odds.lineup import line_up
from sim.marked_for_death.odds.simulate import fighter_arrays
from tests.sim.marked_for_death.builders import fighter, roster

THROWS = 20_000


@kernel
def throw(tables: Tables, streams: Words, dice: int, chance: int) -> int:
    return binomial(tables, streams, 0, dice, chance)


@kernel
def count_guards(fighters: FighterArrays, field: Field, fighter: int, seen: Ints) -> None:
    for _ in range(2_000):
        seen[_guard(fighters, field, fighter)] += 1


def thrown(dice: int, chance: int, seed: int = 1) -> list[int]:
    tables, streams = new_tables(), np.array([seed], np.uint64)
    return [throw(tables, streams, dice, chance) for _ in range(THROWS)]


def binomial_pmf(dice: int, p: float, hits: int) -> float:
    ways = math.lgamma(dice + 1) - math.lgamma(hits + 1) - math.lgamma(dice - hits + 1)
    return math.exp(ways + hits * math.log(p) + (dice - hits) * math.log1p(-p))


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("dice", "chance"),
    [
        *((1, 300_000), (5, 610_000), (20, 50_000), (63, 990_000)),  # by table
        *((64, 100_000), (64, 999_000), (900, 1_000)),  # step by step
        *((64, 300_000), (100, 700_000), (5_000, 990_000), (20_000, 450_000)),  # by rejection
    ],
)
def test_hits_are_binomial(dice: int, chance: int) -> None:
    counts = np.bincount(thrown(dice, chance), minlength=dice + 1)
    expected = np.array([THROWS * binomial_pmf(dice, chance / 1e6, hits) for hits in range(dice + 1)])
    common = expected > 8
    rest = expected[~common].sum()
    far = float((((counts - expected) ** 2)[common] / expected[common]).sum())
    freedom = int(common.sum())
    assert far < freedom + 4.5 * math.sqrt(2 * freedom)
    assert abs(counts[~common].sum() - rest) < 4.5 * math.sqrt(rest) + 5


@pytest.mark.parametrize("dice", [64, 100, 5_000])
@pytest.mark.parametrize("chance", [Fraction(1, 20), Fraction(3, 10), Fraction(1, 2)])
def test_what_is_rejected_is_decided_by_exact_chances(dice: int, chance: Fraction) -> None:
    """Stirling's formula alone is wrong by thousandths here, which no number of throws that a test can make shows."""
    odds = chance / (1 - chance)
    top = math.floor((dice + 1) * chance)
    spread = math.isqrt(dice) * 3
    for hits in range(max(0, top - spread), min(dice, top + spread) + 1):
        exact = Fraction(math.comb(dice, hits), math.comb(dice, top)) * odds ** (hits - top)
        expected = math.log(exact.numerator) - math.log(exact.denominator)
        assert log_ratio(dice, float(odds), float(top), float(hits)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.statistics
@pytest.mark.parametrize("dice", [10**6, 10**9])
def test_very_many_dice(dice: int) -> None:
    hits = np.array(thrown(dice, 900_000), dtype=np.float64)
    deviation = math.sqrt(dice * 0.09)
    assert abs(hits.mean() - 0.9 * dice) < 4.5 * deviation / math.sqrt(THROWS)
    assert hits.std() == pytest.approx(deviation, rel=0.03)


def test_no_dice_and_no_chance_hit_nothing() -> None:
    tables, streams = new_tables(), np.array([1], np.uint64)
    assert throw(tables, streams, 5, 0) == 0
    assert throw(tables, streams, 0, 500_000) == 0


def test_a_better_chance_never_hits_less_with_the_same_word() -> None:
    tables = new_tables()
    for seed in range(2_000):
        hits = [throw(tables, np.array([seed], np.uint64), 12, chance) for chance in (300_000, 310_000, 600_000)]
        assert hits == sorted(hits)


def test_tables_that_overwrite_each_other_still_hold_the_right_figures() -> None:
    """More distributions than the cache has room for, used in turn and again."""
    tables = new_tables()
    first = [throw(tables, np.array([at], np.uint64), 7, 1_000 + at) for at in range(60_000)]
    again = [throw(new_tables(), np.array([at], np.uint64), 7, 1_000 + at) for at in range(0, 60_000, 997)]
    assert [throw(tables, np.array([at], np.uint64), 7, 1_000 + at) for at in range(60_000)] == first
    assert first[::997] == again


@pytest.mark.statistics
def test_choices_are_even() -> None:
    streams = np.array([3], np.uint64)
    counts = np.bincount([pick(streams, 0, 7) for _ in range(THROWS)], minlength=7)
    assert len(counts) == 7
    assert (((counts - THROWS / 7) ** 2) / (THROWS / 7)).sum() < 25


def test_keys_differ_by_every_step() -> None:
    seeds = [np.uint64(seed) for seed in range(9)]
    battles = [np.uint64(derive_key(seed, battle)) for seed in seeds for battle in range(9)]
    keys = {derive_key(battle, number) for battle in battles for number in range(9)}
    assert len(keys) == 9**3


def test_the_last_of_many_guards_share_the_attacks() -> None:
    heroes = roster(fighter("King"), *(fighter(f"g{at}", bodyguard_for="King") for at in range(40)))
    fighters, field = fighter_arrays(line_up(heroes, roster(fighter("V"))), 41), new_field(42)
    field.alive[[7, 30]] = 1
    field.living_guards[0] = 2
    seen = np.zeros(42, np.int64)
    count_guards(fighters, field, 0, seen)
    assert np.flatnonzero(seen).tolist() == [7, 30]
    assert abs(seen[7] - 1_000) < 4.5 * 2_000**0.5 / 2


PROGRAM = """
from sim.marked_for_death.odds.requests import OddsRequest, SensitivityRequest
from tests.sim.marked_for_death.builders import fighter, legion, roster
heroes = roster(*legion("h", 3).fighters, fighter("Big", 90_000))
odds = OddsRequest(heroes=heroes, villains=legion("v", 4), seed=2**64 - 1)
print(odds.batch(3, 8))
print(SensitivityRequest(odds=odds, battles=2).run())
"""


@pytest.mark.process
def test_the_same_without_the_compiler() -> None:
    """With warnings as errors: words that wrap around are meant to."""
    said = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    ]
    assert said[0]
    assert said[0] == said[1]
