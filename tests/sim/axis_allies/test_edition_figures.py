"""All editions against figures from outside."""

import re
from collections import Counter
from typing import Any

import pytest

from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.odds.summary import odds_report
from sim.axis_allies.units import Unit
from tests.sim.axis_allies.edition_cases import CASES, case_request

UNITS = """
unit                 classic  revised    anniversary  1942-1     1942       1940       1941
infantry             1/2 3    1/2 3      1/2 3        1/2 3      1/2 3      1/2 3      1/2 3
mechanized infantry  -        -          -            -          -          1/2 4      -
artillery            -        2/2 4      2/2 4        2/2 4      2/2 4      2/2 4      -
tank                 3/2 5    3/3 5      3/3 5        3/3 5      3/3 6      3/3 6      3/3 6
antiaircraft gun     0/0 5    0/0 5      0/0 6        0/0 6      0/0 5      0/0 5      -
fighter              3/4 12   3/4 10     3/4 10       3/4 10     3/4 10     3/4 10     3/4 10
tactical bomber      -        -          -            -          -          3/3 11     -
bomber               4/1 15   4/1 15     4/1 12       4/1 12     4/1 12     4/1 12     4/1 12
submarine            2/2 8    2/2 8      2/1 6        2/1 6      2/1 6      2/1 6      2/1 6
destroyer            -        3/3 12     2/2 8        2/2 8      2/2 8      2/2 8      2/2 8
cruiser              -        -          3/3 12       3/3 12     3/3 12     3/3 12     -
transport            0/1 8    0/1 8      0/0 7        0/0 7      0/0 7      0/0 7      0/0 7
aircraft carrier     1/3 18   1/3 16     1/2 14       1/2 14     1/2 14     0/2 16 x2  1/2 12
battleship           4/4 24   4/4 24 x2  4/4 20 x2    4/4 20 x2  4/4 20 x2  4/4 20 x2  4/4 16 x2
"""
"""Attack, defence, price, and whether it takes two hits: from .docs/rules/axis_allies.md, "Units"."""

NEAR = 1e-9
FIGURES = ("p_attacker", "p_defender", "p_tie", "p_none", "p_takes", "exp_rounds", "att_ipc_lost", "def_ipc_lost")


def test_units() -> None:
    """What both the engine and the enumeration read is in .docs/rules/axis_allies.md, "Units"."""
    (_, *names), *lines = (re.split(r"  +", line) for line in UNITS.strip().split("\n"))
    assert set(names) == set(EDITIONS)
    for unit, *told in lines:
        for book, text in zip(map(EDITIONS.__getitem__, names), told, strict=True):
            row = book.units.get(Unit(unit))
            lives = " x2" if row and book.lives(Unit(unit)) else ""
            assert text == (f"{row.attack}/{row.defence} {row.cost}{lives}" if row else "-"), (unit, book.name)


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
