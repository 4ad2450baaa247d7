"""All editions against figures from outside."""

from collections import Counter
from typing import Any

import pytest

from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.odds.summary import odds_report
from tests.sim.axis_allies.edition_cases import CASES, case_request

NEAR = 1e-9
FIGURES = ("p_attacker", "p_defender", "p_tie", "p_none", "p_takes", "exp_rounds", "att_ipc_lost", "def_ipc_lost")


def test_every_edition_has_its_cases() -> None:
    assert len(CASES) == 150
    assert Counter(case["edition"] for case in CASES).keys() == EDITIONS.keys()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_figures(case: dict[str, Any]) -> None:
    request = case_request(case)
    solution = solve(request.terms(request.stop_after, request.withdrawal))
    report = odds_report(solution, request.attacker, request.defender, must_take=False, outcomes=1)
    found = {name: getattr(report, name) for name in FIGURES}
    assert found == pytest.approx({name: case[name] for name in found}, abs=NEAR, rel=0)
    assert report.lost_mass < NEAR
    for left, known in ((report.att_left, case["att_left"]), (report.def_left, case["def_left"])):
        none = dict.fromkeys([*left, *known], 0.0)
        assert none | left == pytest.approx(none | known, abs=NEAR, rel=0)
