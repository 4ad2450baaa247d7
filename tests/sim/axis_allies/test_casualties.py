"""Which units are lost first."""

import pytest

from sim.axis_allies.casualties import Casualties, CasualtyOrder, Life, Slot
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.parse import parse_army
from sim.axis_allies.parse.options import parse_casualties
from sim.axis_allies.unit_stats import HitGroup
from sim.axis_allies.units import WORDS, Unit
from sim.core.errors import RuleError
from sim.core.values import Side
from tests.sim.axis_allies.builders import cases


def losses(
    army: str,
    casualties: Casualties = "score",
    side: Side = Side.ATTACKER,
    *,
    enemy: str = "inf",
    group: HitGroup = HitGroup.REST,
    must_take: bool = False,
    edition: str = "1941",
) -> list[str]:
    """Return what one hit after the other takes."""
    armies = parse_army(army, edition), parse_army(enemy, edition)
    order = CasualtyOrder.of(armies[0], side, casualties, armies[1], must_take=must_take)
    hit = [int(each is group) for each in HitGroup]
    left, taken = order.counts, []
    while (after := order.place(left, *hit)) != left:
        slots = zip(order.slots, left, after, strict=True)
        taken.append(str(next(slot for slot, before, now in slots if now < before)))
        left = after
    return taken


SPECIAL: dict[str, Slot] = {"bb-life": Life.BATTLESHIP, "cv-life": Life.CARRIER}


@pytest.mark.parametrize(("how", "army", "lost"), cases("casualty_orders.txt"))
def test_what_is_lost_first(how: str, army: str, lost: str) -> None:
    where, _, order = how.partition(": ")
    where, _, enemy = where.partition(" vs ")
    edition, side, *takes = where.split()
    casualties: Casualties = "formula" if order == "formula" else EDITIONS[edition].rules.casualties
    if order not in {"formula", "usual"}:
        casualties = parse_casualties(order)
    taken = losses(army, casualties, Side(side), enemy=enemy or "inf", must_take=bool(takes), edition=edition)
    assert taken == [str(SPECIAL.get(word) or WORDS[word]) for word in lost.split()]


def test_submarines_hit_no_air() -> None:
    assert losses("2 ftr, dd, bmr", group=HitGroup.SUBMARINES) == ["destroyer"]


def test_air_alone_hits_no_submarines() -> None:
    assert losses("2 sub, dd", group=HitGroup.AIR) == ["destroyer"]


@pytest.mark.parametrize("order", ["score", "lives-first", (Unit.TANK, Unit.FIGHTER), (Unit.INFANTRY, Unit.TANK)])
def test_every_order_keeps_the_land_unit_that_it_loses_last(order: Casualties) -> None:
    taken = losses("2 inf, tank, ftr", order, must_take=True)
    land = [unit for unit in losses("2 inf, tank, ftr", order) if unit != "fighter"]
    assert taken[-1] == land[-1]
    assert sorted(taken) == ["fighter", "infantry", "infantry", "tank"]


def placed(army: str, submarines: int, air: int, rest: int, casualties: Casualties = "score") -> dict[str, int]:
    """Return what hits of one fire leave of a defender."""
    order = CasualtyOrder.of(parse_army(army), Side.DEFENDER, casualties, parse_army("inf"))
    left = order.place(order.counts, submarines, air, rest)
    return {str(slot): count for slot, count in zip(order.slots, left, strict=True) if count}


def test_hits_are_shared_so_that_as_many_as_possible_take_effect() -> None:
    """The submarine's hit takes the submarine and leaves the destroyer to the plane's."""
    assert placed("sub, dd", 1, 1, 0, (Unit.DESTROYER, Unit.SUBMARINE)) == {}
    assert placed("2 sub, dd, ftr", 0, 2, 0) == {"submarine": 2}
    assert placed("sub, ftr", 2, 0, 0) == {"fighter": 1}
    assert placed("sub, dd, ftr", 1, 0, 1, (Unit.FIGHTER, Unit.DESTROYER, Unit.SUBMARINE)) == {"submarine": 1}
    assert placed("2 ftr, bb", 1, 0, 1, (Unit.FIGHTER, Unit.BATTLESHIP)) == {"fighter": 1, "battleship": 1}


def test_an_order_names_each_unit_once() -> None:
    with pytest.raises(RuleError, match="once"):
        losses("inf, tank", (Unit.TANK, Unit.TANK))


def test_fractions_are_refused() -> None:
    with pytest.raises(RuleError, match=r"2\.5 infantry"):
        losses("2.5 inf")
