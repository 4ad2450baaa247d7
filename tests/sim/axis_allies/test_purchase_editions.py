"""The cheapest reinforcement in all editions, against all purchases, worked out one by one in fractions."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from sim.axis_allies.army import Army
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds.army_graph import build_chain
from sim.axis_allies.odds.dominance import Failures
from sim.axis_allies.requests import OddsRequest, PurchaseRequest
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError, TooMuchError
from sim.core.values import Side
from tests.sim.axis_allies.builders import Battle, army, asked, battles, units_of
from tests.sim.axis_allies.enumerate_battle import enumerate_battle
from tests.sim.axis_allies.enumerate_losses import Pair, Pile, Rules
from tests.sim.axis_allies.test_purchase import check
from tests.tables import kept_table

INF, ART, TANK, MECH = Unit.INFANTRY, Unit.ARTILLERY, Unit.TANK, Unit.MECH
FTR, TAC, BMR, GUN = Unit.FIGHTER, Unit.TACTICAL, Unit.BOMBER, Unit.GUN
SUB, DD, CRU, CV, BB = Unit.SUBMARINE, Unit.DESTROYER, Unit.CRUISER, Unit.CARRIER, Unit.BATTLESHIP


def pile(army: Army, bought: dict[Unit, int]) -> Pile:
    """Return an army with what is bought, without a gun that is a mark."""
    lives = army.book.lives
    counts = {unit: (int(army.count(unit)), bought.get(unit, 0)) for unit in army.book.units}
    whole = {group.unit: int(group.lives) for group in army.groups}
    return tuple(
        (unit, old + new, whole.get(unit, 0) + new * lives(unit))
        for unit, (old, new) in counts.items()
        if old + new and not army.book.units[unit].mark
    )


def enumerated(request: PurchaseRequest, bought: dict[Unit, int]) -> float:
    """Return the chance to win with what is bought, from the enumeration."""
    own, other = (
        pile(request.army(side), bought if side is request.side else {}) for side in (request.side, request.side.other)
    )
    pair: Pair = (own, other) if request.side is Side.ATTACKER else (other, own)
    lands = any(unit.category is Category.LAND for unit, _, _ in pair[0])
    rules = Rules(
        edition=request.edition,
        technology=(request.attacker_technology, request.defender_technology),
        take=request.must_take and lands,
        mark=any(request.defender.book.units[group.unit].mark for group in request.defender.groups),
        bombard=tuple(group.unit for group in request.bombard.groups for _ in range(int(group.count))) if lands else (),
        landing=request.landing,
        low_luck=request.low_luck,
    )
    won = Fraction(0)
    for (attacker, defender), chance in enumerate_battle(pair, rules).finals.items():
        if request.side is Side.DEFENDER:
            won += chance if defender and not attacker else 0
        else:
            takes = not request.must_take or any(unit.category is Category.LAND for unit, _, _ in attacker)
            won += chance if attacker and not defender and takes else 0
    return float(won)


@pytest.mark.parametrize("row", kept_table(__file__, "cheapest"))
def test_cheapest_of_all(row: tuple[Any, ...]) -> None:
    edition, attacker, defender, side, units, chance, terms = row
    request = PurchaseRequest(
        attacker=units_of(attacker, edition),
        defender=units_of(defender, edition),
        side=side,
        units=tuple(units),
        chance=chance,
        **terms | {"bombard": units_of(terms.get("bombard", ""), edition)},
    )
    check(request, request.units, enumerated)


@settings(max_examples=60, deadline=None)
@given(
    battle=battles(most=3),
    side=st.sampled_from(Side),
    chance=st.sampled_from([0.3, 0.6, 0.9]),
    data=st.data(),
)
def test_nothing_better_is_overlooked(battle: Battle, side: Side, chance: float, data: st.DataObject) -> None:
    """Against all purchases up to the price found, each with the whole engine, whatever terms the battle has."""
    question = asked(battle)
    for own in ("attacker", "defender"):
        book = EDITIONS[question[own].edition]
        question[own] = question[own].with_groups(
            group.model_copy(update={"lives": group.count * book.lives(group.unit)}) for group in question[own].groups
        )
    try:
        request = PurchaseRequest(**question, side=side, chance=chance)
        some = st.lists(st.sampled_from(request.buyable), min_size=1, max_size=3, unique=True)
        request = PurchaseRequest(**question, side=side, chance=chance, units=tuple(data.draw(some)))
        assume(request.run().best.ipc <= 24)
    except TooMuchError:
        reject()
    except RuleError as error:
        assume(not any(words in str(error) for words in ("never win", "won't help", "buys none", "no rule for heavy")))
        raise
    check(request, request.buyable)


@settings(max_examples=150, deadline=None)
@given(
    battle=battles(most=3), counts=st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=2, max_size=4)
)
def test_an_army_with_no_more_dice_is_no_better(battle: Battle, counts: list[list[int]]) -> None:
    """Pair bonuses, lives, low luck and bombardment included."""
    question = asked(battle)
    edition = question["attacker"].edition
    naval = question["defender"].has(Category.NAVAL) or question["attacker"].has(Category.NAVAL)
    kinds = {Category.AIR, Category.NAVAL if naval else Category.LAND}
    units = [unit for unit in EDITIONS[edition].units if unit.category in kinds and unit not in {GUN, SUB}]
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


def test_what_an_edition_sells() -> None:
    def offered(side: Side, attacker: dict[str, int], defender: dict[str, int], edition: str) -> tuple[Unit, ...]:
        armies = {"attacker": army(attacker, edition=edition), "defender": army(defender, edition=edition)}
        return PurchaseRequest(**armies, chance=0.5, side=side).buyable

    land = {"infantry": 2}
    assert offered(Side.ATTACKER, land, land, "1942") == (INF, ART, TANK, FTR, BMR)
    assert offered(Side.DEFENDER, land, land, "1942") == (INF, ART, TANK, FTR, BMR)
    planes = {"infantry": 1, "fighter": 1}
    assert offered(Side.DEFENDER, planes, land, "1942") == (INF, ART, TANK, GUN, FTR, BMR)
    assert offered(Side.ATTACKER, planes, planes, "1940") == (INF, MECH, ART, TANK, FTR, TAC, BMR)
    assert offered(Side.DEFENDER, planes, land, "revised") == (INF, ART, TANK, FTR, BMR)
    assert offered(Side.ATTACKER, {}, {"battleship": 1}, "classic") == (FTR, BMR, SUB, CV, BB)


@pytest.mark.parametrize(
    ("edition", "side", "units", "message"),
    [
        ("1942", Side.ATTACKER, (MECH,), "1942 second edition has no mechanized infantry"),
        ("1942", Side.ATTACKER, (GUN,), "guns never attack"),
        ("revised", Side.DEFENDER, (GUN,), "only a mark"),
        ("1942", Side.ATTACKER, (DD,), "don't fight side by side"),
    ],
)
def test_what_is_not_sold(edition: str, side: Side, units: tuple[Unit, ...], message: str) -> None:
    some = army({"infantry": 2}, edition=edition)
    with pytest.raises(RuleError, match=message):
        PurchaseRequest(attacker=some, defender=some, chance=0.5, side=side, units=units)


def test_an_empty_army_is_of_the_other_ones_edition() -> None:
    """1940 loses lives first, and prices differ: nothing of 1941 may come in."""
    request = PurchaseRequest(
        attacker=Army(), defender=army({"destroyer": 2}, edition="1940"), chance=0.5, units=(BB, DD)
    )
    check(request, (BB, DD))
    assert request.run().best.units.edition == "1940"
