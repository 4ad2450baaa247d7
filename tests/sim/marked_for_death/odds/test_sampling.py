"""A simulation in parts, its throws, and whose presence moves the odds: the same battles with and without a fighter.

Battle number i depends on the seed and i alone, so every split comes to the same.
"""

import itertools
import math
import pickle
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from sim.core.kernels import kernel
from sim.marked_for_death.odds import PARTS, Batch, OddsRequest, SensitivityRequest, SoFar, report_of, sampling
from sim.marked_for_death.odds.chance import Ints, Tables, Words, binomial, derive_key, log_ratio, pick
from sim.marked_for_death.odds.sampling import MAX_LEFT_OUT, line_up, paired_interval
from sim.marked_for_death.odds.simulate import Field, FighterArrays, _guard, fighter_arrays, new_field
from sim.marked_for_death.roster import Camp, Roster
from sim.workers.queue import QUICK_SECONDS
from tests.sim.branching import FAR, near
from tests.sim.conftest import printed
from tests.sim.marked_for_death.builders import buff, fighter, legion, roster
from tests.sim.marked_for_death.odds.enumerate_battle import Battle

REQUEST = OddsRequest(heroes=legion("h", 6), villains=legion("v", 5), seed=7, battles=3_000)
WHOLE = REQUEST.batch(0, 300)
M = TypeVar("M", bound=BaseModel)


@given(st.lists(st.integers(1, 299), max_size=5))
@settings(max_examples=20, deadline=None)
def test_any_split_gives_the_same_tally(cuts: list[int]) -> None:
    marks = sorted({0, 300, *cuts})
    first, *others = (REQUEST.batch(start, end - start) for start, end in itertools.pairwise(marks))
    for part in others:
        first += part
    assert first == WHOLE


def again(value: M) -> M:
    """Return a value as it comes out of its JSON form."""
    return type(value).model_validate_json(value.model_dump_json())


@pytest.mark.parametrize("request_", [REQUEST, SensitivityRequest(odds=REQUEST, battles=1_500)])
def test_parts_and_one_go_answer_alike(request_: OddsRequest | SensitivityRequest) -> None:
    asked: Any = request_
    partial: SoFar[Any, Any] | None = None
    shares: list[float] = []
    while parts := asked.parts(partial):
        reports = [again(pickle.loads(pickle.dumps(part)).run()) for part in parts]
        shares += [asked.progress(partial, reports[: count + 1])[0] for count in range(len(reports))]
        partial = pickle.loads(pickle.dumps(asked.join(partial, reports)))  # our own
    assert partial is not None
    report = report_of(partial)
    assert report == again(report) == asked.run()
    assert partial.tally.battles == asked.battles
    assert partial.tally == Batch(asked, 0, asked.battles).run()
    assert shares == sorted(shares)
    assert len(shares) == 1 + PARTS
    assert shares[-1] == 1
    assert REQUEST.model_copy(update={"seed": 8}).batch(0, 300) != WHOLE, "the seed decides"


def test_parts_after_one_that_ends_early_do_not_count() -> None:
    """As if the battles had been fought one after the other; the next parts are smaller."""
    request = REQUEST.model_copy(update={"battles": None})
    first: SoFar[Any, Any] = SoFar(REQUEST.batch(0, 100), 100 * PARTS, None)
    reports = [REQUEST.batch(part.first, 7 if at == 1 else 100) for at, part in enumerate(request.parts(first))]
    after = request.join(first, reports)
    assert after.tally == REQUEST.batch(0, 207)
    assert after.wanted == PARTS * 7
    assert [(part.first, part.count) for part in request.parts(after)] == [(207 + 7 * at, 7) for at in range(PARTS)]


def test_it_stops_when_every_chance_is_known_to_half_a_point() -> None:
    request = OddsRequest(heroes=legion("h", 2), villains=legion("v", 2))
    odds = request.run()
    assert odds.simulation is not None
    assert odds.simulation.settled
    assert odds.simulation.battles < 45_000
    chances = (odds.simulation.intervals[name] for name in ("p_heroes", "p_villains", "p_both_fall"))
    survival = (fighter_odds.intervals["p_survives"] for fighter_odds in odds.fighters if fighter_odds.intervals)
    assert max(high - low for low, high in (*chances, *survival)) <= 0.01
    assert sum((odds.p_heroes, odds.p_villains, odds.p_both_fall, odds.p_undecided)) == pytest.approx(1)


def test_lopsided_odds_are_known_sooner() -> None:
    odds = OddsRequest(heroes=legion("h", 9, 30), villains=roster(fighter("V"), fighter("W"))).run()
    assert odds.simulation is not None
    assert odds.simulation.settled
    assert odds.simulation.battles <= 2_000


def test_endless_work_is_cut_down() -> None:
    """A tally says what it cost, and nobody asks for more than the limit."""
    costly = WHOLE.model_copy(update={"work": sampling.MAX_WORK})
    unlimited = REQUEST.model_copy(update={"battles": None})
    assert unlimited.next_count(costly) == 0
    slow = WHOLE.model_copy(update={"work": 300 * sampling.BATCH_WORK // 50})
    assert unlimited.next_count(slow) == 50


def test_battles_without_end_are_given_up() -> None:
    """A million HP, and hardly a hit: a battle without a round limit is given up."""
    wall = roster(fighter("A", 1000, 1_000_000), fighter("B", 1000, 1_000_000))
    request = OddsRequest(heroes=wall, villains=wall)
    odds = request.report(request.batch(0, 2))
    assert odds.simulation is not None
    assert odds.simulation.cut_off == 1
    assert odds.p_undecided == 1


def test_both_rosters_are_packed_once_for_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packing two large rosters for every part would keep the bot from answering anybody else."""
    packed = 0
    dump = OddsRequest.model_dump_json

    def counted(request: OddsRequest) -> str:
        nonlocal packed
        packed += 1
        return dump(request)

    request = REQUEST.model_copy(update={"seed": 123})
    other = request.model_copy(update={"seed": 124})
    monkeypatch.setattr(OddsRequest, "model_dump_json", counted)
    for part_request in (request, other):
        for first in (0, 10, 20):
            batch = Batch(part_request, first, 10)
            assert pickle.loads(pickle.dumps(batch)) == batch  # our own
    assert packed == 2


def test_costs_come_before_the_work() -> None:
    small, large = (OddsRequest(heroes=legion("h", n), villains=legion("v", n)) for n in (2, 200))
    lone = roster(fighter("A"))
    assert 0 < OddsRequest(heroes=lone, villains=lone).cost() < 0.1 < small.cost() < large.cost() <= 30
    (first,) = large.parts(None)
    assert first.cost() <= QUICK_SECONDS
    parts = large.parts(SoFar(WHOLE, 5_000, None))
    assert len(parts) == PARTS
    assert all(part.cost() <= QUICK_SECONDS for part in parts), "they may take the last worker"


@pytest.mark.process
def test_merging_needs_no_heavy_library() -> None:
    """The bot's own process asks, adds up and reports; workers throw."""
    program = (
        "import sys; from sim.marked_for_death.odds import *\n"
        "from tests.sim.marked_for_death.builders import *\n"
        "request = OddsRequest(heroes=legion('h', 3), villains=legion('v', 3)); request.cost()\n"
        "tally = Tally.model_validate_json(sys.argv[1])\n"
        "request.parts(request.join(None, [tally])); SensitivityRequest(odds=request).cost()\n"
        "print({'numpy', 'numba'} & set(sys.modules))"
    )
    tally = OddsRequest(heroes=legion("h", 3), villains=legion("v", 3)).batch(0, 20).model_dump_json()
    assert printed(program, tally) == "set()\n"


BIG_AND_SMALL = roster(
    fighter("Big", 3000, 2, buffs=(buff("Small", "0.4", "0.3"),)), fighter("Small", 1000, 1), fighter("Gone", 5000, 0)
)
LINKED = roster(fighter("C", 2000, 2, linked_to="D"), fighter("D", 1000, 1))
WEIGHTS = SensitivityRequest(odds=OddsRequest(heroes=BIG_AND_SMALL, villains=LINKED, seed=4), battles=20_000)


def without(side: Roster, name: str) -> Roster:
    return roster(*(member for member in side.fighters if member.name != name))


def test_the_difference_is_that_of_two_battles() -> None:
    """With and without each fighter, worked out by going through everything."""
    report = WEIGHTS.run()
    both = Battle(BIG_AND_SMALL, LINKED).ends(enough=1e-7)
    assert {weight.name for weight in report.weights} == {"Big", "Small", "C", "D"}
    missed = 0
    for weight in report.weights:
        if weight.camp is Camp.HEROES:
            change = both.heroes - Battle(without(BIG_AND_SMALL, weight.name), LINKED).ends(enough=1e-7).heroes
        else:
            change = both.villains - Battle(BIG_AND_SMALL, without(LINKED, weight.name)).ends(enough=1e-7).villains
        low, high = weight.interval
        assert low <= weight.gain <= high
        assert low - (high - low) / 2 <= change <= high + (high - low) / 2
        assert weight.gain == pytest.approx(weight.p_with - weight.p_without)
        missed += not low <= change <= high
    assert missed <= 1
    gains = [abs(weight.gain) for weight in report.weights]
    assert gains == sorted(gains, reverse=True)


def test_the_only_fighter_is_worth_all_its_chance() -> None:
    odds = OddsRequest(heroes=roster(fighter("A", 5000)), villains=roster(fighter("B", 5000)))
    for weight in SensitivityRequest(odds=odds, battles=2_000).run().weights:
        assert weight.p_without == 0
        assert weight.gain == weight.p_with > 0


@pytest.mark.statistics
def test_who_does_nothing_changes_hardly_a_battle() -> None:
    """Common numbers: a bystander of one die moves few battles, so its difference is known far better than the odds."""
    heroes = roster(*legion("h", 8).fighters, fighter("Bystander", 1000, 1))
    odds = OddsRequest(heroes=heroes, villains=legion("v", 9), seed=2)
    report = SensitivityRequest(odds=odds, battles=2_000).run()
    bystander = next(weight for weight in report.weights if weight.name == "Bystander")
    low, high = bystander.interval
    apart = 2 * 1.96 * (2 * 0.25 / report.battles) ** 0.5  # of two simulations that share nothing
    assert high - low < 0.8 * apart


def test_of_many_the_weightiest_are_tried() -> None:
    heroes = roster(*legion("h", 40).fighters, fighter("Champion", 60_000), fighter("Ghost", 90_000, 0))
    request = SensitivityRequest(odds=OddsRequest(heroes=heroes, villains=legion("v", 40)), battles=20)
    report = request.run()
    assert len(report.weights) == MAX_LEFT_OUT
    assert report.skipped == 81 - MAX_LEFT_OUT
    assert "Champion" in {weight.name for weight in report.weights}
    assert "Ghost" not in {weight.name for weight in report.weights}


def test_an_interval_of_pairs() -> None:
    low, high = paired_interval(300, 100, 1_000)
    assert low < 0.2 < high
    assert high - low == pytest.approx(2 * 1.96 * ((0.4 - 0.2**2) / 1_000) ** 0.5, rel=0.01)
    low, high = paired_interval(0, 0, 1_000)
    assert low < 0 < high < 0.01


THROWS = 20_000


@kernel
def throw(tables: Tables, streams: Words, dice: int, chance: int) -> int:
    return binomial(tables, streams, 0, dice, chance)


@kernel
def count_guards(fighters: FighterArrays, field: Field, fighter: int, seen: Ints) -> None:
    for _ in range(2_000):
        seen[_guard(fighters, field, fighter)] += 1


def thrown(dice: int, chance: int, seed: int = 1) -> list[int]:
    tables, streams = Tables.new(), np.array([seed], np.uint64)
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
    assert far < freedom + FAR * math.sqrt(2 * freedom)
    assert abs(counts[~common].sum() - rest) < FAR * math.sqrt(rest) + 5


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
    assert near(hits.mean(), 0.9 * dice, THROWS, deviation)
    assert hits.std() == pytest.approx(deviation, rel=0.03)


def test_no_dice_and_no_chance_hit_nothing() -> None:
    tables, streams = Tables.new(), np.array([1], np.uint64)
    assert throw(tables, streams, 5, 0) == 0
    assert throw(tables, streams, 0, 500_000) == 0


def test_a_better_chance_never_hits_less_with_the_same_word() -> None:
    tables = Tables.new()
    for seed in range(2_000):
        hits = [throw(tables, np.array([seed], np.uint64), 12, chance) for chance in (300_000, 310_000, 600_000)]
        assert hits == sorted(hits)


def test_tables_that_overwrite_each_other_still_hold_the_right_figures() -> None:
    """More distributions than the cache has room for, used in turn and again."""
    tables = Tables.new()
    first = [throw(tables, np.array([at], np.uint64), 7, 1_000 + at) for at in range(60_000)]
    again = [throw(Tables.new(), np.array([at], np.uint64), 7, 1_000 + at) for at in range(0, 60_000, 997)]
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
    assert near(seen[7] / 2_000, 0.5, 2_000)


PROGRAM = """
from sim.marked_for_death.odds import OddsRequest, SensitivityRequest
from tests.sim.marked_for_death.builders import fighter, legion, roster
heroes = roster(*legion("h", 3).fighters, fighter("Big", 90_000))
odds = OddsRequest(heroes=heroes, villains=legion("v", 4), seed=2**64 - 1)
print(odds.batch(3, 8))
print(SensitivityRequest(odds=odds, battles=2).run())
"""


@pytest.mark.process
def test_the_same_without_the_compiler() -> None:
    """With warnings as errors: words that wrap around are meant to."""
    assert printed(PROGRAM) == printed(PROGRAM, compiled=False) != ""
