"""Several attackers one after another, and counterattacks: their odds, their card, and when they leave.

Every condition is tried on land and at sea; an attacker never leaves before a round.
"""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sim.axis_allies.question import Withdrawal
from sim.axis_allies.reports import WaveReport
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.waves import WaveCardRequest, wave_card
from sim.core.cards.theme import BLUE, ORANGE
from sim.core.cards.values import DrawnCard
from sim.core.errors import RuleError, TooMuchError
from tests.sim.axis_allies.builders import check_waves, rows, units_of, waves_of
from tests.sim.core.cards.looking import opened, share
from tests.tables import kept_table, kept_text

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


def fought(table: str) -> pytest.MarkDecorator:
    """Try each row of a table: edition, waves, defender, counterattack."""
    found = [(*row[:3], row[3].strip("-")) for row in rows(table)]
    return pytest.mark.parametrize(("edition", "waves", "defender", "counter"), found)


@fought(kept_text(__file__, "waves"))
def test_waves_are_fought_as_in_fractions(edition: str, waves: str, defender: str, counter: str) -> None:
    check_waves(waves_of(edition, waves, defender, counter))


@fought(kept_text(__file__, "low_luck"))
def test_with_low_luck_every_group_is_added_up(edition: str, waves: str, defender: str, counter: str) -> None:
    check_waves(waves_of(edition, waves, defender, counter, low_luck=True))


@fought("""
    revised => 2 infantry, 1 fighter + 1 battleship then 1 tank, 2 bomber + 2 battleship => 3 infantry => 1 tank
    anniversary => 1 infantry, 1 fighter, 1 bomber then 1 tank, 1 bomber, 1 fighter => 2 infantry, 1 tank => -
    classic => 1 infantry, 1 fighter, 1 bomber then 1 tank, 2 fighter => 2 infantry, 1 tank => 2 infantry
""")
def test_a_marked_gun_fires_at_every_wave(edition: str, waves: str, defender: str, counter: str) -> None:
    report = check_waves(waves_of(edition, waves, f"{defender}, 1 gun", counter))
    assert report.att_ipc_lost > waves_of(edition, waves, defender).run().att_ipc_lost


def test_one_wave_is_a_plain_battle() -> None:
    report = waves_of("1940", "3 infantry, 2 artillery, 1 tactical bomber", "3 infantry, 2 gun, 1 fighter").run()
    alone = OddsRequest(attacker=report.waves[0].wave.army, defender=report.defender).run()
    assert report.waves[0].left == pytest.approx(alone.att_left)
    assert report.def_left == pytest.approx(alone.def_left)
    assert report.def_ipc_lost == pytest.approx(alone.def_ipc_lost)
    assert report.def_ipc_lost_sd == pytest.approx(alone.defender_odds.ipc_lost_sd)


def test_a_counterattack_has_the_defenders_technology() -> None:
    check_waves(waves_of("1940", "2 tank", "1 infantry", "1 infantry, 2 fighter", defender_technology=("jets",)))


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


BATTLES = kept_table(__file__, "battles")
FLEETS = [
    ("1942", "2 submarine, 1 destroyer, 1 fighter", "1 submarine, 1 cruiser, 1 fighter"),
    ("1942", "1 battleship, 2 fighter then 2 submarine, 1 fighter", "2 submarine, 1 destroyer"),
    ("1941", "2 destroyer, 1 fighter, 1 bomber", "1 submarine, 2 destroyer"),
]


CONDITIONS = [
    Withdrawal(below=3),
    Withdrawal(ipc_lost=6),
    Withdrawal(only_air=True),
    Withdrawal(defenders_below=2),
    Withdrawal(below=2, ipc_lost=9, defenders_below=2),
]
LAST_LAND = Withdrawal(last_land=True)


@pytest.mark.parametrize(
    ("battle", "condition"), [*product(BATTLES, [*CONDITIONS, LAST_LAND]), *product(FLEETS, CONDITIONS)], ids=repr
)
def test_conditions(battle: tuple[str, str, str], condition: Withdrawal) -> None:
    report = check_waves(waves_of(*battle, withdrawal=condition))
    assert report.p_retreat > 0 or len(report.waves) > 1, "the condition should matter"


def test_planes_shot_down_do_not_keep_the_first_round_from_being_fought() -> None:
    report = check_waves(waves_of("1942", "1 fighter, 2 tank", "2 tank, 1 gun", withdrawal=Withdrawal(below=3)))
    assert report.exp_rounds >= 1


def test_a_wave_that_meets_few_defenders_fights_a_round() -> None:
    withdrawal = Withdrawal(defenders_below=2)
    report = check_waves(waves_of("1942", "1 infantry then 3 tank", "2 infantry", withdrawal=withdrawal))
    assert report.p_attacker > 0.5


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
