"""Groups as text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.errors import RuleError, TextError
from sim.duel.group_text import MAX_TEXT, group_names, parse_group
from tests.sim.duel.builders import critter

BRENNA = critter("Brenna", 7, str_mod=1)
KNOWN = {"brenna": BRENNA}


def marked(text: str) -> list[str]:
    """Return the parts of a text that are marked."""
    with pytest.raises(TextError) as caught:
        parse_group(text, KNOWN)
    return [text[problem.span.start : problem.span.end] for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hp 8", {}),
        (
            "1d6+1 ac 4 8 hp str +1 dex -2 2 attacks to-hit 17",
            {"str_mod": 1, "dex_mod": -2, "armour_class": 4, "damage": "1d6+1", "attacks": 2, "to_hit": 17},
        ),
        ("8 hp str 16 dex 3", {"str_mod": 2, "dex_mod": -3}),
        ("8 hp strength +4 dexterity 0", {"str_mod": 4, "dex_mod": 0}),
    ],
)
def test_a_fighter_has_what_is_written_in_any_order_and_the_rules_defaults(text: str, expected: dict[str, Any]) -> None:
    """An ability without a sign is a score, a signed one is a modifier, and so is zero."""
    assert parse_group(text, {}, "First") == (critter("First", 8, **expected),)


def test_own_characters_and_several_of_a_kind() -> None:
    group = parse_group("BRENNA, 3 x grey wolf 9 hp; 2x 4 hp", KNOWN)
    assert [creature.name for creature in group] == ["Brenna", *["grey wolf"] * 3, *["fighter"] * 2]
    assert group[0] is BRENNA
    assert list(group_names(group)) == ["Brenna", "3 x grey wolf", "2 x fighter"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [""]),
        (" , ", [""]),
        ("8 hp, Torvald", ["Torvald"]),
        ("str +1", ["str +1"]),
        ("8 hp 9 hp", ["9 hp"]),
        ("8 hp str 99, 0 hp", ["str 99", "0 hp"]),
        ("8 hp str +21", ["str +21"]),
        ("8 hp 0d6", ["0d6"]),
        ("8 hp 2d6x", ["2d6x"]),
        ("2000 hp ac 99", ["2000 hp", "ac 99"]),
        ("0 x 8 hp", ["0 x "]),
        ("101 x 8 hp", ["101 x "]),
        ("60 x 8 hp, 60 x 9 hp", ["60 x 8 hp, 60 x 9 hp"]),
        ("８ hp", ["８ hp"]),
        ("1_0 hp", ["1_0 hp"]),
        ("a\u200bb 8 hp", ["a\u200bb 8 hp"]),
    ],
)
def test_what_is_wrong_is_marked(text: str, expected: list[str]) -> None:
    assert marked(text) == expected


def test_a_similar_name_is_suggested() -> None:
    with pytest.raises(TextError, match=r"Did you mean Brenna\?"):
        parse_group("Brena", KNOWN)


def test_a_text_that_is_too_long() -> None:
    with pytest.raises(RuleError, match=f"at most {MAX_TEXT} characters"):
        parse_group("8 hp," * 100, {})


@given(st.text(max_size=60))
def test_any_text_is_a_group_or_has_its_mistakes_marked(text: str) -> None:
    try:
        group = parse_group(text, KNOWN)
    except TextError as error:
        assert all(0 <= problem.span.start <= problem.span.end <= len(text) for problem in error.problems)
    else:
        assert group
