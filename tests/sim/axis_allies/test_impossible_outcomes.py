"""What can't happen at all is told apart from what is merely unlikely."""

import pytest

from sim.axis_allies.odds.summary import impossible_outcomes
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import parse_battle
from sim.axis_allies.requests import OddsRequest
from sim.core.values import Side


def report(battle: str, **options: object) -> OddsReport:
    armies = parse_battle(battle)
    return OddsRequest.model_validate(
        {"attacker": armies[Side.ATTACKER], "defender": armies[Side.DEFENDER], **options}
    ).run()


@pytest.mark.parametrize(
    ("battle", "impossible"),
    [
        ("6 tanks vs 10 inf", {"nobody"}),
        ("100 tanks vs 1 inf", {"nobody"}),  # 1 infantry against 100 tanks: some 1e-3000
        ("1 sub vs 1 ftr", {"attacker", "defender", "tie"}),
        ("1 sub, 1 dd vs 1 ftr", {"defender", "tie"}),  # aircraft never reach the submarine
        ("1 sub, 1 dd vs 1 ftr, 1 dd", set()),
        ("3 ftr vs 2 sub", {"attacker", "defender", "tie"}),
        ("2 tr vs 1 dd", {"attacker", "tie", "nobody"}),
        ("2 tr vs 3 tr", {"attacker", "defender", "tie"}),
        ("1 inf, 1 tr vs 1 inf", {"tie", "nobody"}),  # the transport is lost last, and can't shoot
        ("5000 inf vs 4000 inf", {"nobody"}),  # simulated
        ("5000 sub vs 4000 ftr, 10 dd", {"attacker", "tie"}),
    ],
)
def test_what_no_dice_could_bring_about(battle: str, impossible: set[str]) -> None:
    assert set(report(battle).impossible) == impossible


def test_a_limit_of_rounds_rules_out_what_takes_more_shots() -> None:
    """6 tanks hit at most 6 times in a round: 10 infantry outlast it."""
    assert set(report("6 tanks vs 10 inf", stop_after=1).impossible) == {"attacker", "tie"}
    assert set(report("6 tanks vs 10 inf", stop_after=2).impossible) == set()


def test_bombers_that_throw_two_dice_have_two_shots() -> None:
    armies = parse_battle("5 bmr vs 10 inf", "revised")
    request = OddsRequest(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], stop_after=1)
    heavy = request.model_copy(update={"attacker_technology": ("heavy-bombers",)})
    ruled_out = [impossible_outcomes(each.terms(1), must_take=False) for each in (request, heavy)]
    assert ["attacker" in each for each in ruled_out] == [True, False]


def test_a_retreat_or_an_untaken_territory_is_nobody_s_victory() -> None:
    assert "nobody" not in report("3 inf, 12 ftr vs 10 inf", withdrawal={"below": 2}).impossible
    assert "nobody" not in report("1 inf, 12 ftr, 2 dd vs 3 sub", must_take=True).impossible


@pytest.mark.parametrize("attacker", ["12 inf", "1 inf, 12 ftr", "9 inf, 2 bb"])
def test_whoever_loses_the_last_land_unit_last_takes_the_territory_or_loses(attacker: str) -> None:
    odds = report(f"{attacker} vs 10 inf, 2 ftr", must_take=True)
    assert not odds.every_chance
    assert set(odds.impossible) == {"nobody"}


@pytest.mark.parametrize(
    ("battle", "every"),
    [("3 tanks vs 2 inf", True), ("8 tanks vs 2 inf", False), ("1 inf vs 60 tr", True), ("100 tanks vs 1 inf", False)],
)
def test_reports_know_whether_chances_were_left_out(battle: str, every: bool) -> None:
    assert report(battle).every_chance is every


def test_where_none_was_left_out_a_nought_is_a_nought() -> None:
    odds = report("1 inf, 1 tr vs 1 inf")
    assert odds.every_chance
    assert odds.p_tie == 0
    assert odds.p_attacker > 0
    assert odds.p_defender > 0
