"""Searches for the best orders in parts find what they find in one go."""

import math
import pickle

import pytest

from sim.axis_allies.odds import best_order
from sim.axis_allies.odds.order_problem import OrderProblem, SoFar
from sim.axis_allies.odds.order_search import found_by
from sim.axis_allies.parse import parse_battle
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.withdrawal import NEVER
from sim.core.staged_job import answer
from sim.core.values import Side

FLEETS = "3 sub, 2 dd, 1 cv, 2 ftr, 1 bb"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        (f"1942: {FLEETS} vs {FLEETS}", {"casualties": "smart"}),
        (f"1942: {FLEETS} vs {FLEETS}", {"defender_casualties": "thrifty"}),
        ("1942: 9 inf, 4 art, 5 tank, 3 ftr vs 9 inf, 4 art", {"attacker_casualties": "smart", "must_take": True}),
        ("1942: 6 sub, 4 dd, 2 cv, 4 ftr, 2 bb, 2 tr vs 6 sub, 4 dd, 4 ftr, 2 tr", {"casualties": "smart"}),
    ],
)
def test_parts_find_what_one_job_finds(text: str, terms: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    request = OddsRequest.model_validate({**parse_battle(text), **terms})
    monkeypatch.setattr(best_order, "LONG_SECONDS", math.inf)
    whole = request.search.join(None, ())
    assert not whole.parts
    monkeypatch.setattr(best_order, "LONG_SECONDS", 0.0)
    begun: SoFar = request.search.join(None, ())
    assert len(begun.parts) > 1
    assert len(pickle.dumps(begun)) < 100_000
    assert found_by(answer(request.search)) == found_by(whole)


def test_every_order_is_tried_by_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    request = OddsRequest.model_validate(
        {**parse_battle("1942: 3 sub, 2 dd, 2 ftr, 1 tr vs 2 sub, 2 dd, 1 ftr"), "attacker_casualties": "thrifty"}
    )
    problem = OrderProblem(request, Side.ATTACKER, None, NEVER, 1.0)
    every = best_order.orders_to_try(problem, 1_000, by_chance=False)
    assert len(every) == len(set(every)) > 1
    monkeypatch.setattr(best_order, "LONG_SECONDS", 0.0)
    parts = request.search.join(None, ()).parts
    assert len(parts) > 1
    assert sorted(order for part in parts for order in part.orders) == sorted(every)
