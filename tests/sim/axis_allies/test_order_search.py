"""Searches for the best orders in parts find what they find in one go."""

import math
import pickle

import pytest

from sim.axis_allies.odds import best_order
from sim.axis_allies.odds.order_question import Question
from sim.axis_allies.odds.search_parts import SoFar
from sim.axis_allies.odds.search_question import found_by
from sim.axis_allies.parse import parse_battle
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.withdrawal import NEVER
from sim.core.parts import answer
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


def test_every_order_is_tried_by_one_part() -> None:
    """Also where a land unit is kept for the territory: then the parts differ in what is lost before it."""
    request = OddsRequest.model_validate(
        {**parse_battle("1942: 3 inf, 2 art, 2 tank, 1 ftr vs 4 inf"), "must_take": True}
    )
    question = Question(request, Side.ATTACKER, None, NEVER, 1.0, 1.0)
    searches = question.searches(by_chance=False)
    assert sum(len(list(search.work())) for search in searches) > len(searches)
    for search in searches:
        orders, values = search.run(search.ends)
        ends = [end for end, _ in search.work()]
        parts = [search.run(1 << end) for end in reversed(ends)]
        assert [order for found, _ in parts for order in found.tolist()] == orders.tolist()
        assert [value for _, found in parts for value in found.tolist()] == values.tolist()
