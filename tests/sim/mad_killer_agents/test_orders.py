"""What orders need, cost and do (.docs/rules/mad_killer_agents.md, "Armies" and "Cities"); orders as text."""

import re

import pytest

from sim.core.errors import NotAllowedError, RuleError
from sim.mad_killer_agents.battle import orders
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.events import Fought, Moved
from sim.mad_killer_agents.battle.order_input import apply_order_text, read_orders
from sim.mad_killer_agents.constants import Technology, growth_paid
from tests.sim.mad_killer_agents import builders as b
from tests.sim.test_typed_texts import rows

PLAIN = b.terrain(1)


def placed(told: str) -> dict[str, tuple[int, int]]:
    """Read places with an owner and a number."""
    return {place: (int(owner), int(number)) for place, owner, number in (each.split() for each in told.split(", "))}


def drawn(told: str) -> Board:
    """Read a board, as moves.txt has it."""
    armies, *parts = told.split("; ")
    more = dict(part.split(" ", 1) for part in parts)
    value, *hills = more.get("ground", "2").split()
    ground = b.terrain(int(value), **{place: int(high) for place, _, high in (hill.partition("=") for hill in hills)})
    on = b.board(placed(armies), placed(more["cities"]) if "cities" in more else {}, ground)
    on.sides[1].techs.update(map(Technology, more.get("knows", "").split()))
    for army in on.armies.values():
        army.mp = int(more.get("points", army.mp))
    return on


def give(on: Board, text: str) -> Board:
    """Carry out the first player's orders."""
    for written in read_orders(text, on.width, on.height):
        assert written.order is not None
        orders.apply_order(on, 1, written.order)
    return on


@pytest.mark.parametrize("row", rows("moves", "after"))
def test_what_orders_do_to_armies(row: str) -> None:
    told, text, after = row.split(" => ")
    on = give(drawn(told), text)
    armies = [f"{place} {owner} {units} {points:g}" for place, (owner, units, points) in b.armies_by_tile(on).items()]
    assert (", ".join(armies) or "none") == after
    assert all(on.owners[tile] == army.owner for tile, army in on.armies.items())


@pytest.mark.parametrize("row", rows("moves", "refused"))
def test_an_order_that_is_refused_changes_nothing(row: str) -> None:
    told, text, message = row.split(" => ")
    on = drawn(told)
    before = on.world()
    with pytest.raises(RuleError, match=re.escape(message)):
        give(on, text)
    assert on.world() == before


def test_what_becomes_of_cities_and_tiles() -> None:
    stands = give(b.board({"C3": (1, 20), "D4": (2, 2)}, {"D4": (2, 6)}), "C3 attack D4 13")
    assert (stands.cities[b.at("D4")].size, stands.owners[b.at("D4")]) == (1, 2)
    falls = give(b.board({"C3": (1, 20)}, {"D4": (2, 3)}), "C3 attack D4")
    assert (list(falls.cities), list(falls.eliminate())) == ([], [2])
    founded = give(b.board({"C3": (1, 20)}), "C3 found")
    assert (founded.cities[b.at("C3")].size, founded.cities[b.at("C3")].number) == (1, 1)
    assert list(founded.eliminate()) == [2]
    grown = give(b.board({"C3": (1, 21)}, {"C3": (1, 1)}), "C3 grow; C3 grow")
    assert grown.cities[b.at("C3")].size == 3
    shaped = give(b.board({"C3": (1, 26), "F6": (1, 10)}, ground=b.terrain(3)), "C3 lower; F6 raise")
    assert (shaped.tiles[b.at("C3")], shaped.tiles[b.at("F6")]) == (2, 4)


def test_costs_of_growth_and_technologies() -> None:
    assert [growth_paid(size) for size in range(1, 5)] == [0, 10, 20, 32]
    on = give(b.board({"C3": (1, 76)}), "C3 discover drill; C3 discover granary")
    assert on.sides[1].techs == {Technology.DRILL, Technology.GRANARY}


def test_technologies_count_in_battle() -> None:
    """Drill for who attacks, Masonry for the city's owner."""
    on = b.board({"C3": (1, 9), "D4": (2, 4)}, {"D4": (2, 3)})
    plain = orders.attack_clash(on, 1, b.at("C3"), b.at("D4"), 9)
    for side in on.sides.values():
        side.techs |= set(Technology)
    skilled = orders.attack_clash(on, 1, b.at("C3"), b.at("D4"), 9)
    assert (plain.drill, plain.masonry, skilled.drill, skilled.masonry) == (False, False, True, True)


def test_a_city_makes_its_tile_and_the_best_of_its_neighbors() -> None:
    ground = b.terrain(1, C3=3, B2=6, C2=5, D2=4)
    on = b.board({}, {"C3": (1, 2), "A8": (1, 9)}, ground)
    assert on.income(b.at("C3")) == 3 + 6 + 5
    assert on.income(b.at("A8")) == 1 + 3  # only three neighbors in the corner
    on.sides[1].techs.add(Technology.GRANARY)
    assert on.total_income(1) == 14 + 4 + 2
    on.start_turn(1, 1)
    assert b.armies_by_tile(on) == {"C3": (1, 15, 1), "A8": (1, 5, 1)}


def test_a_turn_gives_each_own_army_its_point_and_saves_none() -> None:
    on = drawn("C3 1 5, F6 2 5; points 1")
    on.start_turn(1, 2)
    assert b.armies_by_tile(on) == {"C3": (1, 5, 1), "F6": (2, 5, 0.5)}


def test_the_score_is_units_20_per_city_and_paid_growth() -> None:
    on = b.board({"C3": (1, 7), "A1": (1, 2)}, {"C3": (1, 4), "H8": (1, 1)})
    assert (on.score(1), on.score(2)) == (9 + 40 + 10 + 10 + 12, 0)


def test_ways_are_told_together_and_battles_alone() -> None:
    on = give(b.board({"C3": (1, 9), "D4": (2, 1)}, ground=PLAIN), "C3-C4 2; C3-B4 3; C3 attack D4")
    assert on.log is not None
    moved, fought = on.log
    assert isinstance(moved, Moved)
    assert isinstance(fought, Fought)
    assert moved.ways == (("C3", "C4", 2, 0), ("C3", "B4", 3, 0))
    assert (fought.at, fought.to, fought.units, fought.defender_loss, fought.taken) == ("C3", "D4", 4, 1, True)


def test_the_example_of_the_help_on_lines_of_its_own() -> None:
    assert [written.order for written in read_orders("C7-D8 12\nd8 FOUND, E5 attack F5;;", 8, 8)] == [
        b.Move(at=b.at("C7"), to=b.at("D8"), units=12),
        b.Found(at=b.at("D8")),
        b.Attack(at=b.at("E5"), to=b.at("F5")),
    ]


def test_written_orders_are_carried_out_but_for_one_that_names_itself() -> None:
    on = b.board({"C3": (1, 25), "D4": (2, 3)}, ground=b.terrain(1))
    written = apply_order_text(on, 1, "C3-C4 5; C4 attack E5; C3 found; end")
    assert written.refused == (("C4 attack E5", "E5 is not a neighbor of C4."),)
    assert (len(written.orders), written.ends) == (2, False)
    assert b.armies_by_tile(on) == {"C4": (1, 5, 0.5), "D4": (2, 3, 1)}
    with pytest.raises(NotAllowedError) as caught:
        apply_order_text(on, 1, "C4 found; end")
    assert "Another city is too near C4" in str(caught.value)
    on = b.board({"C3": (1, 25), "D4": (2, 3)}, ground=b.terrain(1))
    written = apply_order_text(on, 1, "C3-C4 5; C3 found; C4 attack D4; end")
    assert (len(written.orders), written.refused, written.ends) == (3, (), True)
    assert b.armies_by_tile(on) == {"D4": (1, 2, 0)}
