"""All editions against figures from outside."""

from collections import Counter
from typing import Any

import pytest

from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.odds.summary import odds_report
from tests.sim.axis_allies.edition_cases import CASES, case_request

NEAR = 1e-9
FIGURES = ("p_attacker", "p_defender", "p_tie", "p_none", "exp_rounds", "att_ipc_lost", "def_ipc_lost")


def test_every_edition_has_its_cases() -> None:
    assert len(CASES) == 150
    assert Counter(case["edition"] for case in CASES).keys() == EDITIONS.keys()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_figures(case: dict[str, Any]) -> None:
    request = case_request(case)
    solution = solve(request.terms(request.stop_after, request.withdrawal))
    won = odds_report(solution, request.attacker, request.defender, must_take=False)
    taken = odds_report(solution, request.attacker, request.defender, must_take=True)
    found = {name: getattr(won, name) for name in FIGURES} | {"p_takes": taken.p_attacker}
    assert found == pytest.approx({name: case[name] for name in found}, abs=NEAR, rel=0)
    assert won.lost_mass < NEAR
    for left, known in ((won.att_left, case["att_left"]), (won.def_left, case["def_left"])):
        none = dict.fromkeys([*left, *known], 0.0)
        assert none | left == pytest.approx(none | known, abs=NEAR, rel=0)
