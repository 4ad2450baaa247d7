import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given

from sim.axis_allies.answers import CalcFilesRequest, CalcRequest
from sim.axis_allies.army import NEGLIGIBLE_COUNT, Army, army_text
from sim.axis_allies.average import AverageRequest
from sim.axis_allies.editions import DEFAULT, EDITIONS
from sim.axis_allies.parse import parse_army, parse_question
from sim.axis_allies.parse.options import parse_casualties
from sim.axis_allies.question import MAX_ROUNDS, Withdrawal
from sim.axis_allies.reports import AverageReport, transcript
from sim.axis_allies.units import Unit
from sim.core import RuleError, TooMuchError
from sim.core.values import Ending, Side
from tests.sim.axis_allies.builders import armies, average, parse_battle
from tests.tables import kept_table

RUNS = Path(__file__).with_name("average_battles.txt")


def original_runs() -> Iterator[tuple[str, str, str]]:
    for part in RUNS.read_text(encoding="utf-8").split("\n> ")[1:]:
        head, _, text = part.partition("\n")
        attacker, _, defender = head.partition(" | ")
        yield attacker, defender, text.rstrip("\n") + "\n"


def test_every_run_of_the_original_is_met_to_the_character() -> None:
    runs = list(original_runs())
    assert len(runs) == 60
    for attacker, defender, text in runs:
        assert transcript(average(attacker, defender)) == text, f"{attacker} vs {defender}"


@pytest.mark.parametrize(("attacker", "defender", "order", "left"), kept_table(__file__, "lost_first"))
def test_who_is_lost_first(attacker: str, defender: str, order: str, left: str) -> None:
    """By the defender's order; the attacker has its own."""
    report = average(attacker, defender, defender_casualties=parse_casualties(order), stop_after=1)
    assert army_text(report.defender_left) == left
    assert report.attacker_left == average(attacker, defender, stop_after=1).attacker_left


def test_a_battle_without_an_end_in_sight_is_refused_with_a_way_out() -> None:
    with pytest.raises(TooMuchError, match="1,000 rounds; say when to stop"):
        average("1 infantry", "1000 transports")
    assert len(average("1 infantry", "1000 transports", stop_after=MAX_ROUNDS).rounds) == MAX_ROUNDS


def test_a_million_of_each_unit_is_no_effort() -> None:
    all_units = ", ".join(f"1000000 {unit.plural}" for unit in EDITIONS[DEFAULT].units)
    assert len(average(all_units, all_units).rounds) == 7


@pytest.mark.parametrize(("option", "rounds"), kept_table(__file__, "retreats"))
def test_the_attacker_retreats_as_soon_as_a_condition_holds(option: str, rounds: int) -> None:
    """Rounds of 6 infantry and 4 fighters against 10 infantry leave 6.67, 4.33 and 2.81 attackers."""
    withdrawal = parse_question(f"6 infantry, 4 fighters vs 10 infantry | {option}").withdrawal
    report = average("6 infantry, 4 fighters", "10 infantry", withdrawal=withdrawal)
    full = average("6 infantry, 4 fighters", "10 infantry")
    if not rounds:
        assert report == full
        return
    assert report.rounds == full.rounds[:rounds]
    assert (report.ending, report.winner, report.end) == (Ending.RETREAT, None, "retreat")
    assert transcript(report, rounds=False).startswith(
        f"Completed simulation in {rounds} rounds.\nThe attacker retreated! The attacker was left with "
    )


def test_whoever_has_won_does_not_retreat() -> None:
    assert average("3 tanks", "1 infantry", withdrawal=Withdrawal(below=3)).winner is Side.ATTACKER


def test_a_territory_keeps_the_last_land_unit() -> None:
    """Two bombers, dearer than the tank, go before its last one; without a territory they are what is left."""
    plain = average("2 tanks, 2 bombers", "4 infantry")
    report = average("2 tanks, 2 bombers", "4 infantry", must_take=True)
    assert plain.attacker_left.count(Unit.BOMBER) > report.attacker_left.count(Unit.BOMBER)
    assert report.winner is Side.ATTACKER
    assert report.attacker_left.count(Unit.TANK) == 1
    assert transcript(report, rounds=False).splitlines()[1].startswith("The attacker takes the territory, with 1 tank")


def test_half_a_land_unit_takes_a_territory() -> None:
    report = average("0.5 infantry, 4 fighters", "1 infantry", must_take=True)
    assert report.attacker_left.count(Unit.INFANTRY) == Fraction(1, 2)
    assert report.end == "attacker"


def test_planes_alone_take_nothing() -> None:
    order = (Unit.INFANTRY, Unit.FIGHTER)
    lost = {Side.ATTACKER: lambda _: order}
    request = AverageRequest(attacker=parse_army("1 inf, 4 ftr"), defender=parse_army("3 inf"), must_take=True)
    report = request.run(lost)
    assert not report.attacker_left.count(Unit.INFANTRY)
    assert (report.winner, report.ending, report.end) == (None, Ending.ANNIHILATION, "not taken")
    assert (
        transcript(report, rounds=False)
        .splitlines()[1]
        .startswith("No land unit is left to take the territory! The attacker was left with ")
    )


def test_the_average_battle_of_one_answer_follows_all_its_options() -> None:
    """Both parts of an answer are about one battle: the odds keep a land unit, lose lives first, and retreat."""
    battle = "6 inf, 2 ftr vs 8 inf | order attacker: lives-first | retreat below 4 | take territory | rounds 9"
    request = CalcRequest.of(parse_question(battle))
    assert request.average is not None
    assert request.odds is not None
    for name in AverageRequest.model_fields:
        assert getattr(request.average, name) == getattr(request.odds, name)
    assert request.average.run().end == "retreat"


@pytest.mark.parametrize("method", ["smart", "thrifty"])
def test_the_best_order_of_the_odds_is_that_of_the_average_battle(method: str) -> None:
    request = CalcRequest.of(parse_question(f"2 sub, 2 bb, 2 dst vs 2 sub, 2 bb, 1 ftr | order {method} | rounds 2"))
    report = request.run()
    assert report.odds is not None
    assert request.average is not None
    orders = {order.side: order.order for order in report.odds.found_orders}
    assert orders.keys() == set(Side)
    given = {f"{side}_casualties": order for side, order in orders.items()}
    assert report.average == request.average.model_copy(update=given).run() == request.average.run()
    files = CalcFilesRequest(calc=request).run()
    assert AverageReport.model_validate_json(files["battle.json"]) == report.average


def test_fractions_of_units_have_no_low_luck() -> None:
    with pytest.raises(RuleError, match="whole units"):
        CalcRequest.of(parse_question("6.5 inf vs 8 inf | low luck"))


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
            volley.amounts[0] for round_ in report.rounds for volley in round_.volleys if volley.side is side.other
        )
        crumbs = NEGLIGIBLE_COUNT * len(report.army(side).groups)
        assert 0 <= _toughness(report.army(side)) - _toughness(report.left(side)) - hit <= crumbs


def average_of(attacker: Army, defender: Army, stop_after: int | None = None) -> AverageReport:
    return AverageRequest(attacker=attacker, defender=defender, stop_after=stop_after).run()


def _toughness(army: Army) -> Fraction:
    return sum((group.count + group.lives for group in army.groups), Fraction(0))


def test_the_three_files() -> None:
    battle = AverageRequest(**parse_battle("2 submarines vs 1 battleship"))
    files = CalcFilesRequest(calc=CalcRequest(average=battle)).run()
    assert set(files) == {"battle.txt", "battle.csv", "battle.json"}
    assert AverageReport.model_validate_json(files["battle.json"]) == battle.run()
    assert json.loads(files["battle.json"])["rounds"][0]["volleys"][0]["hits"] == [
        {"by": "submarine", "on": "battleship", "amount": "2/3"}
    ]


def test_editions_without_an_average_battle_have_the_files_of_the_odds() -> None:
    question = parse_question("1942: 6 inf, 2 art vs 5 inf")
    calc = CalcRequest.of(question)
    assert calc.average is None
    assert set(CalcFilesRequest(calc=calc).run()) == {"odds.csv", "odds.json"}
    assert calc.run().average is None
