"""A simulation in parts: battle number i depends on the seed and i alone, so every split comes to the same."""

import itertools
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.marked_for_death.odds import sampling
from sim.marked_for_death.odds.requests import PARTS, OddsBatch, OddsRequest, SoFar, report_of
from sim.marked_for_death.odds.sampling import Tally
from sim.marked_for_death.reports import OddsReport
from sim.workers.queue import QUICK_SECONDS
from tests.sim.marked_for_death.odds.builders import crowd, fighter, side

REQUEST = OddsRequest(heroes=crowd("h", 6), villains=crowd("v", 5), seed=7, battles=3_000)
WHOLE = REQUEST.batch(0, 300)


@given(st.lists(st.integers(1, 299), max_size=5))
@settings(max_examples=20, deadline=None)
def test_any_split_gives_the_same_tally(cuts: list[int]) -> None:
    marks = sorted({0, 300, *cuts})
    first, *others = (REQUEST.batch(start, end - start) for start, end in itertools.pairwise(marks))
    for part in others:
        first += part
    assert first == WHOLE


def test_only_neighbours_add_up() -> None:
    with pytest.raises(ValueError, match="follow"):
        REQUEST.batch(0, 10) + REQUEST.batch(11, 10)
    with pytest.raises(ValueError, match="follow"):
        REQUEST.batch(10, 10) + REQUEST.batch(0, 10)


def test_the_seed_decides() -> None:
    assert REQUEST.batch(0, 50) == REQUEST.batch(0, 50)
    assert REQUEST.model_copy(update={"seed": 8}).batch(0, 50) != REQUEST.batch(0, 50)


def test_parts_and_one_go_answer_alike() -> None:
    partial = None
    shares = []
    while parts := REQUEST.parts(partial):
        parts = tuple(OddsBatch.model_validate_json(part.model_dump_json()) for part in parts)
        reports = [Tally.model_validate_json(part.run().model_dump_json()) for part in parts]
        shares += [REQUEST.progress(partial, reports[: count + 1])[0] for count in range(len(reports))]
        partial = pickle.loads(pickle.dumps(REQUEST.join(partial, reports)))  # our own
    assert partial is not None
    odds = report_of(partial)
    assert odds == REQUEST.run() == REQUEST.report(REQUEST.batch(0, 3_000))
    assert OddsReport.model_validate_json(odds.model_dump_json()) == odds
    assert partial.tally.battles == 3_000
    assert shares == sorted(shares)
    assert len(shares) == 1 + PARTS
    assert shares[-1] == 1


def test_parts_after_one_that_ends_early_do_not_count() -> None:
    """As if the battles had been fought one after the other; the next parts are smaller."""
    request = REQUEST.model_copy(update={"battles": None})
    first = request.join(None, [REQUEST.batch(0, 100)])
    reports = [REQUEST.batch(100, 100), REQUEST.batch(200, 7), REQUEST.batch(300, 100)]
    after = request.join(first, reports)
    assert after.tally == REQUEST.batch(0, 207)
    assert after.wanted == PARTS * 7
    assert [(part.first, part.count) for part in request.parts(after)] == [(207 + 7 * at, 7) for at in range(PARTS)]


def test_it_stops_when_every_chance_is_known_to_half_a_point() -> None:
    request = OddsRequest(heroes=crowd("h", 2), villains=crowd("v", 2))
    odds = request.run()
    assert odds.simulation is not None
    assert odds.simulation.settled
    assert odds.simulation.battles < 45_000
    chances = (getattr(odds.simulation.intervals, name) for name in ("p_heroes", "p_villains", "p_both_fall"))
    survival = (fighter_odds.intervals.p_survives for fighter_odds in odds.fighters if fighter_odds.intervals)
    assert max(high - low for low, high in (*chances, *survival)) <= 0.01
    assert sum((odds.p_heroes, odds.p_villains, odds.p_both_fall, odds.p_undecided)) == pytest.approx(1)


def test_lopsided_odds_are_known_sooner() -> None:
    odds = OddsRequest(heroes=crowd("h", 9, 30), villains=side(fighter("V"), fighter("W"))).run()
    assert odds.simulation is not None
    assert odds.simulation.settled
    assert odds.simulation.battles <= 2_000


def test_no_more_battles_than_asked_for() -> None:
    odds = OddsRequest(heroes=crowd("h", 3), villains=crowd("v", 3), battles=123).run()
    assert odds.simulation is not None
    assert (odds.simulation.battles, odds.simulation.settled) == (123, False)


def test_endless_work_is_cut_down() -> None:
    """A tally says what it cost, and nobody asks for more than the limit."""
    costly = WHOLE.model_copy(update={"work": sampling.MAX_WORK})
    assert sampling.next_count(costly, None) == 0
    slow = WHOLE.model_copy(update={"work": 300 * sampling.BATCH_WORK // 50})
    assert sampling.next_count(slow, None) == 50


def test_battles_without_end_are_given_up() -> None:
    """A million HP, and hardly a hit: a battle without a round limit is given up."""
    wall = side(fighter("A", 1, 1_000_000), fighter("B", 1, 1_000_000))
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
            batch = OddsBatch(request=part_request, first=first, count=10)
            assert pickle.loads(pickle.dumps(batch)) == batch  # our own
    assert packed == 2


def test_exact_odds_need_no_parts() -> None:
    lone = side(fighter("A"))
    assert OddsRequest(heroes=lone, villains=lone).duel() is not None


def test_costs_come_before_the_work() -> None:
    small, large = (OddsRequest(heroes=crowd("h", n), villains=crowd("v", n)) for n in (2, 200))
    lone = side(fighter("A"))
    assert 0 < OddsRequest(heroes=lone, villains=lone).cost() < 0.1 < small.cost() < large.cost() <= 30
    (first,) = large.parts(None)
    assert first.cost() <= QUICK_SECONDS
    parts = large.parts(SoFar(WHOLE, 5_000, 40_000, None))
    assert len(parts) == PARTS
    assert all(part.cost() <= QUICK_SECONDS for part in parts), "they may take the last worker"


@pytest.mark.process
def test_merging_needs_no_heavy_library() -> None:
    """The bot's own process asks, adds up and reports; workers throw."""
    program = (
        "import sys; from sim.marked_for_death.odds.requests import *\n"
        "from tests.sim.marked_for_death.odds.builders import *\n"
        "request = OddsRequest(heroes=crowd('h', 3), villains=crowd('v', 3)); request.cost()\n"
        "tally = Tally.model_validate_json(sys.argv[1])\n"
        "request.parts(request.join(None, [tally])); SensitivityRequest(odds=request).cost()\n"
        "print({'numpy', 'numba'} & set(sys.modules))"
    )
    tally = OddsRequest(heroes=crowd("h", 3), villains=crowd("v", 3)).batch(0, 20).model_dump_json()
    said = subprocess.run([sys.executable, "-c", program, tally], capture_output=True, text=True, check=True)
    assert said.stdout == "set()\n"
