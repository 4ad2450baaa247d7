"""Whole questions: options after the armies, orders and technologies, and one line that says everything."""

import cProfile
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from sim.axis_allies.army import Army
from sim.axis_allies.casualties import Last, Life, Method, Place
from sim.axis_allies.editions import EDITIONS, Edition
from sim.axis_allies.parse import parse_question, parse_wave, read_as, reads_as_battle, share_text, without_edition
from sim.axis_allies.parse.options import (
    MAX_ORDER_TEXT,
    order_text,
    parse_casualties,
    parse_technology,
)
from sim.axis_allies.parse.words import MAX_TEXT
from sim.axis_allies.question import MAX_ROUNDS, MAX_WAVES, Question, Wave, Withdrawal
from sim.axis_allies.units import Category, Unit
from sim.core import TextError
from sim.core.values import Side
from tests.sim.axis_allies.builders import armies, is_an_order, marked
from tests.tables import kept_table

LINE = (
    "1940: 6 infantry, 2 mechanized infantry, 2 battleships (1 hit) bombard, 1 cruiser bombard, landing 3 "
    "then 3 fighters, 1 bomber vs 10 infantry, 2 antiaircraft guns | order attacker: infantry, battleship life, tank "
    "| order defender: lives-first | tech attacker: jets, heavy bombers; defender: radar | rounds 3 | retreat below 4 "
    "| retreat after 20 IPC lost | retreat with only air left | retreat at the last land unit "
    "| retreat below 3 defenders | take territory | low luck | counter 5 infantry, 1 cruiser bombard, landing 2"
)


PLACES: list[Place] = [*Unit, *Life, *Last]


def test_one_line_says_the_whole_question() -> None:
    """What it says is told by `aa-read` (test_console.py)."""
    assert share_text(parse_question(LINE)) == LINE


def test_a_text_is_read_once() -> None:
    assert parse_question("6t > 10i") is parse_question("6t > 10i")


def army(book: Edition, *categories: Category, without: tuple[Unit, ...] = ()) -> st.SearchStrategy[Army]:
    """Return armies of units of some categories, damaged at times."""
    return armies(
        book.name, [unit for unit in book.units if unit.category in categories and unit not in without], most=4
    )


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """Draw any question that can be typed."""
    book = EDITIONS[draw(st.sampled_from(list(EDITIONS)))]
    ashore = draw(st.booleans())
    kinds = (Category.LAND, Category.AIR) if ashore else (Category.NAVAL, Category.AIR)
    ships = [ship for ship in book.rules.bombarding if ashore]

    def wave() -> Wave:
        fighting = draw(army(book, *kinds, without=(Unit.GUN,)))
        bombard = Army()
        if ships and fighting.has(Category.LAND) and draw(st.booleans()):
            others = tuple(unit for unit in book.units if unit not in ships)
            bombard = draw(army(book, Category.NAVAL, without=others))
        return Wave(army=fighting, bombard=bombard, landing=draw(st.none() | st.integers(0, 1_000_000)))

    defender = draw(army(book, *kinds))
    assume({group.unit for group in defender.groups} != {Unit.GUN})
    listed = st.permutations(PLACES).map(lambda some: tuple(some[:5])).filter(is_an_order)
    orders = st.none() | st.sampled_from(get_args(Method)) | listed
    technology: st.SearchStrategy[tuple[str, ...]] = st.just(())
    if book.technology:
        technology = st.lists(st.sampled_from(sorted(book.technology)), unique=True, max_size=3).map(tuple)
    few = st.none() | st.integers(1, 1_000_000)
    withdrawal = st.builds(
        Withdrawal,
        below=few,
        ipc_lost=st.none() | st.integers(0, 1_000_000),
        only_air=st.booleans(),
        last_land=st.booleans(),
        defenders_below=few,
    )
    return Question(
        waves=tuple(wave() for _ in range(draw(st.integers(1, MAX_WAVES)))),
        defender=defender,
        attacker_technology=draw(technology),
        defender_technology=draw(technology),
        attacker_casualties=draw(orders),
        defender_casualties=draw(orders),
        stop_after=draw(st.none() | st.integers(1, MAX_ROUNDS)),
        withdrawal=draw(withdrawal),
        must_take=draw(st.booleans()),
        low_luck=draw(st.booleans()),
        counter=wave() if draw(st.booleans()) else None,
    )


@given(questions(), st.sampled_from(list(EDITIONS)))
def test_a_question_that_is_written_is_read_back_whatever_the_default(question: Question, default: str) -> None:
    text = share_text(question)
    assert "\n" not in text
    assume(len(text) <= MAX_TEXT)
    assert parse_question(text, default) == question


def test_options_given_besides_the_text_win() -> None:
    question = parse_question(
        "1942: 6 inf, 1 bb bombard landing 2 vs 5 inf | rounds 3 | retreat below 2 | order: score | take territory"
    )
    assert question.with_options(stop_after=None, casualties=None, landing=None) == question
    changed = question.with_options(
        casualties="lives-first",
        attacker_casualties=(Unit.TANK,),
        landing=1,
        stop_after=5,
        low_luck=True,
        withdrawal=Withdrawal(ipc_lost=9),
    )
    assert changed == parse_question(
        "1942: 6 inf, 1 bb bombard landing 1 vs 5 inf | rounds 5 | retreat below 2 | retreat after 9 IPC lost "
        "| order attacker: tank | order defender: lives-first | take territory | low luck"
    )


@pytest.mark.parametrize(
    "broken",
    [
        {"waves": ()},
        {"waves": (Wave(army=Army()),)},
        {"waves": (Wave(army=Army.of({Unit.TANK: 1})),) * (MAX_WAVES + 1)},
        {"defender": Army()},
        {"defender": Army.of({Unit.TANK: 1}, "1942")},
        {"counter": Wave(army=Army.of({Unit.TANK: 1}, "1942"))},
        {"stop_after": 0},
    ],
)
def test_what_is_no_question(broken: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Question.model_validate({**dict(parse_question("6 tanks vs 10 inf")), **broken})


@pytest.mark.parametrize(("text", "rest"), kept_table(__file__, "without_editions"))
def test_a_text_without_the_editions_that_it_names(text: str, rest: str) -> None:
    assert without_edition(text) == rest


def test_an_attacker_by_itself_has_its_ships() -> None:
    wave = parse_wave("5 inf, 2 bb bombard, landing 3", "1942")
    assert wave.bombard.count(Unit.BATTLESHIP) == 2
    assert (wave.army.edition, wave.landing) == ("1942", 3)
    with pytest.raises(TextError, match="Do these ships bombard"):
        parse_wave("5 inf, 2 bb", "1942")


@pytest.mark.parametrize(("text", "order"), kept_table(__file__, "orders"))
def test_orders_of_all_editions_and_methods(text: str, order: str) -> None:
    """What is read is told as an order is written, which says all of it."""
    assert order_text(parse_casualties(text)) == order


@given(st.one_of(st.sampled_from(get_args(Method)), st.permutations(PLACES).map(tuple).filter(is_an_order)))
def test_an_order_that_is_written_is_read_back(casualties: Method | tuple[Place, ...]) -> None:
    text = order_text(casualties)
    assert len(text) <= MAX_ORDER_TEXT
    assert parse_casualties(text) == casualties


@pytest.mark.parametrize(("edition", "text", "attacker", "defender"), kept_table(__file__, "technologies"))
def test_technologies(edition: str, text: str, attacker: list[str], defender: list[str]) -> None:
    assert parse_technology(text, edition) == {Side.ATTACKER: (*attacker,), Side.DEFENDER: (*defender,)}


@pytest.mark.parametrize(("edition", "text", "expected"), kept_table(__file__, "wrong_technologies"))
def test_wrong_technologies(edition: str, text: str, expected: list[list[str]]) -> None:
    assert marked(text, parse_technology, edition) == expected


@pytest.mark.parametrize(("text", "reading"), kept_table(__file__, "texts"))
def test_texts_as_players_type_them(text: str, reading: str) -> None:
    if reading:
        assert share_text(parse_question(text)) == reading
    else:
        with pytest.raises(TextError, match=": ") as refused:
            parse_question(text)
        assert share_text(parse_question(str(refused.value).rpartition(": ")[2]))
        assert reads_as_battle(text) == ("as in" not in str(refused.value) and text[0].isdecimal())


@pytest.mark.parametrize("pattern", ["x ", "infanty 6 ", "(x ", "6x", "a: ", "1942 ", "x/"])
def test_a_text_four_times_as_long_takes_four_times_as_many_steps(pattern: str) -> None:
    def steps(length: int) -> int:
        profile = cProfile.Profile()
        with pytest.raises(TextError):
            profile.runcall(parse_question, (pattern * length)[:length])
        return sum(entry.callcount for entry in profile.getstats())

    assert steps(MAX_TEXT) < 5 * steps(MAX_TEXT // 4)


@pytest.mark.parametrize(("text", "told"), kept_table(__file__, "told"))
def test_what_is_not_typed_plainly_is_told_as_it_is_read(text: str, *, told: bool) -> None:
    assert read_as(text, "1941") == (share_text(parse_question(text)) if told else None)
