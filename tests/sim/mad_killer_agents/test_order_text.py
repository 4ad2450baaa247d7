"""Orders as text: all or nothing, and every mistake at its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.errors import TextError
from sim.mad_killer_agents.battle.order_text import apply_order_text, read_orders
from sim.mad_killer_agents.battle.values import MAX_ORDER_TEXT, Discover, Order
from sim.mad_killer_agents.constants import Technology
from tests.sim.mad_killer_agents.builders import (
    Attack,
    Found,
    Grow,
    Lower,
    March,
    Move,
    Pass,
    Raise,
    armies_by_tile,
    at,
    board,
    terrain,
)


def read(text: str) -> list[Order | None]:
    return [written.order for written in read_orders(text, 8, 8)]


def test_the_example_of_the_help() -> None:
    assert read("C7-D8 12; D8 found; E5 attack F5") == [
        Move(at=at("C7"), to=at("D8"), units=12),
        Found(at=at("D8")),
        Attack(at=at("E5"), to=at("F5")),
    ]


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("c7 - d8", [Move(at=at("C7"), to=at("D8"))]),
        ("c7 to d8 3 units", [Move(at=at("C7"), to=at("D8"), units=3)]),
        ("C7 move D8", [Move(at=at("C7"), to=at("D8"))]),
        ("C7→D8", [Move(at=at("C7"), to=at("D8"))]),
        ("C7->D8", [Move(at=at("C7"), to=at("D8"))]),
        ("C7 x D8 4", [Attack(at=at("C7"), to=at("D8"), units=4)]),
        ("C7 march D8 012", [March(at=at("C7"), to=at("D8"), units=12)]),
        ("A1-A2-A3 5", [Move(at=at("A1"), to=at("A2"), units=5), Move(at=at("A2"), to=at("A3"), units=5)]),
        ("A1 grow\nA1 LOWER, a1 raise;;", [Grow(at=0), Lower(at=0), Raise(at=0)]),
        ("A1 pass; a1 discover Granary; end", [Pass(at=0), Discover(at=0, tech=Technology.GRANARY), None]),
    ],
)
def test_what_can_be_written(text: str, orders: list[Order | None]) -> None:
    assert read(text) == orders


@pytest.mark.parametrize(
    ("text", "marked", "message"),
    [
        ("", "", "Write at least one order"),
        ("A1", "", "What should the army do?"),
        ("Z9 found", "Z9", "Z9 is not on the map"),
        ("A1-", "", "Name a tile"),
        ("A1-A2 x", "", "Name a tile"),
        ("A1-A2 many", "many", "How many units?"),
        ("A1-A2 0", "0", "at least 1 unit"),
        ("A1-A2 １２", "１", "How many units?"),
        ("A1-A2 9999999999999999", "9999999999999999", "No army is that large"),
        ("A1 fuond", "fuond", "'fuond' is not an order"),
        ("A1 found A2 found", "A2", "Put a semicolon"),
        ("A1 discover", "", "Which technology?"),
        ("A1 discover raods", "raods", "Did you mean roads?"),
        ("end; A1 found", "A1", "put 'end' last"),
        ("end now", "now", "Put a semicolon"),
        ("found A1", "found", "Name a tile here"),
        ("A\u202e1 found", "A", "Name a tile here"),
    ],
)
def test_mistakes_are_told_at_their_place(text: str, marked: str, message: str) -> None:
    with pytest.raises(TextError) as caught:
        read(text)
    [problem] = caught.value.problems
    assert text[problem.span.start : problem.span.end] == marked
    assert message in str(caught.value)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(TextError) as caught:
        read("Z9 found; A1 fly; A1-A2; A1-A2 none")
    assert [problem.span.start for problem in caught.value.problems] == [0, 13, 31]


def test_a_text_too_long_is_not_read() -> None:
    with pytest.raises(TextError, match="2,001 characters"):
        read("x" * (MAX_ORDER_TEXT + 1))


def test_an_order_against_the_rules_is_told_at_its_place() -> None:
    on = board({"C3": (1, 25), "D4": (2, 3)}, ground=terrain(1))
    text = "C3-C4 5; C3 found; C4 attack E5"
    with pytest.raises(TextError) as caught:
        apply_order_text(on, 1, text)
    [problem] = caught.value.problems
    assert text[problem.span.start : problem.span.end] == "C4 attack E5"
    assert problem.message == "E5 is not a neighbor of C4."


def test_orders_are_carried_out_in_their_order() -> None:
    on = board({"C3": (1, 25), "D4": (2, 3)}, ground=terrain(1))
    orders, ends = apply_order_text(on, 1, "C3-C4 5; C3 found; C4 attack D4; end")
    assert (len(orders), ends) == (3, True)
    assert armies_by_tile(on) == {"D4": (1, 2, 0)}


@given(st.text(max_size=60) | st.text("ABC123-; attackfoundx→\n", max_size=60))
def test_any_text_is_orders_or_an_error_within_it(text: str) -> None:
    try:
        assert all(written.span.start < written.span.end <= len(text) for written in read_orders(text, 8, 8))
    except TextError as error:
        assert all(0 <= problem.span.start <= problem.span.end <= len(text) for problem in error.problems)
