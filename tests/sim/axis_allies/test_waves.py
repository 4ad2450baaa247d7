"""Several attackers one after another, and counterattacks: their odds, their card, and when they leave."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from sim.axis_allies.army import Army
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.question import Question, Wave, Withdrawal
from sim.axis_allies.reports import WaveReport
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.units import Category, Unit
from sim.axis_allies.waves import WaveCardRequest, WaveRequest, wave_card
from sim.core.cards.theme import BLUE, ORANGE
from sim.core.cards.values import DrawnCard
from sim.core.errors import RuleError, TooMuchError
from tests.sim.axis_allies.builders import asked, battles, pile, piles, to_army, units_of, waves_of, withdrawals
from tests.sim.axis_allies.enumerate_battle import Attack, fight_waves, holds
from tests.sim.axis_allies.enumerate_losses import Rules
from tests.sim.core.cards.looking import opened, share
from tests.tables import kept_table

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("wave_cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['edition']}: {' then '.join(case['waves'])}")
def test_known_odds(case: dict[str, Any]) -> None:
    options = {"low_luck": case.get("low_luck", False)}
    report = waves_of(
        case["edition"], " then ".join(case["waves"]), case["defender"], case.get("counter", ""), **options
    ).run()
    for name, expected in case["odds"].items():
        assert getattr(report, name) == pytest.approx(expected, abs=1e-9), name
    for each, expected in zip(report.waves, case.get("p_waves", ()), strict=False):
        assert each.p_wins == pytest.approx(expected, abs=1e-9)


def attack(wave: Wave) -> Attack:
    """Return a wave as the enumeration has it."""
    return pile(wave.army), tuple(unit for unit, count, _ in pile(wave.bombard) for _ in range(count))


@st.composite
def campaigns(draw: st.DrawFn) -> WaveRequest:
    """Draw up to three attackers, on land perhaps a counterattack, too; some only have planes."""
    at_sea = draw(st.booleans())
    terms = asked(draw(battles(at_sea=at_sea, most=3)))
    edition, bombard = terms["attacker"].edition, terms.pop("bombard")
    kinds = {Category.AIR, Category.NAVAL if at_sea else Category.LAND}
    units = [unit for unit in EDITIONS[edition].units if unit.category in kinds and unit is not Unit.GUN]
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


JETS_AND_RETREAT: dict[str, Any] = {"defender_technology": ("jets",), "withdrawal": Withdrawal(ipc_lost=4)}
"""Of the jets the counterattack has the use, and the attacker alone retreats."""


# What only the first wave's hits leave: the fighter without the battleship, then submarines without transports.
@given(campaigns())
@example(waves_of("1940", "2 tank", "1 infantry", "3 infantry, 2 fighter", **JETS_AND_RETREAT))
@example(waves_of("revised", "1 infantry, 4 fighter, 3 bomber", "4 infantry, 1 gun", low_luck=True))
@example(waves_of("1942", "1 fighter, 2 tank", "2 tank, 1 gun", withdrawal=Withdrawal(below=3)))
@example(waves_of("1942", "1 infantry then 3 tank", "2 infantry", withdrawal=Withdrawal(defenders_below=2)))
@example(waves_of("1942", "3 submarine then 2 destroyer, 1 bomber", "1 destroyer, 1 fighter, 1 battleship"))
@example(waves_of("1942", "2 bomber then 2 destroyer", "1 submarine, 1 destroyer, 1 transport"))
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
    report = waves_of("1940", "3 infantry, 2 artillery, 1 tactical bomber", "3 infantry, 2 gun, 1 fighter").run()
    alone = OddsRequest(attacker=report.waves[0].wave.army, defender=report.defender).run()
    assert report.waves[0].left == pytest.approx(alone.att_left)
    assert report.def_left == pytest.approx(alone.def_left)
    assert report.def_ipc_lost == pytest.approx(alone.def_ipc_lost)
    assert report.def_ipc_lost_sd == pytest.approx(alone.defender_odds.ipc_lost_sd)


@pytest.mark.parametrize(
    ("waves", "untaken"),
    [("2 fighter then 2 infantry", 0.0), ("2 infantry then 2 fighter", 1.0)],
)
def test_a_territory_to_take_is_won_exactly_where_it_is_taken(waves: str, untaken: float) -> None:
    report = waves_of("1941", waves, "1 infantry", must_take=True).run()
    by_planes = sum(wave.p_wins for wave in report.waves if not wave.wave.can_take)
    assert report.p_attacker == report.p_takes
    assert report.p_not_taken == pytest.approx(untaken * by_planes)
    assert report.p_attacker + report.p_defender + report.p_tie + report.p_none == pytest.approx(1)


@pytest.mark.parametrize(
    ("waves", "possible"),
    [
        ("1 infantry, 8 fighter then 9 infantry", False),
        ("9 fighter then 9 infantry", False),
        ("9 infantry then 9 fighter", True),
    ],
)
def test_planes_that_win_last_leave_the_territory_untaken(waves: str, *, possible: bool) -> None:
    """A chance of some 1e-100, which is nought in the figures."""
    report = waves_of("1941", waves, "200 infantry", must_take=True).run()
    assert report.p_none == 0
    assert ("nobody" not in report.impossible) is possible


@pytest.mark.parametrize(("edition", "waves", "counter", "options", "sentence"), kept_table(__file__, "refused"))
def test_what_is_refused(edition: str, waves: str, counter: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RuleError, match=sentence):
        waves_of(edition, waves, "3 infantry", counter, **options)


def test_too_much_is_refused_before_it_starts() -> None:
    fleet = "40 submarine, 40 destroyer, 40 cruiser, 40 fighter"
    request = waves_of("1942", f"{fleet} then {fleet}", fleet)
    with pytest.raises(TooMuchError, match="too large for exact odds"):
        request.cost()
    with pytest.raises(TooMuchError, match="too large for exact odds"):
        request.run()


BAR = 92 + 8
WIDE = 744 / 800
LONG = (
    "9 infantry, 4 artillery, 6 tank, 2 fighter, 2 tactical bomber, 1 bomber + 2 battleship, 1 cruiser "
    "then 3 infantry then 4 tank then 2 bomber, 1 infantry + 3 cruiser then 9 infantry"
)
MANY = "20 infantry, 6 artillery, 9 tank, 3 gun, 3 fighter, 1 tactical bomber, 1 bomber"
FEW = "9 infantry, 4 fighter + 1 battleship"


def drawn(*battle: str) -> tuple[WaveReport, DrawnCard]:
    return WaveCardRequest(waves=waves_of(*battle)).run()


@pytest.mark.parametrize(
    ("battle", "most"),
    [
        (("1941", "6 infantry, 2 tank then 3 fighter, 1 bomber", "10 infantry"), 480),
        (("1942", "2 submarine, 1 fighter then 4 destroyer, 1 battleship", "3 submarine, 2 transport"), 480),
        (("1942", "6 infantry + 1 cruiser", "5 infantry, 1 gun", "5 infantry, 2 fighter"), 660),
        (("1942", "1 fighter then 1 fighter", "1 submarine"), 480),
        (("1940", LONG, MANY, FEW), 1100),
    ],
)
def test_every_question_fits_a_card(battle: tuple[str, ...], most: int) -> None:
    assert opened(drawn(*battle)[1].data).height <= most


def test_with_a_counterattack_the_bar_shows_what_is_held() -> None:
    report, card = drawn("1942", "6 infantry, 2 tank", "4 infantry", "4 infantry, 1 fighter")
    image = opened(card.data)
    assert report.p_holds is not None
    assert share(image, ORANGE, row=BAR) == pytest.approx(report.p_holds * WIDE, abs=0.01)
    assert share(image, BLUE, row=BAR) == pytest.approx((1 - report.p_takes) * WIDE, abs=0.01)


def test_the_line_below_the_bar_leaves_to_the_headline_what_it_says() -> None:
    card = wave_card(waves_of("1941", "4 fighter, 1 infantry", "2 infantry", "3 tank").run())
    assert sum("holds" in getattr(mark, "text", "").lower() for mark in card.marks) == 1


@pytest.mark.parametrize(("attacker", "defender", "withdrawal", "sentence"), kept_table(__file__, "held_before"))
def test_what_holds_before_the_first_round_is_refused(
    attacker: str, defender: str, withdrawal: dict[str, int], sentence: str
) -> None:
    with pytest.raises(RuleError, match=f"{sentence}.* before the battle"):
        OddsRequest.model_validate(
            {"attacker": units_of(attacker, "1942"), "defender": units_of(defender, "1942"), "withdrawal": withdrawal}
        )


def test_a_mark_is_no_unit_that_is_counted() -> None:
    with pytest.raises(RuleError, match="The defender starts with only 2 units"):
        waves_of("revised", "3 infantry", "2 infantry, 1 gun", withdrawal=Withdrawal(defenders_below=3))
