"""The lines below an answer: only where they apply, with figures that the odds agree with."""

from typing import Any

import pytest

from sim.axis_allies.army import Army
from sim.axis_allies.caveats import caveats
from sim.axis_allies.parse import parse_question
from sim.axis_allies.requests import LuckRequest, OddsRequest, PurchaseRequest, RetreatRequest
from sim.axis_allies.units import Unit
from sim.core.values import Side
from tests.sim.axis_allies.builders import rows


def told(text: str) -> tuple[str, ...]:
    request = OddsRequest(**parse_question(text).fields)
    return caveats(request, retreats=request.withdrawal.possible)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (text, lines)
        for text, *lines in rows("""
        1941: 6 inf vs 5 inf
        1942: 6 inf, 3 ftr, 2 bmr vs 5 inf, 2 aa => antiaircraft fire: 2 guns, 5 dice: 0.83 planes fall on average
        1942: 6 inf, 7 ftr vs 5 inf, 2 aa => antiaircraft fire: 2 guns, 6 dice: 1 plane falls on average
        1942: 6 inf vs 5 inf, 2 aa
        revised: 6 inf, 3 ftr vs 5 inf, 2 aa
            => 2 antiaircraft guns fire as one in Revised
            => antiaircraft fire: 1 gun, 3 dice: 0.5 planes fall on average
        1940: 6 inf, 3 ftr vs 5 inf, 1 aa | tech defender: radar
            => antiaircraft fire: 1 gun, 3 dice: 1 plane falls on average
        1942: 6 inf, 2 bb bombard, 1 cru bombard vs 5 inf
            => bombardment: 2 battleships, 1 cruiser: 1.83 hits on average; who is hit still fires
        1942: 2 inf, 1 cru bombard, 2 bb bombard vs 5 inf
            => bombardment: 2 battleships: 1.33 hits on average; who is hit still fires
            => 2 of 3 ships bombard: one for each land unit that comes by sea
        1942: 6 inf, 2 bb bombard, landing 0 vs 5 inf
            => none of 2 ships bombard: one for each land unit that comes by sea
        revised: 1 inf, 3 bb bombard vs 5 inf
            => bombardment: 3 battleships: 2 hits on average; who is hit no longer fires
        1942: 2 dd, 1 tr vs 2 sub => transports left alone are lost at once
        1942: 2 dd vs 3 tr => the defender's transports have nobody to defend them: they are lost at once
        1941: 2 dd vs 3 tr
        1942: 3 ftr vs 2 inf => planes alone take no territory
        1942: 3 ftr, 1 bb vs 2 dd
        1942: 3 inf, 1 bb bombard vs 2 inf | retreat below 2
            => bombardment: 1 battleship: 0.67 hits on average; who is hit still fires
            => by the rules, units that came by sea can't retreat; here they do
        1942: 2 dd vs 1 bb, 1 bmr => by the rules, bombers can't defend a fleet; here they do
    """)
    ],
)
def test_each_line_stands_only_where_it_applies(text: str, lines: list[str]) -> None:
    assert list(told(text)) == lines


def test_the_planes_that_fall_are_those_of_the_odds() -> None:
    """Without anything else that could hit them, what antiaircraft fire takes is what is missing."""
    report = OddsRequest(**parse_question("1942: 1 inf, 3 ftr, 2 bmr vs 2 aa").fields).run()
    lost = 5 - report.att_left["fighter"] - report.att_left["bomber"]
    assert lost == pytest.approx(5 / 6, abs=1e-9)
    assert any("0.83 planes fall" in note for note in report.notes)


SHIPS = "bombardment: 1 cruiser: 0.5 hits on average; who is hit still fires"
GUNS = "antiaircraft fire: 1 gun, 1 die: 0.17 planes fall on average"


def asked(text: str) -> dict[str, Any]:
    fields = parse_question(text).fields
    return {name: fields[name] for name in ("attacker", "defender", "bombard")}


def test_the_advice_when_to_retreat_says_them_too() -> None:
    report = RetreatRequest(**asked("1942: 3 inf, 1 ftr, 1 cru bombard vs 2 inf, 1 aa")).run()
    assert report.notes == (GUNS, SHIPS, "by the rules, units that came by sea can't retreat; here they do")


def test_the_luck_of_a_battle_says_them_too() -> None:
    fields = asked("1942: 3 inf, 1 ftr, 1 cru bombard vs 2 inf, 1 aa")
    assert LuckRequest(**fields, attacker_left=fields["attacker"], defender_left=Army()).run().notes == (GUNS, SHIPS)


@pytest.mark.parametrize(
    ("text", "side", "unit", "more", "ipc", "notes"),
    [
        ("1942: 3 inf, 1 cru bombard vs 4 inf, 1 aa", Side.ATTACKER, Unit.FIGHTER, 0.001, 10, (GUNS, SHIPS)),
        ("1942: 3 inf, 1 ftr vs 1 inf", Side.DEFENDER, Unit.GUN, 0.001, 5, (GUNS,)),
        ("1942: 3 inf vs 1 inf, 1 aa", Side.ATTACKER, Unit.FIGHTER, -0.001, 0, ()),
    ],
)
def test_what_a_purchase_brings_about_is_said(
    text: str, side: Side, unit: Unit, more: float, ipc: int, notes: tuple[str, ...]
) -> None:
    """Planes that are bought are fired at, and guns that are bought fire; `more`: than the chance without."""
    terms = asked(text) | {"side": side, "units": (unit,)}
    before = PurchaseRequest(**terms, chance=0.01).run().chance_before
    report = PurchaseRequest(**terms, chance=before + more).run()
    assert (report.best.ipc, report.notes) == (ipc, notes)
