"""Which units are lost first; the best order of losses: nothing beats it, and it is advice that can be typed."""

import math
import pickle
import time
from itertools import permutations
from typing import Unpack

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from sim.axis_allies.army import Army
from sim.axis_allies.casualties import LIFE_OF, Last, Order, Place
from sim.axis_allies.odds import SoFar, best_order, found_by
from sim.axis_allies.odds_report import OddsReport, order_sentence
from sim.axis_allies.parse import parse_question
from sim.axis_allies.parse.options import parse_casualties
from sim.axis_allies.question import NEVER, Withdrawal
from sim.axis_allies.requests import LuckRequest, OddsRequest, RetreatRequest
from sim.axis_allies.units import Unit
from sim.core import RuleError
from sim.core.staged_job import answer
from sim.core.values import Side
from tests.sim.axis_allies.builders import Battle, Options, asked, asking, battles, withdrawals
from tests.tables import kept_table

FLEETS = "3 sub, 2 dd, 1 cv, 2 ftr, 1 bb"
SAME, ROUNDING = 1e-9, 1e-13
PRESETS = ("score", "lives-first", "formula")
ORDERS = 24
"""The most orders that a battle is fought with in one test."""

limits = st.sampled_from([None, None, None, 1, 3])
sides = st.sampled_from(list(Side))


def question(battle: Battle, **terms: Unpack[Options]) -> OddsRequest:
    """Return what is asked about a battle; it must be possible."""
    asks = {**asked(battle), "outcomes": 1, **terms}
    withdrawal = terms.get("withdrawal", NEVER)
    try:
        withdrawal.check(asks["attacker"], asks["defender"])
    except RuleError:
        reject()  # a condition that holds before the first round
    return OddsRequest.model_validate(asks)


def fought(request: OddsRequest, side: Side, casualties: object) -> OddsReport:
    """Return the odds with other casualties of a side."""
    return request.model_copy(update={f"{side}_casualties": casualties}).run()


def worth(report: OddsReport, side: Side) -> tuple[float, float, float]:
    """Return what counts for a side: its chance, minus the enemy's, and the swing."""
    swing = report.def_ipc_lost - report.att_ipc_lost
    if side is Side.ATTACKER:
        return report.p_attacker, -report.p_defender, swing
    return report.p_defender, -report.p_attacker, -swing


def is_better(mine: tuple[float, ...], yours: tuple[float, ...]) -> bool:
    """Return whether `mine` is better in what comes first, or in the next if that is the same, but for rounding.

    Not where a difference may be rounding or not.
    """
    for here, there in zip(mine, yours, strict=True):
        if abs(here - there) > ROUNDING:
            return here > there + SAME
    return False


def kinds(army: Army) -> list[Place]:
    """Return everything that an order of an army's losses may name."""
    places: list[Place] = []
    for group in army.groups:
        if not army.book.units[group.unit].mark:
            places.append(group.unit)
        if group.lives:
            places.append(LIFE_OF[group.unit])
        if group.unit is Unit.DESTROYER and group.count > 1:
            places.append(Last.DESTROYER)
    return places


def some_orders(army: Army) -> list[Order]:
    """Return orders of an army's losses, all or spread over all, the last destroyer after the others."""
    orders = [
        order
        for order in permutations(kinds(army))
        if Last.DESTROYER not in order or order.index(Last.DESTROYER) > order.index(Unit.DESTROYER)
    ]
    return orders[:: max(1, len(orders) // ORDERS)]


def check_orders(request: OddsRequest, side: Side, *orders: Order) -> None:
    """Check that none of the usual orders, nor of these, is better than those found."""
    smart = fought(request, side, "smart")
    best = worth(smart, side)
    thrifty = worth(fought(request, side, "thrifty"), side)[2]
    for order in (*PRESETS, *orders):
        other = worth(fought(request, side, order), side)
        assert not is_better(other, best), (order, smart.found_orders)
        assert other[2] <= thrifty + SAME, order


@given(battles(most=5), sides, limits, withdrawals)
@settings(max_examples=25, deadline=None)
def test_no_order_is_better(battle: Battle, side: Side, stop_after: int | None, withdrawal: Withdrawal) -> None:
    request = question(battle, stop_after=stop_after, withdrawal=withdrawal)
    check_orders(request, side, *some_orders(request.army(side)))


@pytest.mark.statistics
@given(battles(most=8), sides)
@settings(max_examples=2_000, deadline=None, derandomize=True)
def test_the_usual_orders_are_never_better(battle: Battle, side: Side) -> None:
    check_orders(question(battle), side)


@pytest.mark.parametrize("side", Side)
def test_the_usual_orders_never_win_more_often_in_battles_too_large_to_try_all(side: Side) -> None:
    fleet = "6 sub, 4 dd, 2 ca, 2 cv, 4 ftr, 2 bb, 2 tr"
    request = asking(f"1942: {fleet} vs {fleet}")
    report = fought(request, side, "smart")
    (found,) = report.found_orders
    assert not found.complete
    assert found.remark() == "The best order found: there are too many to try them all."
    for order in PRESETS:
        assert not is_better(worth(fought(request, side, order), side), worth(report, side)), order


@given(battles(most=5))
@settings(max_examples=15, deadline=None)
def test_where_both_sides_search_each_order_answers_the_other(battle: Battle) -> None:
    request = question(battle, casualties="smart")
    found = {order.side: order for order in request.run().found_orders}
    answered = request.model_copy(update={f"{side}_casualties": order.order for side, order in found.items()})
    for side, order in found.items():
        if order.settled:
            again = fought(answered, side, "smart")
            assert not is_better(worth(again, side), worth(answered.run(), side))
        else:
            assert order.remark().startswith("Each side has a better answer")


@given(battles(most=6), sides)
@settings(max_examples=25, deadline=None)
def test_the_order_found_can_be_typed_and_fought_with(battle: Battle, side: Side) -> None:
    request = question(battle)
    report = fought(request, side, "smart")
    for found in report.found_orders:
        order = parse_casualties(order_sentence(found.order))
        assert order == found.order
        again = fought(request, side, order)
        assert worth(again, side) == worth(report, side)
        assert again.found_orders == ()


def test_the_sentence_names_what_is_lost_first() -> None:
    request = asking("1942: 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb vs 3 sub, 2 dd, 1 cv, 2 ftr, 1 bb, 1 tr")
    (found,) = fought(request, Side.ATTACKER, "smart").found_orders
    sentence = "battleship lives, aircraft carriers, destroyers, submarines, last destroyer, fighters, battleships"
    assert order_sentence(found.order) == f"Lose: {sentence}"
    assert found.complete
    assert found.remark() == ""


def test_retreats_and_luck_are_told_for_the_order_found() -> None:
    battle = asking("1942: 2 inf, 2 tanks, 1 ftr vs 3 inf, 1 tank, 1 bmr", casualties="smart")
    armies = {"attacker": battle.attacker, "defender": battle.defender}
    left = {"attacker_left": Army(edition="1942"), "defender_left": battle.defender}
    for smart in (
        RetreatRequest.model_validate({**armies, "casualties": "smart"}),
        LuckRequest.model_validate({**armies, **left, "casualties": "smart"}),
    ):
        resolved, found = smart.resolved()
        assert len(found) == len(Side)
        report = smart.run()
        assert report.found_orders == found
        assert report.model_copy(update={"found_orders": ()}) == resolved.run()
        assert smart.cost() > resolved.cost()


@pytest.mark.process
@pytest.mark.parametrize(("text", "seconds"), kept_table(__file__, "search_keeps_its"))
def test_the_search_keeps_its_time(text: str, seconds: float) -> None:
    """With four times the time that it has on an idle machine."""
    request = asking(text, casualties="smart")
    request.resolved()
    start = time.process_time()
    request.resolved()
    assert time.process_time() - start < 4 * seconds


@pytest.mark.parametrize("text", kept_table(__file__, "in_parts"))
def test_parts_find_what_one_job_finds(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    request = OddsRequest(**parse_question(text).fields)
    monkeypatch.setattr(best_order, "LONG_SECONDS", math.inf)
    whole = request.search.join(None, ())
    assert not whole.parts
    monkeypatch.setattr(best_order, "LONG_SECONDS", 0.0)
    begun: SoFar = request.search.join(None, ())
    assert len(begun.parts) > 1
    assert len(pickle.dumps(begun)) < 100_000
    assert found_by(answer(request.search)) == found_by(whole)
