"""The cheapest reinforcement, against all purchases worked out one by one with the whole engine."""

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.axis_allies.advice_reports import PurchaseReport
from sim.axis_allies.army import Army
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.editions import DEFAULT, EDITIONS
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.purchase import purchases
from sim.axis_allies.parse import parse_army, parse_battle
from sim.axis_allies.requests import OddsRequest, PurchaseRequest
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError, TooMuchError
from sim.core.values import Side

LAND = (Unit.INFANTRY, Unit.TANK, Unit.FIGHTER, Unit.BOMBER)
SEA = (Unit.FIGHTER, Unit.BOMBER, Unit.SUBMARINE, Unit.DESTROYER, Unit.CARRIER, Unit.BATTLESHIP)
SAME = 1e-12


def question(battle: str, chance: float, **terms: object) -> PurchaseRequest:
    return PurchaseRequest.model_validate({**parse_battle(battle), "chance": chance, "casualties": "score", **terms})


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


def prices(units: tuple[Unit, ...]) -> list[tuple[Unit, int]]:
    return [(unit, price({unit: 1})) for unit in units]


def counts(army: Army) -> dict[Unit, int]:
    return {group.unit: int(group.count) for group in army.groups}


def check(
    request: PurchaseRequest,
    units: tuple[Unit, ...],
    winning: Callable[[PurchaseRequest, dict[Unit, int]], float] = winning,
) -> None:
    """Compare with all purchases up to the price found, with the orders found."""
    report = request.run()
    orders = {f"{each.side}_casualties": each.order for each in report.found_orders}
    assert len(orders) == len({*Side} if request.casualties == "smart" else ())
    request = request.model_copy(update=orders)
    chances = [
        (purchase, winning(request, purchase)) for purchase in everything(units, report.best.ipc, request.edition)
    ]
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


land_armies = st.dictionaries(st.sampled_from(LAND), st.integers(1, 4), min_size=1).map(
    lambda units: Army.of({**units})
)


@settings(max_examples=40, deadline=None)
@given(
    attacker=land_armies,
    defender=land_armies,
    chance=st.sampled_from([0.3, 0.6, 0.9]),
    side=st.sampled_from(Side),
    casualties=st.sampled_from(["score", "smart", "order"]),
)
def test_cheapest_on_land(attacker: Army, defender: Army, chance: float, side: Side, casualties: str) -> None:
    order: Casualties = (Unit.TANK, Unit.BOMBER, Unit.INFANTRY)
    terms = {"chance": chance, "side": side, "casualties": order if casualties == "order" else casualties}
    request = PurchaseRequest.model_validate({"attacker": attacker, "defender": defender, **terms})
    check(request, LAND)


@pytest.mark.parametrize("battle", ["ftr vs 3 inf", "2 ftr, bmr vs 2 inf", "inf, 3 ftr vs 4 inf, tank"])
@pytest.mark.parametrize("casualties", ["score", "smart"])
def test_cheapest_to_take(battle: str, casualties: Casualties) -> None:
    check(question(battle, 0.8, casualties=casualties, must_take=True), LAND)


@pytest.mark.parametrize(
    ("battle", "side"),
    [
        ("dd vs 2 dd", Side.ATTACKER),
        ("sub, dd vs 2 sub, ftr", Side.ATTACKER),
        ("2 ftr vs sub", Side.ATTACKER),
        ("bb, cv, 2 ftr vs dd, cv", Side.DEFENDER),
        ("2 sub, tr vs 2 tr", Side.DEFENDER),
    ],
)
@pytest.mark.parametrize("casualties", ["score", "lives-first", "smart"])
def test_cheapest_at_sea(battle: str, side: Side, casualties: Casualties) -> None:
    check(question(battle, 0.7, side=side, casualties=casualties), SEA)


def test_a_damaged_ship_stays_damaged() -> None:
    report = solve("bb (1 hit) vs 2 dd", 0.8, units=(Unit.BATTLESHIP,))
    assert counts(report.best.units) == {Unit.BATTLESHIP: 1}
    odds = OddsRequest(attacker=parse_army("2 bb (1 hit)"), defender=parse_army("2 dd")).run()
    assert report.best.chance == pytest.approx(odds.p_attacker, abs=1e-12)


def test_prices_in_rising_order_are_all_prices() -> None:
    for units in (LAND, SEA, (Unit.TRANSPORT,)):
        there = [purchase for ipc in range(41) for purchase in purchases(prices(units), ipc)]
        assert all({unit: n for unit, n in purchase.items() if n} == purchase for purchase in there)
        by_price = sorted(sorted(purchase.items()) for purchase in there)
        plain = [{unit: n for unit, n in purchase.items() if n} for purchase in everything(units, 40)]
        assert by_price == sorted(sorted(purchase.items()) for purchase in plain)


@settings(max_examples=30, deadline=None)
@given(land_armies, land_armies, st.sampled_from([(0.2, 0.5), (0.5, 0.7), (0.7, 0.95)]))
def test_more_certainty_costs_more(attacker: Army, defender: Army, chances: tuple[float, float]) -> None:
    less, more = (PurchaseRequest(attacker=attacker, defender=defender, chance=chance).run() for chance in chances)
    assert less.best.ipc <= more.best.ipc
    assert less.chance_before == more.chance_before


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
        assert all(
            winning(request, purchase) < 0.9
            for purchase in purchases(prices((Unit.INFANTRY, Unit.TANK, Unit.BOMBER)), below)
        )


def test_from_nothing() -> None:
    request = PurchaseRequest(attacker=Army(), defender=parse_army("2 inf"), chance=0.5)
    report = request.run()
    assert report.chance_before == 0.0
    check(request, LAND)


def test_nobody_there() -> None:
    report = PurchaseRequest(attacker=Army(), defender=Army(), chance=0.9, units=(Unit.TANK, Unit.INFANTRY)).run()
    assert counts(report.best.units) == {Unit.INFANTRY: 1}
    with pytest.raises(RuleError, match="Name the units to buy from"):
        PurchaseRequest(attacker=Army(), defender=Army(), chance=0.9)


def test_what_may_be_bought() -> None:
    assert question("inf vs inf", 0.5).buyable == LAND
    assert question("ftr vs ftr", 0.5).buyable == LAND
    assert question("ftr vs dd", 0.5).buyable == SEA
    assert question("inf, bb vs 2 inf", 0.5).buyable == LAND
    assert question("dd vs dd", 0.5, units=(Unit.TRANSPORT, Unit.TRANSPORT)).buyable == (Unit.TRANSPORT,)


@pytest.mark.parametrize(
    ("battle", "units", "message"),
    [
        ("sub vs 2 ftr", (Unit.SUBMARINE,), "can hit the defender's fighters: submarines never win"),
        ("ftr vs 2 sub", (Unit.FIGHTER, Unit.BOMBER), "fighters and bombers never win"),
        ("tr vs dd", (Unit.TRANSPORT,), "transports never win"),
        ("dd vs 3 dd", (Unit.TRANSPORT,), "they never hit"),
    ],
)
def test_what_can_never_be(battle: str, units: tuple[Unit, ...], message: str) -> None:
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


@pytest.mark.parametrize(
    ("battle", "units", "message"),
    [
        ("inf vs 400 inf", (), r"^Nothing up to \d+ IPC reaches 90%"),
        ("sub, ftr vs 2 ftr", (Unit.SUBMARINE,), r"reaches 90%: the best found is [\d.]+% with [\d,]+ submarines for"),
        ("inf vs 5000 inf", (), "too large"),
        ("1580 inf vs 1576 inf", (), r"^Nothing tried so far .* Searching further would take too long"),
    ],
)
def test_too_much_says_how_far(battle: str, units: tuple[Unit, ...], message: str) -> None:
    with pytest.raises(TooMuchError, match=message):
        solve(battle, 0.9, units=units)


def test_many_harmless_enemies_are_no_trouble() -> None:
    report = solve("tr vs 9000 tr", 0.9, units=(Unit.DESTROYER, Unit.BATTLESHIP))
    assert (report.best.ipc, report.chance_before) == (8, 0.0)


def test_fractions_are_refused() -> None:
    with pytest.raises(RuleError, match="whole units"):
        question("2.5 inf vs inf", 0.5)


def test_cost_is_bounded() -> None:
    assert 3 < question("inf vs 2 inf", 0.9).cost() <= question("9000 inf, sub vs 9000 inf", 0.9).cost() <= 14


@pytest.mark.rest
def test_a_close_search_says_what_is_enough() -> None:
    with pytest.raises(TooMuchError, match=r"^Nothing up to \d+ IPC reaches 95%; .* does. The cheapest is in"):
        solve("inf vs 100 inf", 0.95)
