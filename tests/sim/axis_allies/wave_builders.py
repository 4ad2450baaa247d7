"""Short ways to write what the tests of waves, low luck and retreats are about."""

import math

import pytest

from sim.axis_allies.army import Army
from sim.axis_allies.question import Question, Wave
from sim.axis_allies.reports import WaveReport
from sim.axis_allies.units import Unit
from sim.axis_allies.waves import WaveRequest
from tests.sim.axis_allies.enumerate_battle import Pile, Rules
from tests.sim.axis_allies.enumerate_waves import Attack, fight_waves, holds

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
    armies = {"waves": [wave(text, edition) for text in waves.split(" then ")], "defender": army(defender, edition)}
    counterattack = wave(counter, edition) if counter else None
    return WaveRequest(question=Question.model_validate({**armies, "counter": counterattack, **options}))


def check_waves(request: WaveRequest) -> WaveReport:
    """Compare what becomes of waves with the enumeration, and return the report."""
    report, question = request.run(), request.question
    rules = Rules(
        edition=question.edition,
        technology=(question.attacker_technology, question.defender_technology),
        withdrawal=question.withdrawal,
        mark=any(question.book.units[group.unit].mark for group in question.defender.groups),
        low_luck=question.low_luck,
    )
    expected = fight_waves([attack(each) for each in question.waves], pile(question.defender), rules)
    mean = sum(lost * chance for lost, chance in expected.lost.items())
    square = sum(lost * lost * chance for lost, chance in expected.lost.items())
    assert [each.p_wins for each in report.waves] == pytest.approx([float(p) for p in expected.wins], abs=1e-12)
    assert report.p_takes == pytest.approx(float(sum(expected.holders.values())), abs=1e-12)
    for end, chance in (("defender", report.p_defender), ("tie", report.p_tie), ("nobody", report.p_none)):
        assert chance == pytest.approx(float(expected.ends[end]), abs=1e-12), end
    assert report.exp_rounds == pytest.approx(float(expected.rounds), abs=1e-9)
    assert report.att_ipc_lost == pytest.approx(float(mean), abs=1e-9)
    assert report.att_ipc_lost_sd == pytest.approx(math.sqrt(square - mean * mean), abs=1e-6)
    if question.counter is not None:
        held = holds(expected.holders, attack(question.counter), rules)
        assert report.p_holds == pytest.approx(float(held), abs=1e-12)
    return report


def attack(wave: Wave) -> Attack:
    """Return a wave as the enumeration has it."""
    return pile(wave.army), tuple(unit for unit, count, _ in pile(wave.bombard) for _ in range(count))


def pile(army: Army) -> Pile:
    """Return an army as the enumeration has it, without a gun that is a mark."""
    return tuple(
        (group.unit, int(group.count), int(group.lives))
        for group in army.groups
        if not army.book.units[group.unit].mark
    )
