"""Which units are lost first, which losses a player may choose, and how a battle loses units by itself.

It does so by the best orders, found before it opens. Choices are held against placing every hit one by one in every
way.

Battles by the first version of the rules are replayed as they were fought, to the last character: `first_version.json`
has battles of version 0.1.0: setups, actions, and the SHA-256 of all states and events. In more than half of them hits
fell otherwise than they do in battles that begin today.
"""

import hashlib
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.axis_allies.army import Army
from sim.axis_allies.battle import VERSION, Hits, Loss, Losses, OpeningRequest, Setup
from sim.axis_allies.battle.losses import HitPlacement, remove_losses
from sim.axis_allies.battle.runner import default_losses
from sim.axis_allies.casualties import LIFE_OF, Casualties, Life, Method, Slot, unit_of
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.parse import parse_army
from sim.axis_allies.parse.options import parse_casualties
from sim.axis_allies.question import BattleRequest, Withdrawal
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.units import WORDS, Category, Unit
from sim.core import RuleError
from sim.core.battle import IllegalActionError
from sim.core.dice import SeededDice
from sim.core.values import Side, canonical
from tests.sim.axis_allies.battle.builders import BATTLE, armies, begin, counted, losses, setup, setups
from tests.tables import kept_table

Left = tuple[tuple[Slot, int], ...]

some_hits = st.one_of(
    st.builds(Hits, submarines=st.integers(0, 3), air=st.integers(0, 3), rest=st.integers(0, 2)),
    st.builds(Hits, planes=st.integers(1, 4)),
)
naval_or_air = {
    edition: [unit for unit in book.units if unit.category is not Category.LAND] for edition, book in EDITIONS.items()
}
fleets = st.one_of(*(armies(edition, units) for edition, units in naval_or_air.items()))


def placement(army: Army, side: Side = Side.DEFENDER) -> HitPlacement:
    return HitPlacement(Setup(attacker=army, defender=army, version=VERSION).casualty_order(side))


def taken_by(kind: str, slot: Slot) -> bool:
    """Return whether a kind of hit, a field of `Hits`, may take a slot."""
    unit = unit_of(slot)
    if kind == "submarines":
        return unit.category is not Category.AIR
    if kind == "planes":
        return unit.category is Category.AIR
    return kind == "rest" or unit is not Unit.SUBMARINE


def one_by_one(left: dict[Slot, int], hits: Hits) -> set[Left]:
    """Return what hits can leave if as many as possible take effect; each takes a legal target or none at all."""
    found = {tuple(left.items())}
    for kind in ("submarines", "air", "rest", "planes"):
        for _ in range(getattr(hits, kind)):
            found |= {end for start in found for end in one_hit(dict(start), kind)}
    fewest = min(sum(count for _, count in end) for end in found)
    return {end for end in found if sum(count for _, count in end) == fewest}


def one_hit(left: dict[Slot, int], kind: str) -> Iterator[Left]:
    for slot, count in left.items():
        life = LIFE_OF.get(slot) if isinstance(slot, Unit) else None
        whole = life in left and count == left[life]
        if count and not whole and taken_by(kind, slot):
            yield tuple((left | {slot: count - 1}).items())


@given(fleets, st.sampled_from(Side), some_hits)
@example(Army.of({Unit.CARRIER: 1, Unit.SUBMARINE: 1}), Side.ATTACKER, Hits(submarines=1, air=1))
def test_exactly_what_hits_one_by_one_can_come_to_may_be_chosen(army: Army, of: Side, hits: Hits) -> None:
    left = counted(army)
    possible = one_by_one(left, hits)
    side = placement(army, of)
    for lost in product(*(range(count + 1) for count in left.values())):
        chosen: Losses = tuple(Loss(slot=slot, count=n) for slot, n in zip(left, lost, strict=True) if n)
        after_it = tuple((slot, left[slot] - n) for slot, n in zip(left, lost, strict=True))
        if after_it in possible:
            assert set(side.by_choice(hits, chosen)) == set(chosen)
        else:
            with pytest.raises(IllegalActionError):
                side.by_choice(hits, chosen)


@given(fleets, some_hits)
def test_a_player_is_asked_exactly_when_there_is_a_choice(army: Army, hits: Hits) -> None:
    assert placement(army).has_choice(hits) is (len(one_by_one(counted(army), hits)) > 1)


@given(setups(), some_hits)
def test_the_method_s_losses_may_be_chosen(setup: Setup, hits: Hits) -> None:
    for side in Side:
        army = setup.army(side).fighters
        here = HitPlacement(setup.casualty_order(side))
        lost = here.by_method(hits)
        assert here.by_choice(hits, lost) == lost
        taken = {loss.slot: loss.count for loss in lost}
        left = {slot: count - taken.get(slot, 0) for slot, count in counted(army).items()}
        after = counted(remove_losses(army, lost))
        assert {slot: after.get(slot, 0) for slot in left} == left


def test_a_ship_that_an_order_names_before_its_life_sinks_whole_after_the_damaged_ones() -> None:
    order = (Unit.BATTLESHIP, LIFE_OF[Unit.BATTLESHIP])
    start = begin("3 battleships (1 damaged) vs 1 sub", order)
    lost = HitPlacement(start.setup.casualty_order(Side.ATTACKER)).by_method(Hits(rest=2))
    assert lost == losses(battleship=2)
    assert counted(remove_losses(start.attacker, lost)) == {Unit.BATTLESHIP: 1, LIFE_OF[Unit.BATTLESHIP]: 1}


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (losses(tank=3), "You can't lose 3 tanks: you have only 2."),
        (losses(bomber=1), "You can't lose 1 bomber: you have none."),
        (losses(tank=1), "You must take 2 losses, not 1."),
        (losses(tank=1) * 2, "Name each unit only once"),
        (losses(battleship=1, tank=1), "An undamaged ship takes a hit first"),
        (losses(fighter=2), "submarines never hit aircraft"),
    ],
)
def test_a_wrong_choice_is_told_what_is_wrong(chosen: Losses, message: str) -> None:
    army = begin("2 tanks, 1 battleship, 2 fighters vs 1 inf").attacker
    with pytest.raises(IllegalActionError, match=message):
        placement(army).by_choice(Hits(submarines=1, rest=1), chosen)


def test_the_default_is_known_only_while_losses_are_due() -> None:
    with pytest.raises(RuleError, match="no losses to choose"):
        default_losses(begin("1 inf vs 1 inf, 1 tank", "manual"), Side.DEFENDER)


CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("first_version.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["dice"])
def test_an_old_battle_is_replayed_as_it_was_fought(case: dict[str, Any]) -> None:
    """By the SHA-256 of all states and events as journals have them; a setup of the first version doesn't say so."""
    setup = BATTLE.setups.read(case["setup"])
    assert BATTLE.setups.write(setup) == case["setup"]
    state = BATTLE.begin(setup)
    digest = hashlib.sha256(canonical(BATTLE.states.write(state)).encode())
    for number, (seat, action) in enumerate(case["actions"], start=1):
        step = BATTLE.apply(state, BATTLE.actions.read(action), seat, SeededDice(b"old %d" % case["dice"], number))
        state = step.state
        digest.update(canonical(BATTLE.states.write(state)).encode())
        digest.update(canonical([BATTLE.events.write(event) for event in step.events]).encode())
    assert digest.hexdigest() == case["digest"]


FLEETS = "2 dd, 1 bb, 1 ftr, 1 tr vs 2 sub, 1 dd"


def old(battle: str, attacker: str, defender: str) -> Setup:
    """Return a setup as the first version stored it."""
    return Setup.model_validate(
        {**dict(setup(battle)), "version": 1, "attacker_losses": attacker, "defender_losses": defender}
    )


def test_smart_is_a_formula_in_battles_of_the_first_version() -> None:
    battle = old(FLEETS, "smart", "score")
    assert battle.casualties_of(Side.ATTACKER) == "formula"
    assert battle.casualty_order(Side.ATTACKER) == setup(FLEETS, "formula").casualty_order(Side.ATTACKER)
    assert battle.casualty_order(Side.ATTACKER) != setup(FLEETS, "smart").casualty_order(Side.ATTACKER)
    assert battle.casualty_policy(Side.ATTACKER) == "smart"
    assert not OpeningRequest(setup=battle).needed
    assert OpeningRequest(setup=battle).run() == battle


@pytest.mark.parametrize("method", ["smart", "thrifty"])
def test_a_battle_opens_with_the_orders_of_the_odds(method: Method) -> None:
    battle = setup(FLEETS, method)
    opening = OpeningRequest(setup=battle)
    assert opening.needed
    assert opening.cost() > 1
    found = OddsRequest(attacker=battle.attacker, defender=battle.defender, casualties=method).run().found_orders
    orders = {each.side: each.order for each in found}
    opened = opening.run()
    assert {side: opened.casualty_policy(side) for side in Side} == orders
    assert not OpeningRequest(setup=opened).needed
    assert opened.model_copy(update={"attacker_losses": method, "defender_losses": method}) == battle


def test_only_the_side_that_asks_gets_an_order() -> None:
    opened = OpeningRequest(setup=setup(FLEETS, "lives-first", attacker="smart")).run()
    assert not isinstance(opened.attacker_losses, str)
    assert opened.defender_losses == "lives-first"


def test_the_order_is_that_of_odds_with_conditions() -> None:
    battle = setup("1942: 3 tanks vs 1 inf, 2 ftr, 2 bmr", "smart")
    orders = {stop: OpeningRequest(setup=battle, stop_after=stop).run().defender_losses for stop in (None, 1)}
    assert orders[1] == (Unit.INFANTRY, Unit.FIGHTER, Unit.BOMBER)
    assert orders[None] != orders[1]
    asked = {"attacker": battle.attacker, "defender": battle.defender, "casualties": "smart"}
    leaves = Withdrawal(below=3)
    odds = OddsRequest.model_validate({**asked, "withdrawal": leaves}).run()
    opened = OpeningRequest(setup=battle, withdrawal=leaves).run()
    assert opened.defender_losses == next(each.order for each in odds.found_orders if each.side is Side.DEFENDER)


def test_a_rematch_of_an_old_battle_has_the_formula_written_out() -> None:
    again = old(FLEETS, "smart", "score").renewed(swap=False)
    assert again.version == VERSION
    assert again.casualty_order(Side.ATTACKER) == setup(FLEETS, "formula").casualty_order(Side.ATTACKER)
    assert not isinstance(again.attacker_losses, str)
    assert again.defender_losses == "score"


def test_methods_go_with_the_players_and_orders_stay_with_their_armies() -> None:
    methods = setup(FLEETS, "score", attacker="manual").renewed(swap=True)
    assert (methods.attacker_losses, methods.defender_losses) == ("score", "manual")
    ordered = OpeningRequest(setup=setup(FLEETS, "smart")).run()
    assert ordered.renewed(swap=True) == ordered


SPECIAL: dict[str, Slot] = {"bb-life": Life.BATTLESHIP, "cv-life": Life.CARRIER}


@pytest.mark.parametrize(("how", "army", "lost"), kept_table(__file__, "orders"))
def test_what_is_lost_first(how: str, army: str, lost: str) -> None:
    where, _, order = how.partition(": ")
    where, _, enemy = where.partition(" vs ")
    edition, side, *takes = where.split()
    casualties: Casualties = "formula" if order == "formula" else EDITIONS[edition].rules.casualties
    if order not in {"formula", "usual"}:
        casualties = parse_casualties(order)
    armies = {side: parse_army(army, edition), Side(side).other: parse_army(enemy or "inf", edition)}
    request = BattleRequest.model_validate({**armies, "casualties": casualties, "must_take": bool(takes)})
    losing = request.casualty_order(Side(side))
    left, taken = losing.counts, []
    while (after := losing.place(left, 0, 0, 1)) != left:
        slots = zip(losing.slots, left, after, strict=True)
        taken.append(str(next(slot for slot, before, now in slots if now < before)))
        left = after
    assert taken == [str(SPECIAL.get(word) or WORDS[word]) for word in lost.split()]


def test_an_order_names_each_unit_once() -> None:
    with pytest.raises(RuleError, match="once"):
        setup("inf, tank vs inf", (Unit.TANK, Unit.TANK)).casualty_order(Side.ATTACKER)
