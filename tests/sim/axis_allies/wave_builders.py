"""Short ways to write what the tests of waves, low luck and retreats are about."""

import math

import pytest

from sim.axis_allies.army import Army
from sim.axis_allies.question import Wave
from sim.axis_allies.units import Unit
from sim.axis_allies.wave_report import WaveReport
from sim.axis_allies.wave_request import WaveRequest
from tests.sim.axis_allies import plain_battle as plain

NAMES = {unit.value: unit for unit in Unit} | {"gun": Unit.GUN}


def army(text: str, edition: str) -> Army:
    """Read "2 infantry, 1 gun"."""
    pairs = [part.split(maxsplit=1) for part in text.split(", ") if part]
    return Army.of({NAMES[name]: int(count) for count, name in pairs}, edition)


def wave(text: str, edition: str) -> Wave:
    """Read "2 infantry + 1 battleship", the ships bombarding."""
    units, _, ships = text.partition(" + ")
    return Wave(army=army(units, edition), bombard=army(ships, edition))


def waves_of(edition: str, waves: str, defender: str, counter: str = "", **options: object) -> WaveRequest:
    """Make a request of waves as text, "2 infantry then 1 tank"."""
    first, *then = (wave(text, edition) for text in waves.split(" then "))
    sides = {"attacker": first.army, "bombard": first.bombard, "defender": army(defender, edition), "then": then}
    counterattack = wave(counter, edition) if counter else None
    return WaveRequest.model_validate({**sides, "counter": counterattack, **options})


def check_waves(report: WaveReport, waves: str, rules: plain.Rules) -> None:
    """Compare a report with the plain enumeration."""
    edition, defender = rules.edition, report.defender
    armies = [
        (plain.pile(units, "attacker", edition), plain.pile(ships, "attacker", edition))
        for units, _, ships in (each.partition(" + ") for each in waves.split(" then "))
    ]
    told = ", ".join(f"{group.count} {'gun' if group.unit is Unit.GUN else group.unit}" for group in defender.groups)
    expected = plain.fight_waves(armies, plain.pile(told, "defender", edition), rules)
    mean = sum(lost * chance for lost, chance in expected.lost.items())
    square = sum(lost * lost * chance for lost, chance in expected.lost.items())
    assert [each.p_wins for each in report.waves] == pytest.approx([float(p) for p in expected.wins], abs=1e-12)
    assert report.p_takes == pytest.approx(float(expected.takes), abs=1e-12)
    for end, chance in (("defender", report.p_defender), ("tie", report.p_tie), ("nobody", report.p_none)):
        assert chance == pytest.approx(float(expected.ends[end]), abs=1e-12), end
    assert report.exp_rounds == pytest.approx(float(expected.rounds), abs=1e-9)
    assert report.att_ipc_lost == pytest.approx(float(mean), abs=1e-9)
    assert report.att_ipc_lost_sd == pytest.approx(math.sqrt(square - mean * mean), abs=1e-6)
    if report.counter is not None:
        text = ", ".join(f"{group.count} {group.unit}" for group in report.counter.army.groups)
        held = plain.holds(expected.holders, plain.pile(text, "attacker", edition), rules)
        assert report.p_holds == pytest.approx(float(held), abs=1e-12)
