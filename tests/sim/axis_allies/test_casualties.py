"""Which units fire, and which are lost first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.axis_allies.arms import HitGroup, arms_of, firing, strikers
from sim.axis_allies.army import Army
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Fire, Fired, Setup
from sim.axis_allies.casualties import Casualties, CasualtyOrder, Last, Life
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.parse import MAX_ORDER_TEXT, METHODS, parse_army, parse_casualties
from sim.axis_allies.requests import AverageRequest
from sim.axis_allies.units import Unit
from sim.core.dice import SeededDice
from sim.core.errors import RuleError, Span, TextError
from sim.core.values import Side


def test_submarines_strike_where_no_destroyer_watches() -> None:
    """Each side for itself, by the armies as the round begins."""
    subs, watched = {Unit.SUBMARINE}, {Unit.SUBMARINE, Unit.DESTROYER}
    arms = {side: arms_of("1941", side) for side in Side}
    assert strikers({Side.ATTACKER: subs, Side.DEFENDER: subs}, arms) == (Side.ATTACKER, Side.DEFENDER)
    assert strikers({Side.ATTACKER: subs, Side.DEFENDER: watched}, arms) == (Side.DEFENDER,)
    assert strikers({Side.ATTACKER: watched, Side.DEFENDER: watched}, arms) == ()


def test_in_classic_only_the_attacker_s_submarines_strike() -> None:
    arms = {side: arms_of("classic", side) for side in Side}
    assert strikers(dict.fromkeys(Side, {Unit.SUBMARINE}), arms) == (Side.ATTACKER,)


def test_what_has_struck_is_silent_and_transports_always_are() -> None:
    fleet, arms = (Unit.TRANSPORT, Unit.SUBMARINE, Unit.FIGHTER), arms_of("1941", Side.ATTACKER)
    assert list(firing(fleet, arms, surprise=True, struck=False)) == [Unit.SUBMARINE]
    assert list(firing(fleet, arms, surprise=False, struck=True)) == [Unit.FIGHTER]
    assert list(firing(fleet, arms, surprise=False, struck=False)) == [Unit.SUBMARINE, Unit.FIGHTER]


small = st.lists(st.sampled_from(list(EDITIONS["1941"].units)), min_size=1, max_size=6).map(
    lambda units: Army.of({unit: units.count(unit) for unit in units})
)


@given(small, small, st.binary(max_size=8))
def test_the_first_phase_is_fired_by_the_same_units_on_average_and_with_dice(
    attacker: Army, defender: Army, seed: bytes
) -> None:
    system = DiceBattle()
    state = system.begin(Setup(attacker=attacker, defender=defender))
    if system.outcome(state) is not None:
        return
    events = system.apply(state, Fire(), "attacker", SeededDice(seed, 1)).events
    thrown = [event for event in events if isinstance(event, Fired)]
    average = AverageRequest(attacker=attacker, defender=defender, stop_after=1).run().rounds[0]
    assert {fired.side for fired in thrown if fired.surprise} == {
        volley.side for volley in average.volleys if volley.surprise
    }
    for fired in thrown:
        if fired.surprise:
            assert [throw.unit for throw in fired.throws] == [Unit.SUBMARINE]
        else:
            assert not ({fired.side} & {other.side for other in thrown if other.surprise}) or Unit.SUBMARINE not in {
                throw.unit for throw in fired.throws
            }


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
    left = list(order.counts)
    taken = []
    while (loss := order.next_loss(left, group)) is not None:
        order.lose(left, loss[0], 1)
        taken.append(str(order.slots[loss[0]]))
    return taken


LIFE_NAME = str(Life.BATTLESHIP)


def test_lowest_score_then_lowest_cost_then_transports() -> None:
    assert losses("tr, bb, bmr, ftr, tank, dd, sub, cv, inf") == [
        "infantry",
        "aircraft carrier",
        "submarine",
        "destroyer",
        "tank",
        "fighter",
        "bomber",
        LIFE_NAME,
        "battleship",
        "transport",
    ]


def test_a_defender_counts_its_defence() -> None:
    assert losses("ftr, bmr, inf", side=Side.DEFENDER) == ["bomber", "infantry", "fighter"]


def test_all_lives_go_before_the_first_battleship() -> None:
    assert losses("2 bb, dd") == ["destroyer", LIFE_NAME, LIFE_NAME, "battleship", "battleship"]


def test_damage_is_a_life_less() -> None:
    assert losses("2 bb (1 hit)") == [LIFE_NAME, "battleship", "battleship"]


def test_lives_first() -> None:
    assert losses("bb, dd, inf", "lives-first") == [LIFE_NAME, "infantry", "destroyer", "battleship"]


def test_submarines_hit_no_air() -> None:
    assert losses("2 ftr, dd, bmr", group=HitGroup.SUBMARINES) == ["destroyer"]


def test_air_alone_hits_no_submarines() -> None:
    assert losses("2 sub, dd", group=HitGroup.AIR) == ["destroyer"]


def test_smart_gives_away_the_cheapest_strength() -> None:
    """Defending, an infantry (3 IPC, 2) is less than a bomber (12 IPC, 1)."""
    assert losses("bb, bmr, inf, ftr", "smart", Side.DEFENDER) == [
        LIFE_NAME,
        "infantry",
        "bomber",
        "fighter",
        "battleship",
    ]


def test_smart_keeps_the_last_destroyer_from_submarines() -> None:
    assert losses("2 dd, ftr, tr", "smart", enemy="sub") == ["destroyer", "fighter", "destroyer", "transport"]
    assert losses("2 dd, ftr, tr", "smart", enemy="dd") == ["destroyer", "destroyer", "fighter", "transport"]


def test_smart_keeps_the_last_land_unit_when_a_territory_is_to_be_taken() -> None:
    assert losses("2 inf, tank, ftr", "smart", must_take=True) == ["infantry", "infantry", "fighter", "tank"]
    assert losses("2 inf, tank, ftr", "smart") == ["infantry", "infantry", "tank", "fighter"]
    assert losses("2 inf, ftr", "smart", Side.DEFENDER, must_take=True) == ["infantry", "infantry", "fighter"]


def test_smart_keeps_the_land_unit_longer_than_the_destroyer() -> None:
    assert losses("inf, dd, ftr", "smart", enemy="sub", must_take=True) == ["fighter", "destroyer", "infantry"]


def test_an_order_of_ones_own() -> None:
    order = (Unit.TANK, Unit.INFANTRY)
    assert losses("inf, tank, ftr, bmr", order) == ["tank", "infantry", "fighter", "bomber"]


def test_an_order_may_name_lives() -> None:
    assert losses("2 bb, dd", (Life.BATTLESHIP, Unit.DESTROYER)) == [
        LIFE_NAME,
        LIFE_NAME,
        "destroyer",
        "battleship",
        "battleship",
    ]
    assert losses("bb, dd", (Unit.BATTLESHIP, Unit.DESTROYER)) == [LIFE_NAME, "battleship", "destroyer"]


def test_a_whole_battleship_is_damaged_before_it_is_lost() -> None:
    """Ships named before lives: the damaged one goes first, then each takes its damage and is lost."""
    order = (Unit.BATTLESHIP, Life.BATTLESHIP)
    assert losses("3 bb (1 hit)", order) == ["battleship", LIFE_NAME, "battleship", LIFE_NAME, "battleship"]


def test_an_order_names_each_unit_once() -> None:
    with pytest.raises(RuleError, match="once"):
        losses("inf, tank", (Unit.TANK, Unit.TANK))


def test_fractions_are_refused() -> None:
    with pytest.raises(RuleError, match=r"2\.5 infantry"):
        losses("2.5 inf")


@pytest.mark.parametrize("method", METHODS)
def test_methods_as_text(method: str) -> None:
    assert parse_casualties(f" {method.upper()} ") == method
    assert parse_casualties("lives first") == "lives-first"


@pytest.mark.parametrize(
    "text",
    [
        "order: inf, tank, bb-life, bb",
        "infantry tank battleship-lives battleship",
        "Order INF > tanks > battleship extra lives > battle ship",
        "inf then tank then life then bb",
        "inf -> tank -> extra-life and bb",
    ],
)
def test_orders_as_text(text: str) -> None:
    assert parse_casualties(text) == (Unit.INFANTRY, Unit.TANK, Life.BATTLESHIP, Unit.BATTLESHIP)


@pytest.mark.parametrize(
    ("text", "span", "message"),
    [
        ("order: inf, destoryer", Span(12, 21), "No unit has this name. Did you mean destroyer?"),
        ("inf, tank, inf", Span(11, 14), "Name each unit only once."),
        (
            "dumb",
            Span(0, 4),
            "Choose losses by score, lives-first, smart, or list them in order, as in: inf, tank, bb-life.",
        ),
        ("order:", Span(6, 6), "List the units, first loss first, as in: order: inf, tank, bb-life"),
        (
            "inf " * 100,
            Span(MAX_ORDER_TEXT, MAX_ORDER_TEXT + 1),
            "The text is 400 characters long; at most 300 are read.",
        ),
    ],
)
def test_wrong_orders_as_text(text: str, span: Span, message: str) -> None:
    with pytest.raises(TextError) as caught:
        parse_casualties(text)
    assert [problem.span for problem in caught.value.problems] == [span]
    assert caught.value.problems[0].sentence() == message
