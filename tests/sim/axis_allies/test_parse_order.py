"""Casualty orders and technologies as typed."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.axis_allies.casualties import Last, Life, Method, Place
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.parse import MAX_ORDER_TEXT, parse_casualties, parse_technology
from sim.axis_allies.parse.options import order_text, technology_text
from sim.axis_allies.units import WORDS, Unit
from sim.core.errors import Span, TextError
from sim.core.values import Side
from tests.sim.axis_allies.builders import is_an_order

PLACES: list[Place] = [*Unit, *Life, *Last]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (
            "inf, art, aa, tank, bb-life",
            (Unit.INFANTRY, Unit.ARTILLERY, Unit.GUN, Unit.TANK, Life.BATTLESHIP),
        ),
        ("order: carrier-life, bb life, cv, bb", (Life.CARRIER, Life.BATTLESHIP, Unit.CARRIER, Unit.BATTLESHIP)),
        ("aircraft carrier extra life then mech inf", (Life.CARRIER, Unit.MECH)),
        ("tac bomber > bomber > aa gun", (Unit.TACTICAL, Unit.BOMBER, Unit.GUN)),
        ("dd, sub, last destroyer", (Unit.DESTROYER, Unit.SUBMARINE, Last.DESTROYER)),
        ("dd, sub, last dd", (Unit.DESTROYER, Unit.SUBMARINE, Last.DESTROYER)),
        ("**inf**, tank", (Unit.INFANTRY, Unit.TANK)),
        ("mech, inf, tac, bomber", (Unit.MECH, Unit.INFANTRY, Unit.TACTICAL, Unit.BOMBER)),
        ("mechanized-infantry -> bb_life", (Unit.MECH, Life.BATTLESHIP)),
    ],
)
def test_orders_of_all_editions(text: str, order: tuple[Place, ...]) -> None:
    assert parse_casualties(text) == order


@given(st.one_of(st.sampled_from(get_args(Method)), st.permutations(PLACES).map(tuple).filter(is_an_order)))
def test_what_is_written_is_read_back(casualties: Method | tuple[Place, ...]) -> None:
    text = order_text(casualties)
    assert len(text) <= MAX_ORDER_TEXT
    assert parse_casualties(text) == casualties


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from([*WORDS, "last", "life", "-", ">"])).map(" ".join)))
def test_any_text_is_an_order_or_has_mistakes_with_places(text: str) -> None:
    try:
        parse_casualties(text)
    except TextError as error:
        assert all(0 <= problem.span.start <= problem.span.end <= len(text) for problem in error.problems)


def test_the_last_of_other_units_is_not_kept() -> None:
    with pytest.raises(TextError) as caught:
        parse_casualties("inf, last tank")
    assert caught.value.problems[0].span == Span(5, 9)


@pytest.mark.parametrize(
    ("edition", "text", "attacker", "defender"),
    [
        ("1940", "attacker: jets, heavy bombers; defender: radar", ("jets", "heavy-bombers"), ("radar",)),
        ("1940", "Defender: Radar Attacker: Jet Fighters", ("jets",), ("radar",)),
        ("1940", "attacker improved mech inf and improved artillery", ("improved-mech", "improved-artillery"), ()),
        ("revised", "att: super subs + combined-bombardment", ("super-subs", "combined-bombardment"), ()),
        ("classic", "def: jets", (), ("jets",)),
        ("anniversary", "attacker: super_subs, heavies", ("super-subs", "heavy-bombers"), ()),
    ],
)
def test_technologies(edition: str, text: str, attacker: tuple[str, ...], defender: tuple[str, ...]) -> None:
    assert parse_technology(text, edition) == {Side.ATTACKER: attacker, Side.DEFENDER: defender}


@pytest.mark.parametrize(
    ("edition", "text", "expected"),
    [
        ("1942", "attacker: jets", [("jets", "The rules of 1942 second edition print no technology.")]),
        (
            "1942-1",
            "attacker: heavy bombers",
            [("heavy bombers", "The rules of 1942 first edition print no technology.")],
        ),
        (
            "revised",
            "defender: radar",
            [("radar", "Revised has no radar; Anniversary has: add edition:anniversary")],
        ),
        (
            "1940",
            "jets",
            [("jets", "Say whose it is, as in: attacker: jets, heavy bombers; defender: radar")],
        ),
        ("1940", "attacker: jats", [("jats", "No technology has this name. Did you mean jets?")]),
        (
            "classic",
            "attacker: zzz",
            [("zzz", "No technology has this name. Classic has jets, super subs, heavy bombers.")],
        ),
        ("1940", "attacker: jets, jets", [("jets", "Name each technology only once for a side.")]),
        (
            "1940",
            "attacker:",
            [("", "Name the technologies, as in: attacker: jets, heavy bombers; defender: radar")],
        ),
    ],
)
def test_wrong_technologies(edition: str, text: str, expected: list[tuple[str, str]]) -> None:
    with pytest.raises(TextError) as caught:
        parse_technology(text, edition)
    found = [(text[problem.span.start : problem.span.end], problem.sentence()) for problem in caught.value.problems]
    assert found == expected


@given(st.data())
def test_technologies_that_are_written_are_read_back(data: st.DataObject) -> None:
    book = EDITIONS[data.draw(st.sampled_from([name for name in EDITIONS if EDITIONS[name].technology]))]
    names = st.lists(st.sampled_from(sorted(book.technology)), unique=True).map(tuple)
    technologies = {side: data.draw(names) for side in Side}
    if any(technologies.values()):
        assert parse_technology(technology_text(technologies), book.name) == technologies
