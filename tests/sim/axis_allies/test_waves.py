"""Several attackers one after another, and counterattacks: their odds, their card, and when they leave."""

import math
from typing import Any

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from sim.axis_allies.army import Army
from sim.axis_allies.parse import parse_question
from sim.axis_allies.question import Question, Wave
from sim.axis_allies.reports import WaveReport
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.units import Category
from sim.axis_allies.waves import WaveCardRequest, WaveRequest, wave_card
from sim.core import RuleError, TooMuchError
from sim.core.cards.theme import BLUE, ORANGE
from sim.core.cards.values import DrawnCard
from tests.sim.axis_allies.builders import (
    asked,
    asking_waves,
    attackers,
    battles,
    known,
    pile,
    piles,
    read,
    to_army,
    withdrawals,
)
from tests.sim.axis_allies.enumerate_battle import Attack, fight_waves, holds
from tests.sim.axis_allies.enumerate_losses import Rules
from tests.sim.core.cards.looking import opened, share
from tests.tables import kept_table


@pytest.mark.parametrize("case", known("wave_cases.json"))
def test_known_odds(case: dict[str, Any]) -> None:
    report = asking_waves(case["battle"]).run()
    found = {name: getattr(report, name) for name in case.keys() - {"battle", "p_waves"}}
    assert found == pytest.approx({name: case[name] for name in found}, abs=1e-9)
    if "p_waves" in case:
        assert [wave.p_wins for wave in report.waves] == pytest.approx(case["p_waves"], abs=1e-9)


def attack(wave: Wave) -> Attack:
    """Return a wave as the enumeration has it."""
    return pile(wave.army), tuple(unit for unit, count, _ in pile(wave.bombard) for _ in range(count))


@st.composite
def campaigns(draw: st.DrawFn) -> WaveRequest:
    """Draw up to three attackers, on land perhaps a counterattack, too; some only have planes."""
    at_sea = draw(st.booleans())
    terms = asked(draw(battles(at_sea=at_sea, most=3)))
    edition, bombard = terms["attacker"].edition, terms.pop("bombard")
    units = attackers(edition, at_sea=at_sea)
    later = [to_army(pile, edition) for pile in draw(st.lists(piles(2, edition, units), max_size=2))]
    armies = [terms.pop("attacker"), *later]
    waves = [Wave(army=army, bombard=bombard if army.has(Category.LAND) else Army()) for army in armies]
    counter = None if at_sea or draw(st.booleans()) else Wave(army=to_army(draw(piles(2, edition, units)), edition))
    del terms["landing"], terms["must_take"]
    asks = terms | {"waves": waves, "counter": counter, "withdrawal": draw(withdrawals)}
    try:
        return WaveRequest(question=Question.model_validate(asks))
    except RuleError:  # such as a condition that holds before the first round
        reject()


# Of the jets the counterattack has the use, and the attacker alone retreats. What only the first wave's hits leave: the
# fighter without the battleship, then submarines without transports.
@given(campaigns())
@example(asking_waves("1940: 2 tanks vs 1 inf | counter 3 inf, 2 ftr | tech defender: jets | retreat after 4 IPC lost"))
@example(asking_waves("revised: 1 inf, 4 ftr, 3 bmr vs 4 inf, 1 aa | low luck"))
@example(asking_waves("1942: 1 ftr, 2 tanks vs 2 tanks, 1 aa | retreat below 3"))
@example(asking_waves("1942: 1 inf then 3 tanks vs 2 inf | retreat below 2 defenders"))
@example(asking_waves("1942: 3 sub then 2 dd, 1 bmr vs 1 dd, 1 ftr, 1 bb"))
@example(asking_waves("1942: 2 bmr then 2 dd vs 1 sub, 1 dd, 1 tr"))
@settings(max_examples=150, deadline=None)
def test_as_enumerated(request: WaveRequest) -> None:
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


def test_one_wave_is_a_plain_battle() -> None:
    report = asking_waves("1940: 3 inf, 2 art, 1 tac vs 3 inf, 2 aa, 1 ftr").run()
    alone = OddsRequest(attacker=report.waves[0].wave.army, defender=report.defender).run()
    assert report.waves[0].left == pytest.approx(alone.att_left)
    assert report.def_left == pytest.approx(alone.def_left)
    assert report.def_ipc_lost == pytest.approx(alone.def_ipc_lost)
    assert report.def_ipc_lost_sd == pytest.approx(alone.defender_odds.ipc_lost_sd)


@pytest.mark.parametrize(("waves", "untaken"), [("2 ftr then 2 inf", 0.0), ("2 inf then 2 ftr", 1.0)])
def test_a_territory_to_take_is_won_exactly_where_it_is_taken(waves: str, untaken: float) -> None:
    report = asking_waves(f"{waves} vs 1 inf | take territory").run()
    by_planes = sum(wave.p_wins for wave in report.waves if not wave.wave.army.has(Category.LAND))
    assert report.p_attacker == report.p_takes
    assert report.p_not_taken == pytest.approx(untaken * by_planes)
    assert report.p_attacker + report.p_defender + report.p_tie + report.p_none == pytest.approx(1)


@pytest.mark.parametrize(
    ("waves", "possible"),
    [("1 inf, 8 ftr then 9 inf", False), ("9 ftr then 9 inf", False), ("9 inf then 9 ftr", True)],
)
def test_planes_that_win_last_leave_the_territory_untaken(waves: str, *, possible: bool) -> None:
    """A chance of some 1e-100, which is nought in the figures."""
    report = asking_waves(f"{waves} vs 200 inf | take territory").run()
    assert report.p_none == 0
    assert ("nobody" not in report.impossible) is possible


@pytest.mark.parametrize(("battle", "sentence"), kept_table(__file__, "refused"))
def test_what_is_refused(battle: str, sentence: str) -> None:
    question = parse_question(battle)
    with pytest.raises(RuleError, match=sentence):
        OddsRequest(**question.fields) if question.one_battle else WaveRequest(question=question)


@pytest.mark.parametrize(
    ("waves", "counter", "sentence"),
    [
        (["2 inf", "1 aa"], None, "Wave 2: Antiaircraft guns never attack"),
        (["2 inf"], "1 aa, 1 inf", "Counterattack: Antiaircraft guns never attack"),
        (["2 inf"], "1 inf, 1 ca", "say which of the counterattack's ships bombard"),
        (["2 inf", "2 inf + 1 dd"], None, "Wave 2: .* bombard, not destroyers"),
    ],
)
def test_what_cannot_be_typed_is_refused_too(waves: list[str], counter: str | None, sentence: str) -> None:
    def wave(text: str) -> Wave:
        army, _, ships = text.partition(" + ")
        return Wave(army=read(army, "1942"), bombard=read(ships, "1942"))

    question = parse_question("1942: 1 inf vs 3 inf")
    armies = {"waves": tuple(map(wave, waves)), "counter": wave(counter) if counter else None}
    with pytest.raises(RuleError, match=sentence):
        WaveRequest(question=question.model_copy(update=armies))


def test_too_much_is_refused_before_it_starts() -> None:
    fleet = "40 sub, 40 dd, 40 ca, 40 ftr"
    request = asking_waves(f"1942: {fleet} then {fleet} vs {fleet}")
    with pytest.raises(TooMuchError, match="too large for exact odds"):
        request.cost()
    with pytest.raises(TooMuchError, match="too large for exact odds"):
        request.run()


BAR = 92 + 8
WIDE = 744 / 800
LONG = (
    "1940: 9 inf, 4 art, 6 tanks, 2 ftr, 2 tac, 1 bmr, 2 bb bombard, 1 ca bombard then 3 inf then 4 tanks "
    "then 2 bmr, 1 inf, 3 ca bombard then 9 inf vs 20 inf, 6 art, 9 tanks, 3 aa, 3 ftr, 1 tac, 1 bmr "
    "| counter 9 inf, 4 ftr, 1 bb bombard"
)


def drawn(battle: str) -> tuple[WaveReport, DrawnCard]:
    return WaveCardRequest(waves=asking_waves(battle)).run()


@pytest.mark.parametrize(
    ("battle", "most"),
    [
        ("6 inf, 2 tanks then 3 ftr, 1 bmr vs 10 inf", 480),
        ("1942: 2 sub, 1 ftr then 4 dd, 1 bb vs 3 sub, 2 tr", 480),
        ("1942: 6 inf, 1 ca bombard vs 5 inf, 1 aa | counter 5 inf, 2 ftr", 660),
        ("1942: 1 ftr then 1 ftr vs 1 sub", 480),
        (LONG, 1100),
    ],
)
def test_every_question_fits_a_card(battle: str, most: int) -> None:
    assert opened(drawn(battle)[1].data).height <= most


def test_with_a_counterattack_the_bar_shows_what_is_held() -> None:
    report, card = drawn("1942: 6 inf, 2 tanks vs 4 inf | counter 4 inf, 1 ftr")
    image = opened(card.data)
    assert report.p_holds is not None
    assert share(image, ORANGE, row=BAR) == pytest.approx(report.p_holds * WIDE, abs=0.01)
    assert share(image, BLUE, row=BAR) == pytest.approx((1 - report.p_takes) * WIDE, abs=0.01)


def test_the_line_below_the_bar_leaves_to_the_headline_what_it_says() -> None:
    card = wave_card(asking_waves("4 ftr, 1 inf vs 2 inf | counter 3 tanks").run())
    assert sum("holds" in getattr(mark, "text", "").lower() for mark in card.marks) == 1
