"""What each order needs, costs and does (.docs/rules/mad_killer_agents.md, "Armies" and "Cities")."""

import pytest

from sim.core.errors import RuleError
from sim.mad_killer_agents.battle import orders
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.events import Fought, Moved
from sim.mad_killer_agents.constants import Technology, discovery_cost, growth_cost, growth_paid
from tests.sim.mad_killer_agents.builders import Found, Grow, Raise, armies_by_tile, at, board, terrain


@pytest.mark.parametrize(("value", "left"), [(1, 0.5), (2, 0), (3, 0), (4, 0), (5, 0)])
def test_a_move_costs_half_a_point_on_tv_1_and_one_on_others(value: int, left: float) -> None:
    on = board({"C3": (1, 5)}, ground=terrain(2, D4=value))
    orders.move(on, 1, at("C3"), at("D4"))
    assert armies_by_tile(on) == {"D4": (1, 5, left)}


def test_mountains_need_mountaineering() -> None:
    on = board({"C3": (1, 5)}, ground=terrain(2, D4=6))
    with pytest.raises(RuleError, match="D4 is a mountain"):
        orders.move(on, 1, at("C3"), at("D4"))
    on.sides[1].techs.add(Technology.MOUNTAINEERING)
    orders.move(on, 1, at("C3"), at("D4"))
    assert armies_by_tile(on) == {"D4": (1, 5, 0)}


def test_roads_make_tv_2_cheap() -> None:
    on = board({"C3": (1, 20)})
    on.sides[1].techs.add(Technology.ROADS)
    with pytest.raises(RuleError, match="roads reach D4 just as fast"):
        orders.march(on, 1, at("C3"), at("D4"))
    orders.move(on, 1, at("C3"), at("D4"))
    assert armies_by_tile(on) == {"D4": (1, 20, 0.5)}


def test_a_part_can_split_off_and_joining_armies_keep_the_lower_mp() -> None:
    on = board({"C3": (1, 10), "D4": (1, 3)}, ground=terrain(1))
    orders.move(on, 1, at("C3"), at("D4"), 4)
    assert armies_by_tile(on) == {"C3": (1, 6, 1), "D4": (1, 7, 0.5)}
    orders.move(on, 1, at("D4"), at("C3"), 7)
    assert armies_by_tile(on) == {"C3": (1, 13, 0)}


@pytest.mark.parametrize(
    ("to", "units", "message"),
    [
        ("E5", None, "E5 is not a neighbor of C3"),
        ("C3", None, "C3 is not a neighbor of C3"),
        ("D4", 11, "The army on C3 has 10 units, not 11"),
        ("C4", None, "An enemy holds C4: attack it from C3"),
        ("B3", None, "An enemy holds B3"),
    ],
)
def test_moves_that_are_none(to: str, units: int | None, message: str) -> None:
    on = board({"C3": (1, 10), "C4": (2, 1)}, {"B3": (2, 1)})
    for order in (orders.move, orders.march):
        with pytest.raises(RuleError, match=message):
            order(on, 1, at("C3"), at(to), units)
    assert armies_by_tile(on)["C3"] == (1, 10, 1)


def test_orders_are_for_the_own_armies_with_points_left() -> None:
    on = board({"C3": (1, 10), "F6": (2, 10)})
    for place in ("F6", "A1"):
        with pytest.raises(RuleError, match=f"You have no army on {place}"):
            orders.move(on, 1, at(place), at("A2"))
    orders.move(on, 1, at("C3"), at("C4"))
    with pytest.raises(RuleError, match=r"takes 1 movement point; the army on C4 has none left"):
        orders.move(on, 1, at("C4"), at("C5"))


@pytest.mark.parametrize(
    ("value", "units", "lost"), [(2, 10, 1), (2, 19, 1), (3, 5, 1), (3, 10, 2), (5, 3, 1), (5, 10, 4)]
)
def test_a_forced_march_loses_10_percent_for_each_tv_over_1(value: int, units: int, lost: int) -> None:
    on = board({"C3": (1, units)}, ground=terrain(value))
    orders.march(on, 1, at("C3"), at("D4"))
    assert armies_by_tile(on) == {"D4": (1, units - lost, 0.5)}


@pytest.mark.parametrize(
    ("value", "units", "message"),
    [
        (2, 9, "9 units are too few"),
        (3, 4, "4 units are too few"),
        (4, 1, "1 unit is too few"),
        (1, 50, "for tile values \\(TV\\) 2 to 5"),
        (6, 50, "for tile values \\(TV\\) 2 to 5"),
    ],
)
def test_marches_that_are_none(value: int, units: int, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        orders.march(board({"C3": (1, units)}, ground=terrain(value)), 1, at("C3"), at("D4"))


def test_the_attackers_survivors_move_in() -> None:
    on = board({"C3": (1, 10), "D4": (2, 4)})
    orders.attack(on, 1, at("C3"), at("D4"), 8)
    assert armies_by_tile(on) == {"C3": (1, 2, 1), "D4": (1, 4, 0)}
    assert on.owners[at("D4")] == 1


def test_who_loses_an_attack_is_gone_and_the_others_wait() -> None:
    """Splitting: each part has the bonus of the tile."""
    on = board({"C3": (1, 4), "D4": (2, 12)}, ground=terrain(1, C3=5))
    for left in (7, 2):
        orders.attack(on, 1, at("C3"), at("D4"), 1)
        assert armies_by_tile(on)["D4"] == (2, left, 1)
    orders.attack(on, 1, at("C3"), at("D4"), 2)
    assert armies_by_tile(on) == {"D4": (1, 2, 0.5)}


def test_survivors_before_a_city_that_stands_join_those_who_waited() -> None:
    on = board({"C3": (1, 20), "D4": (2, 2)}, {"D4": (2, 6)})
    orders.attack(on, 1, at("C3"), at("D4"), 13)
    assert armies_by_tile(on) == {"C3": (1, 12, 0)}
    assert on.cities[at("D4")].size == 1
    assert on.owners[at("D4")] == 2


def test_a_city_that_falls_to_0_is_destroyed_and_entered() -> None:
    on = board({"C3": (1, 20)}, {"D4": (2, 3)})
    orders.attack(on, 1, at("C3"), at("D4"))
    assert armies_by_tile(on) == {"D4": (1, 20, 0)}
    assert not on.cities
    assert list(on.eliminate()) == [2]


def test_a_drafted_unit_that_lives_is_an_army_without_points() -> None:
    on = board({"C3": (1, 3)}, {"D4": (2, 5)})
    result = orders.attack(on, 1, at("C3"), at("D4"))
    assert result.drafted == 1
    assert armies_by_tile(on) == {"D4": (2, 1, 0)}


def test_attacks_that_are_none() -> None:
    on = board({"C3": (1, 10), "C4": (1, 1), "D4": (2, 1), "B2": (2, 1)}, ground=terrain(2, B2=6))
    for place, message in (("C4", "no enemy on C4"), ("D3", "no enemy on D3"), ("B2", "B2 is a mountain")):
        with pytest.raises(RuleError, match=message):
            orders.attack(on, 1, at("C3"), at(place))
    on.armies[at("C3")].mp = 1
    with pytest.raises(RuleError, match="takes 1 movement point;"):
        orders.attack(on, 1, at("C3"), at("D4"))


def test_founding_takes_20_units_and_a_point() -> None:
    on = board({"C3": (1, 25)})
    orders.found_city(on, 1, at("C3"))
    assert armies_by_tile(on) == {"C3": (1, 5, 0)}
    assert (on.cities[at("C3")].size, on.cities[at("C3")].number) == (1, 1)
    alone = board({"C3": (1, 20)})
    orders.found_city(alone, 1, at("C3"))
    assert not alone.armies
    assert list(alone.eliminate()) == [2]


@pytest.mark.parametrize("place", ["D4", "C4", "B2", "C3"])
def test_no_city_near_another(place: str) -> None:
    with pytest.raises(RuleError, match="too near"):
        orders.found_city(board({"C3": (1, 20)}, {place: (2, 1)}), 1, at("C3"))
    orders.found_city(board({"C3": (1, 20)}, {"E3": (2, 1)}), 1, at("C3"))


def test_founding_needs_units_points_and_no_mountain() -> None:
    with pytest.raises(RuleError, match="takes 20 units; the army on C3 has 19"):
        orders.found_city(board({"C3": (1, 19)}), 1, at("C3"))
    with pytest.raises(RuleError, match="on a mountain"):
        orders.found_city(board({"C3": (1, 30)}, ground=terrain(2, C3=6)), 1, at("C3"))
    on = board({"C3": (1, 30)})
    orders.pass_army(on, 1, at("C3"))
    with pytest.raises(RuleError, match="takes 1 movement point;"):
        orders.found_city(on, 1, at("C3"))
    with pytest.raises(RuleError, match="no movement points left"):
        orders.pass_army(on, 1, at("C3"))


def test_growth_costs_rise_with_fibonacci() -> None:
    assert [growth_cost(size) for size in range(1, 9)] == [10, 10, 12, 14, 18, 24, 34, 50]
    assert [growth_paid(size) for size in range(1, 5)] == [0, 10, 20, 32]


def test_growing_takes_units_and_no_point() -> None:
    on = board({"C3": (1, 21)}, {"C3": (1, 1)})
    orders.grow_city(on, 1, at("C3"))
    orders.grow_city(on, 1, at("C3"))
    assert armies_by_tile(on) == {"C3": (1, 1, 1)}
    assert on.cities[at("C3")].size == 3
    with pytest.raises(RuleError, match="Growing from 3 to 4 takes 12 units"):
        orders.grow_city(on, 1, at("C3"))
    with pytest.raises(RuleError, match="no city on D4"):
        orders.grow_city(board({"D4": (1, 50)}), 1, at("D4"))


def test_tiles_are_lowered_for_5_and_raised_for_10_within_1_to_5() -> None:
    on = board({"C3": (1, 16)}, ground=terrain(3))
    orders.shape_tile(on, 1, at("C3"), raised=False)
    assert (on.tiles[at("C3")], armies_by_tile(on)) == (2, {"C3": (1, 11, 0)})
    with pytest.raises(RuleError, match="takes 1 movement point;"):
        orders.shape_tile(on, 1, at("C3"), raised=True)
    on.armies[at("C3")].mp = 2
    orders.shape_tile(on, 1, at("C3"), raised=True)
    assert (on.tiles[at("C3")], armies_by_tile(on)) == (3, {"C3": (1, 1, 0)})
    with pytest.raises(RuleError, match="Lowering a tile takes 5 units"):
        orders.shape_tile(on, 1, at("C3"), raised=False)


@pytest.mark.parametrize(("value", "raised"), [(1, False), (5, True), (6, False), (6, True)])
def test_no_tile_leaves_1_to_5(value: int, raised: bool) -> None:
    with pytest.raises(RuleError, match="from 1 to 5 only"):
        orders.shape_tile(board({"C3": (1, 50)}, ground=terrain(value)), 1, at("C3"), raised=raised)


def test_each_technology_costs_15_more_than_the_one_before() -> None:
    assert [discovery_cost(known) for known in range(5)] == [30, 45, 60, 75, 90]
    on = board({"C3": (1, 76)})
    orders.discover(on, 1, at("C3"), Technology.DRILL)
    orders.discover(on, 1, at("C3"), Technology.GRANARY)
    assert armies_by_tile(on) == {"C3": (1, 1, 1)}
    assert on.sides[1].techs == {Technology.DRILL, Technology.GRANARY}
    with pytest.raises(RuleError, match="You know Drill already"):
        orders.discover(on, 1, at("C3"), Technology.DRILL)
    with pytest.raises(RuleError, match="Discovering Roads takes 60 units"):
        orders.discover(on, 1, at("C3"), Technology.ROADS)


def test_technologies_count_in_battle() -> None:
    """Drill for who attacks, Masonry for the city's owner."""
    on = board({"C3": (1, 9), "D4": (2, 4)}, {"D4": (2, 3)})
    plain = orders.check_attack(on, 1, at("C3"), at("D4"))
    for side in on.sides.values():
        side.techs |= set(Technology)
    skilled = orders.check_attack(on, 1, at("C3"), at("D4"))
    assert (plain.drill, plain.masonry, skilled.drill, skilled.masonry) == (False, False, True, True)


def test_a_city_makes_its_tile_and_the_best_of_its_neighbors() -> None:
    ground = terrain(1, C3=3, B2=6, C2=5, D2=4)
    on = board({}, {"C3": (1, 2), "A8": (1, 9)}, ground)
    assert on.income(at("C3")) == 3 + 6 + 5
    assert on.income(at("A8")) == 1 + 3  # only three neighbors in the corner
    on.sides[1].techs.add(Technology.GRANARY)
    assert on.total_income(1) == 14 + 4 + 2
    on.start_turn(1, 1)
    assert armies_by_tile(on) == {"C3": (1, 15, 1), "A8": (1, 5, 1)}


def test_a_turn_gives_each_own_army_its_point_and_saves_none() -> None:
    on = board({"C3": (1, 5), "F6": (2, 5)})
    for army in on.armies.values():
        army.mp = 1
    on.start_turn(1, 2)
    assert armies_by_tile(on) == {"C3": (1, 5, 1), "F6": (2, 5, 0.5)}


def test_the_score_is_units_20_per_city_and_paid_growth() -> None:
    on = board({"C3": (1, 7), "A1": (1, 2)}, {"C3": (1, 4), "H8": (1, 1)})
    assert on.score(1) == 9 + 40 + 10 + 10 + 12
    assert on.score(2) == 0


def test_a_refused_order_changes_nothing() -> None:
    on = board({"C3": (1, 19), "D4": (2, 1)}, {"C4": (1, 1)})
    before = on.world()
    for wrong in (Found, Grow, Raise):
        on.armies[at("C3")].mp = 2 if wrong is not Raise else 1
        with pytest.raises(RuleError):
            orders.apply_order(on, 1, wrong(at=at("C3")))
    on.armies[at("C3")].mp = 2
    with pytest.raises(RuleError):
        orders.attack(on, 1, at("C3"), at("D4"), 20)
    assert on.world() == before


def test_ways_are_told_together_and_battles_alone() -> None:
    on = board({"C3": (1, 9), "D4": (2, 1)}, ground=terrain(1))
    orders.move(on, 1, at("C3"), at("C4"), 2)
    orders.move(on, 1, at("C3"), at("B4"), 3)
    orders.attack(on, 1, at("C3"), at("D4"))
    moved, fought = logged_events(on)
    assert isinstance(moved, Moved)
    assert isinstance(fought, Fought)
    assert moved.ways == (("C3", "C4", 2, 0), ("C3", "B4", 3, 0))
    assert (fought.at, fought.to, fought.units, fought.defender_loss, fought.taken) == ("C3", "D4", 4, 1, True)


def logged_events(on: Board) -> list[object]:
    assert on.log is not None
    return list(on.log)
