"""The cheapest reinforcement, against all purchases worked out one by one with the odds."""

from itertools import pairwise, product

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from sim.axis_allies.advice_reports import PurchaseReport
from sim.axis_allies.army import Army
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.editions import DEFAULT, EDITIONS
from sim.axis_allies.odds.army_graph import build_chain
from sim.axis_allies.odds.dominance import Failures
from sim.axis_allies.parse import parse_army, parse_question
from sim.axis_allies.purchases import purchases_within
from sim.axis_allies.question import BattleRequest
from sim.axis_allies.requests import OddsRequest, PurchaseRequest
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError, TooMuchError
from sim.core.values import Side
from tests.sim.axis_allies.builders import Battle, asked, attackers, battles
from tests.tables import kept_table

INF, ART, TANK, MECH = Unit.INFANTRY, Unit.ARTILLERY, Unit.TANK, Unit.MECH
FTR, TAC, BMR, GUN = Unit.FIGHTER, Unit.TACTICAL, Unit.BOMBER, Unit.GUN
SUB, DD, CV, BB = Unit.SUBMARINE, Unit.DESTROYER, Unit.CARRIER, Unit.BATTLESHIP
LAND, SEA = (INF, TANK, FTR, BMR), (FTR, BMR, SUB, DD, CV, BB)
SAME = 1e-12


def question(battle: str, chance: float, **terms: object) -> PurchaseRequest:
    return PurchaseRequest.model_validate({**parse_question(battle).fields, "chance": chance, **terms})


def solve(battle: str, chance: float, **terms: object) -> PurchaseReport:
    return question(battle, chance, **terms).run()


def winning(request: PurchaseRequest, bought: dict[Unit, int]) -> float:
    """Return the chance to win with what is bought, as the odds tell it."""
    own = request.army(request.side)
    damage = sum(own.damage(group) for group in own.groups)
    assert not damage, "these tests start with whole ships"
    whole = Army.of({unit: own.count(unit) + bought.get(unit, 0) for unit in Unit}, request.edition)
    if not whole:
        return 0.0
    lands = request.side is Side.DEFENDER or whole.has(Category.LAND)
    if request.must_take and not lands:
        return 0.0
    asked = {name: getattr(request, name) for name in BattleRequest.model_fields}
    asked |= {request.side.value: whole} | ({} if lands else {"bombard": Army()})
    odds = OddsRequest(**asked).run()
    return odds.p_attacker if request.side is Side.ATTACKER else odds.p_defender


def everything(units: tuple[Unit, ...], ipc: int, edition: str = DEFAULT) -> list[dict[Unit, int]]:
    """Return all that can be bought for at most `ipc` IPC, the plain way."""
    ranges = [range(ipc // EDITIONS[edition].cost(unit) + 1) for unit in units]
    bought = [dict(zip(units, counts, strict=True)) for counts in product(*ranges)]
    return [purchase for purchase in bought if price(purchase, edition) <= ipc]


def price(bought: dict[Unit, int], edition: str = DEFAULT) -> int:
    return sum(EDITIONS[edition].cost(unit) * count for unit, count in bought.items())


def counts(army: Army) -> dict[Unit, int]:
    return {group.unit: int(group.count) for group in army.groups}


def check(request: PurchaseRequest) -> None:
    """Compare with all purchases up to the price found, with the orders found."""
    report = request.run()
    orders = {f"{each.side}_casualties": each.order for each in report.found_orders}
    assert len(orders) == len(request.searched)
    request = request.model_copy(update=orders)
    every = everything(request.buyable, report.best.ipc, request.edition)
    chances = [(purchase, winning(request, purchase)) for purchase in every]
    reached = [(purchase, chance) for purchase, chance in chances if chance >= request.chance - SAME]
    assert {price(purchase, request.edition) for purchase, _ in reached} == {report.best.ipc}
    best = max(chance for _, chance in reached)
    assert report.best.chance == pytest.approx(best, abs=1e-10)
    found = counts(report.best.units)
    assert price(found, request.edition) == report.best.ipc
    assert winning(request, found) == pytest.approx(best, abs=1e-10)
    assert report.chance_before == pytest.approx(winning(request, {}), abs=1e-10)
    alike = [purchase for purchase, chance in reached if chance >= best - SAME]
    assert sum(found.values()) == min(sum(purchase.values()) for purchase in alike)
    for other in report.others:
        assert other.ipc == price(counts(other.units), request.edition) >= report.best.ipc
        assert other.chance == pytest.approx(winning(request, counts(other.units)), abs=1e-10)
        assert other.chance >= request.chance - SAME
    at_this_price = [purchase for purchase, _ in reached if {unit: n for unit, n in purchase.items() if n} != found]
    alternatives = [purchase for purchase in report.others if purchase.ipc == report.best.ipc]
    assert len(alternatives) == min(3, len(at_this_price))
    assert [purchase.ipc for purchase in report.others] == sorted(purchase.ipc for purchase in report.others)


def test_a_damaged_ship_stays_damaged() -> None:
    report = solve("bb (1 hit) vs 2 dd", 0.8, units=(Unit.BATTLESHIP,))
    assert counts(report.best.units) == {Unit.BATTLESHIP: 1}
    odds = OddsRequest(attacker=parse_army("2 bb (1 hit)"), defender=parse_army("2 dd")).run()
    assert report.best.chance == pytest.approx(odds.p_attacker, abs=1e-12)


def test_reached_already() -> None:
    report = solve("10 tanks vs inf", 0.9)
    assert report.already
    assert (report.best.ipc, report.best.units, report.others) == (0, Army(), ())
    assert report.best.chance == report.chance_before > 0.9


@pytest.mark.rest
def test_a_large_battle() -> None:
    """Where steps are skipped, the price below the one found is still too little for anything."""
    request = question("60 inf, 10 tanks vs 90 inf", 0.9)
    report = request.run()
    assert report.best.ipc > 60
    for below in range(report.best.ipc - 3, report.best.ipc):
        kinds = [(unit, price({unit: 1})) for unit in (INF, TANK, BMR)]
        assert all(winning(request, purchase) < 0.9 for purchase in purchases_within(kinds, below, below))


def test_nobody_there() -> None:
    report = PurchaseRequest(attacker=Army(), defender=Army(), chance=0.9, units=(Unit.TANK, Unit.INFANTRY)).run()
    assert counts(report.best.units) == {Unit.INFANTRY: 1}
    with pytest.raises(RuleError, match="Name the units to buy from"):
        PurchaseRequest(attacker=Army(), defender=Army(), chance=0.9)


def test_what_may_be_bought() -> None:
    def offered(battle: str, side: Side = Side.ATTACKER) -> tuple[Unit, ...]:
        return question(battle, 0.5, side=side).buyable

    assert offered("inf vs inf") == offered("ftr vs ftr") == offered("inf, bb vs 2 inf") == LAND
    assert offered("ftr vs dd") == SEA
    assert question("dd vs dd", 0.5, units=(Unit.TRANSPORT, Unit.TRANSPORT)).buyable == (Unit.TRANSPORT,)
    assert offered("1942: inf vs inf") == offered("1942: inf vs inf", Side.DEFENDER) == (INF, ART, TANK, FTR, BMR)
    assert offered("1942: inf, ftr vs inf", Side.DEFENDER) == (INF, ART, TANK, GUN, FTR, BMR)
    assert offered("1940: inf, ftr vs inf, ftr") == (INF, MECH, ART, TANK, FTR, TAC, BMR)
    assert offered("revised: inf, ftr vs inf", Side.DEFENDER) == (INF, ART, TANK, FTR, BMR)
    assert offered("classic: ftr vs bb") == (FTR, BMR, SUB, CV, BB)


@pytest.mark.parametrize(("battle", "units", "message"), kept_table(__file__, "never"))
def test_what_can_never_be(battle: str, units: list[str], message: str) -> None:
    with pytest.raises(RuleError, match=message) as caught:
        solve(battle, 0.9, units=units)
    assert not isinstance(caught.value, TooMuchError)


def test_transports_take_the_first_hits_where_they_may() -> None:
    """In an order of one's own they are what protects the destroyer."""
    order: Casualties = (Unit.TRANSPORT, Unit.DESTROYER)
    report = solve("dd vs 2 dd", 0.9, units=(Unit.TRANSPORT,), casualties=order)
    assert report.best.ipc > 14


def test_a_territory_needs_land_units() -> None:
    with pytest.raises(RuleError, match="Only land units"):
        question("ftr vs inf", 0.5, units=(Unit.FIGHTER,), must_take=True)


@pytest.mark.parametrize(("battle", "units", "message"), kept_table(__file__, "too_much"))
def test_too_much_says_how_far(battle: str, units: list[str], message: str) -> None:
    with pytest.raises(TooMuchError, match=message):
        solve(battle, 0.9, units=units)


def test_many_harmless_enemies_are_no_trouble() -> None:
    report = solve("tr vs 9000 tr", 0.9, units=(Unit.DESTROYER, Unit.BATTLESHIP))
    assert (report.best.ipc, report.chance_before) == (8, 0.0)


@pytest.mark.rest
def test_a_close_search_says_what_is_enough() -> None:
    with pytest.raises(TooMuchError, match=r"^Nothing up to \d+ IPC reaches 95%; .* does. The cheapest is in"):
        solve("inf vs 100 inf", 0.95)


@pytest.mark.parametrize(("battle", "side", "units", "chance"), kept_table(__file__, "cheapest"))
def test_cheapest_of_all(battle: str, side: str, units: list[str], chance: float) -> None:
    check(question(battle, chance, side=side, units=units))


@settings(max_examples=60, deadline=None)
@given(
    battle=battles(most=3),
    side=st.sampled_from(Side),
    chance=st.sampled_from([0.3, 0.6, 0.9]),
    casualties=st.sampled_from([None, None, "smart", (TANK, BMR, INF)]),
    data=st.data(),
)
def test_nothing_better_is_overlooked(
    battle: Battle, side: Side, chance: float, casualties: Casualties | None, data: st.DataObject
) -> None:
    """Against all purchases up to the price found, each with the whole engine, whatever terms the battle has."""
    question = asked(battle) | {"side": side, "chance": chance, "casualties": casualties}
    for own in ("attacker", "defender"):
        book = EDITIONS[question[own].edition]
        question[own] = question[own].with_groups(
            group.model_copy(update={"lives": group.count * book.lives(group.unit)}) for group in question[own].groups
        )
    try:
        request = PurchaseRequest(**question)
        some = st.lists(st.sampled_from(request.buyable), min_size=1, max_size=3, unique=True)
        request = PurchaseRequest(**question, units=tuple(data.draw(some)))
        assume(request.run().best.ipc <= 24)
    except TooMuchError:
        reject()
    except RuleError as error:
        assume(not any(words in str(error) for words in ("never win", "won't help", "buys none", "no rule for heavy")))
        raise
    check(request)


@settings(max_examples=150, deadline=None)
@given(
    battle=battles(most=3), counts=st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=2, max_size=4)
)
def test_an_army_with_no_more_dice_is_no_better(battle: Battle, counts: list[list[int]]) -> None:
    """Pair bonuses, lives, low luck and bombardment included."""
    question = asked(battle)
    edition = question["attacker"].edition
    naval = question["defender"].has(Category.NAVAL) or question["attacker"].has(Category.NAVAL)
    units = [unit for unit in attackers(edition, at_sea=naval) if unit is not SUB]
    assume(not any(army.count(unit) for army in (question["attacker"], question["defender"]) for unit in (GUN, SUB)))
    armies = [Army.of(dict(zip(units, numbers, strict=False)), edition) for numbers in counts]
    assume(all(army.has(Category.LAND) or not (question["must_take"] or question["bombard"]) for army in armies))
    assume(all(armies))
    heavy = "heavy-bombers" in question["attacker_technology"] and edition in {"anniversary", "1940"}
    assume(not (question["low_luck"] and heavy))  # has no rule
    requests = [OddsRequest(**{**question, "attacker": army}) for army in armies]
    order = requests[0].casualty_order(Side.ATTACKER)
    for weaker, stronger in [*pairwise(requests), *pairwise(requests[::-1])]:
        failures = Failures(order.arms, low_luck=question["low_luck"])
        weak, strong = (
            failures.strength(
                build_chain(request.casualty_order(Side.ATTACKER)),
                None,
                bombarding=len(request.terms().bombardment),
                takes=request.attacker.has(Category.LAND),
            )
            for request in (weaker, stronger)
        )
        failures.add(strong)
        if failures.dominate(weak):
            assert weaker.run().p_attacker <= stronger.run().p_attacker + 1e-12


@pytest.mark.parametrize(("edition", "side", "units", "message"), kept_table(__file__, "not_sold"))
def test_what_is_not_sold(edition: str, side: str, units: list[str], message: str) -> None:
    with pytest.raises(RuleError, match=message):
        question(f"{edition}: 2 inf vs 2 inf", 0.5, side=side, units=units)


@pytest.mark.parametrize(("defender", "units"), [("1940: 2 dd", (BB, DD)), ("1941: 2 inf", LAND)])
def test_an_empty_army_is_of_the_other_ones_edition(defender: str, units: tuple[Unit, ...]) -> None:
    """1940 loses lives first, and prices differ: nothing of 1941 may come in."""
    request = PurchaseRequest(attacker=Army(), defender=parse_army(defender), chance=0.5, units=units)
    check(request)
    assert request.run().best.units.edition == request.defender.edition
