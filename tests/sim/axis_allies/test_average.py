from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given

from sim.axis_allies.army import NEGLIGIBLE_COUNT, Army, Note, army_text
from sim.axis_allies.average import MAX_ROUNDS
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.export import transcript
from sim.axis_allies.reports import AverageReport
from sim.axis_allies.requests import AverageRequest
from sim.axis_allies.units import Unit
from sim.core.errors import TooMuchError
from sim.core.values import Ending, Side
from tests.sim.axis_allies.builders import armies, average

RUNS = Path(__file__).with_name("average_battles.txt")


def original_runs() -> Iterator[tuple[str, str, str]]:
    for part in RUNS.read_text(encoding="utf-8").split("\n> ")[1:]:
        head, _, text = part.partition("\n")
        attacker, _, defender = head.partition(" | ")
        yield attacker, defender, text.rstrip("\n") + "\n"


@pytest.mark.parametrize(("attacker", "defender", "text"), list(original_runs()))
def test_every_run_of_the_original_is_met_to_the_character(attacker: str, defender: str, text: str) -> None:
    assert transcript(average(attacker, defender)) == text


def test_there_are_sixty_original_runs() -> None:
    assert len(list(original_runs())) == 60


def test_the_short_form_is_the_end_of_the_long_one() -> None:
    report = average("6 tanks, 2 infantry, 1 bomber", "10 infantry, 1 tank, 1 fighter")
    assert transcript(report, rounds=False) == (
        "Completed simulation in 3 rounds.\nThe defender won, with 2.75 infantry, 1 tank, 1 fighter left.\n"
    )


def test_fractions_are_kept_exactly() -> None:
    """1/6 + 1/6 of a hit a round: nothing is lost to rounding."""
    report = average("1 infantry", "1 infantry")
    assert report.defender_left.count(Unit.INFANTRY) == Fraction(410, 648)


def test_transports_are_chosen_last_whatever_their_score() -> None:
    report = average("3 bombers", "1 transport, 1 battleship", stop_after=1)
    assert army_text(report.defender_left) == "1 transport"


def test_submarines_just_sunk_still_strike() -> None:
    """The defender strikes with the numbers of the snapshot, though the attacker's strike sank a third of them."""
    strike = average("3 submarines", "3 submarines", stop_after=1).rounds[0].volley(Side.DEFENDER, surprise=True)
    assert strike is not None
    assert strike.effective == Fraction(3, 6)


def test_destroyed_armies_take_no_further_hits() -> None:
    """What is left when nobody stands any more is neither effective nor ineffective."""
    volley = average("10 tanks", "1 infantry").rounds[0].volley(Side.ATTACKER)
    assert volley is not None
    assert volley.effective == 1
    assert volley.ineffective == 0


def test_a_battle_stops_when_asked() -> None:
    report = average("10 tanks", "10 tanks", stop_after=2)
    assert (len(report.rounds), report.winner, report.ending) == (2, None, Ending.ROUND_LIMIT)
    assert transcript(report, rounds=False) == (
        "Completed simulation in 2 rounds.\n"
        "No one won the battle! The attacker was left with 2.5 tanks, and the defender was left with 2.5 tanks.\n"
    )


def test_a_damaged_battleship_starts_without_its_life() -> None:
    first = average("2 battleships (1 hit)", "1 destroyer").rounds[0]
    assert army_text(first.attacker) == "2 battleships (1 extra life)"


@pytest.mark.parametrize(
    ("attacker", "defender", "noted"),
    [
        ("1 inf", "1 sub", True),
        ("1 inf, 1 dd", "1 ftr", True),
        ("1 inf", "1 ftr", False),
        ("1 sub", "1 ftr", False),
    ],
)
def test_land_beside_naval_units_is_calculated_and_told(attacker: str, defender: str, noted: bool) -> None:
    assert (Note.LAND_AT_SEA in average(attacker, defender).notes) is noted


def test_money_lost_on_both_sides() -> None:
    report = average("6 tanks, 2 infantry, 1 bomber", "10 infantry, 1 tank, 1 fighter")
    assert report.ipc_lost(Side.ATTACKER) == 54
    assert report.ipc_lost(Side.DEFENDER) == Fraction("21.75")


def test_a_battle_without_an_end_in_sight_is_refused_with_a_way_out() -> None:
    with pytest.raises(TooMuchError, match="1,000 rounds; say with stop_after"):
        average("1 infantry", "1000 transports")
    assert len(average("1 infantry", "1000 transports", stop_after=MAX_ROUNDS).rounds) == MAX_ROUNDS


def test_a_million_of_each_unit_is_no_effort() -> None:
    all_units = ", ".join(f"1000000 {unit.plural}" for unit in EDITIONS["1941"].units)
    assert len(average(all_units, all_units).rounds) == 7


@given(armies(), armies())
def test_any_battle_ends_and_nobody_ever_grows(attacker: Army, defender: Army) -> None:
    try:
        report = average_of(attacker, defender)
    except TooMuchError:
        return
    for side in Side:
        states = [*(round_.army(side) for round_ in report.rounds), report.left(side)]
        assert states[0] == report.army(side)
        for before, after in pairwise(states):
            for group in after.groups:
                assert NEGLIGIBLE_COUNT < group.count <= before.count(group.unit)
                assert 0 <= group.lives <= group.count * after.book.lives(group.unit)
    survivors = [side for side in Side if report.left(side)]
    if report.ending is Ending.ANNIHILATION:
        assert survivors == [report.winner]
    else:
        assert report.winner is None
        assert len(survivors) == (0 if report.ending is Ending.MUTUAL else 2)


@given(armies(), armies())
def test_hits_and_losses_balance(attacker: Army, defender: Army) -> None:
    """What a side lost in units and lives is what the other side hit, but for crumbs of a millionth."""
    report = average_of(attacker, defender, stop_after=3)
    for side in Side:
        hit = sum(
            volley.effective for round_ in report.rounds for volley in round_.volleys if volley.side is side.other
        )
        crumbs = NEGLIGIBLE_COUNT * len(report.army(side).groups)
        assert 0 <= _toughness(report.army(side)) - _toughness(report.left(side)) - hit <= crumbs


@given(armies(), armies())
def test_a_report_round_trips_through_json(attacker: Army, defender: Army) -> None:
    report = average_of(attacker, defender, stop_after=2)
    assert AverageReport.model_validate_json(report.model_dump_json()) == report


def average_of(attacker: Army, defender: Army, stop_after: int | None = None) -> AverageReport:
    return AverageRequest(attacker=attacker, defender=defender, stop_after=stop_after).run()


def _toughness(army: Army) -> Fraction:
    return sum((group.count + group.lives for group in army.groups), Fraction(0))
