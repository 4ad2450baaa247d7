"""Whose presence moves the odds: the same battles with and without each fighter."""

import pytest

from sim.marked_for_death.odds.requests import OddsRequest, SensitivityBatch, SensitivityRequest, report_of
from sim.marked_for_death.odds.sensitivity import MAX_LEFT_OUT, SensitivityTally, paired_interval
from sim.marked_for_death.reports import SensitivityReport
from sim.marked_for_death.roster import Camp, Roster
from tests.sim.marked_for_death.odds.builders import buff, crowd, fighter, side
from tests.sim.marked_for_death.odds.enumerate_battle import Battle

HEROES = side(fighter("Big", 3, 2, buffs=(buff("Small", "0.4", "0.3"),)), fighter("Small", 1, 1), fighter("Gone", 5, 0))
VILLAINS = side(fighter("C", 2, 2, linked_to="D"), fighter("D", 1, 1))
REQUEST = SensitivityRequest(odds=OddsRequest(heroes=HEROES, villains=VILLAINS, seed=4), battles=20_000)


def without(roster: Roster, name: str) -> Roster:
    return side(*(member for member in roster.fighters if member.name != name))


def test_the_difference_is_that_of_two_battles() -> None:
    """With and without each fighter, worked out by going through everything."""
    report = REQUEST.run()
    both = Battle(HEROES, VILLAINS).ends(enough=1e-7)
    assert {weight.name for weight in report.weights} == {"Big", "Small", "C", "D"}
    missed = 0
    for weight in report.weights:
        if weight.camp is Camp.HEROES:
            change = both.heroes - Battle(without(HEROES, weight.name), VILLAINS).ends(enough=1e-7).heroes
        else:
            change = both.villains - Battle(HEROES, without(VILLAINS, weight.name)).ends(enough=1e-7).villains
        low, high = weight.interval
        assert low <= weight.gain <= high
        assert low - (high - low) / 2 <= change <= high + (high - low) / 2
        assert weight.gain == pytest.approx(weight.p_with - weight.p_without)
        missed += not low <= change <= high
    assert missed <= 1


def test_the_most_comes_first() -> None:
    gains = [abs(weight.gain) for weight in REQUEST.run().weights]
    assert gains == sorted(gains, reverse=True)


def test_the_only_fighter_is_worth_all_its_chance() -> None:
    odds = OddsRequest(heroes=side(fighter("A", 5)), villains=side(fighter("B", 5)))
    for weight in SensitivityRequest(odds=odds, battles=2_000).run().weights:
        assert weight.p_without == 0
        assert weight.gain == weight.p_with > 0


@pytest.mark.statistics
def test_who_does_nothing_changes_hardly_a_battle() -> None:
    """Common numbers: a bystander of one die moves few battles, so its difference is known far better than the odds."""
    heroes = side(*crowd("h", 8).fighters, fighter("Bystander", 1, 1))
    odds = OddsRequest(heroes=heroes, villains=crowd("v", 9), seed=2)
    report = SensitivityRequest(odds=odds, battles=2_000).run()
    bystander = next(weight for weight in report.weights if weight.name == "Bystander")
    low, high = bystander.interval
    apart = 2 * 1.96 * (2 * 0.25 / report.battles) ** 0.5  # of two simulations that share nothing
    assert high - low < 0.8 * apart


def test_parts_and_one_go_answer_alike() -> None:
    request = REQUEST.model_copy(update={"battles": 1_500})
    so_far = None
    while parts := request.parts(so_far):
        parts = tuple(SensitivityBatch.model_validate_json(part.model_dump_json()) for part in parts)
        reports = [SensitivityTally.model_validate_json(part.run().model_dump_json()) for part in parts]
        share, _ = request.progress(so_far, reports)
        so_far = request.join(so_far, reports)
    assert so_far is not None
    report = report_of(so_far)
    assert report == request.run()
    assert SensitivityReport.model_validate_json(report.model_dump_json()) == report
    assert share == 1
    tally = so_far.tally
    whole = SensitivityBatch(request=request, first=0, count=1_500).run()
    assert whole == tally
    with pytest.raises(ValueError, match="follow"):
        tally + tally


def test_of_many_the_weightiest_are_tried() -> None:
    heroes = side(*crowd("h", 40).fighters, fighter("Champion", 60), fighter("Ghost", 90, 0))
    request = SensitivityRequest(odds=OddsRequest(heroes=heroes, villains=crowd("v", 40)), battles=20)
    report = request.run()
    assert len(report.weights) == MAX_LEFT_OUT
    assert report.skipped == 81 - MAX_LEFT_OUT
    assert "Champion" in {weight.name for weight in report.weights}
    assert "Ghost" not in {weight.name for weight in report.weights}


def test_an_interval_of_pairs() -> None:
    low, high = paired_interval(300, 100, 1_000)
    assert low < 0.2 < high
    assert high - low == pytest.approx(2 * 1.96 * ((0.4 - 0.2**2) / 1_000) ** 0.5, rel=0.01)
    low, high = paired_interval(0, 0, 1_000)
    assert low < 0 < high < 0.01
