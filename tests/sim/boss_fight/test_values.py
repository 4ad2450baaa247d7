"""Bosses and decks as values, their exact figures, and the game's own table of traits.

It also finds what somebody may mean by words that aren't a trait's name.
"""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sim.boss_fight import tables as t
from sim.boss_fight.values import MAX_FIGURE, Deck, Exact, Token, Trait, digits, points, readable, short
from sim.core import RuleError
from sim.core.names import name_key, nearest
from tests.sim.boss_fight.builders import boss, token, trait
from tests.tables import kept_table


def test_the_json_of_a_trait_leaves_out_what_is_nothing() -> None:
    assert trait(500, name="V").model_dump() == {"name": "V", "health": 500}


@pytest.mark.parametrize("figure", [-1, MAX_FIGURE + 1, 1.5, "5", True, float("nan"), None])
def test_figures_are_whole_and_sane(figure: object) -> None:
    with pytest.raises(ValidationError):
        Trait.model_validate({"name": "V", "health": figure})


@pytest.mark.parametrize("name", ["", " ", "a\u202eb", "a\nb", "a;b", "hero:", "@Fire", "Fang (1)", "\u3164", "W" * 41])
def test_names_that_hide_or_part_something_are_refused(name: str) -> None:
    with pytest.raises((RuleError, ValidationError)):
        trait(name=name)


def test_two_tokens_of_one_name_are_refused() -> None:
    hero = token(trait(1), name="Hero")
    with pytest.raises(RuleError, match="Two tokens of the deck are called 'hero'"):
        Deck(tokens=(hero, hero.model_copy(update={"name": "hero"})))


@pytest.mark.parametrize(("tokens", "traits"), [(0, 1), (501, 1), (1, 0), (1, 401)])
def test_decks_have_500_tokens_of_400_traits_at_most(tokens: int, traits: int) -> None:
    with pytest.raises(ValidationError):
        Deck(tokens=tuple(Token(name=f"t{at}", traits=(trait(1),) * traits) for at in range(tokens)))


def test_a_boss_has_health_and_seemly_words() -> None:
    with pytest.raises(ValidationError):
        boss(0)
    with pytest.raises(ValidationError):
        boss(1, entry="x" * 201)
    with pytest.raises(RuleError, match="control character"):
        boss(1, fall="a\x07b")
    assert boss(1, half="  Hm. ").half == "Hm."


ADAPTER: TypeAdapter[Fraction] = TypeAdapter(Exact)

dyadic = st.builds(lambda factor, power: Fraction(factor) * Fraction(2) ** power, st.integers(), st.integers(-900, 900))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-5000), "-5,000"),
        (Fraction(125, 32), "3.90625"),
        (Fraction("11796.09375"), "11,796.09375"),
        (Fraction("17675.1455078125"), "17,675.1"),
        (Fraction("-17675.1455078125"), "-17,675.1"),
        (Fraction(1, 1024), "0.0009765625"),
        (Fraction(5, 4096), "0.0012"),
        (Fraction(3, 2**13), "3.7e-4"),
        (Fraction(1, 2**100), "7.9e-31"),
        (Fraction(-1, 2**100), "-7.9e-31"),
        (Fraction(1, 2**32000), "1.1e-9633"),
        (Fraction(10**11), "100,000,000,000"),
        (Fraction(10**12), "1e12"),
        (Fraction(2) ** 200, "1.6e60"),
        (1 - Fraction(1, 2**70), "1"),
    ],
)
def test_a_figure_for_a_reader(value: Fraction, text: str) -> None:
    assert readable(value) == text


@given(dyadic)
def test_a_figure_for_a_reader_is_short_near_and_never_0_when_it_is_not(value: Fraction) -> None:
    text = readable(value)
    assert text.replace(",", "") == short(value)
    text = short(value)
    assert len(text) <= 15
    assert (Fraction(text) == 0) is (value == 0)
    assert abs(Fraction(text) - value) <= abs(value) / 15


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction("4520.833984375"), "4,521"),
        (Fraction(6000), "6,000"),
        (6000, "6,000"),
        (Fraction(1, 2), "<1"),
        (Fraction(3, 2), "2"),
        (0, "0"),
        (Fraction(2) ** 200, "1.6e60"),
    ],
)
def test_points_of_one_kind_look_alike(value: Fraction | int, text: str) -> None:
    assert points(value) == text


@given(dyadic)
def test_every_digit_is_there(value: Fraction) -> None:
    assert Fraction(digits(value)) == value


@given(st.integers(-(10**30), 10**30), st.integers(-3000, 3000))
def test_json_keeps_every_bit(factor: int, power: int) -> None:
    value = Fraction(factor) * Fraction(2) ** power
    text = ADAPTER.dump_json(value)
    assert ADAPTER.validate_json(text) == value
    assert len(text) < 50


def test_json_reads_like_the_figure() -> None:
    assert [ADAPTER.dump_python(value) for value in (Fraction(125, 32), Fraction(7), Fraction(2) ** 99)] == [
        "125/2^5",
        "7",
        "1*2^99",
    ]


@pytest.mark.parametrize(
    "text", ["1e5", "1/3", "1/2^9999999", "１", "1_0", "nan", "", "1*2^0", "9" * 41, 1.5, None, True, "1/2^-3"]
)
def test_what_is_no_exact_figure_is_refused(text: object) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(text)


@pytest.mark.parametrize("value", [Fraction(1, 3), 1 + Fraction(1, 2**200)])
def test_what_cannot_be_kept_is_not_rounded(value: Fraction) -> None:
    with pytest.raises(ValueError, match=r"exact figure|too many digits"):
        ADAPTER.dump_python(value)


LEVELS = {"I": 100, "II": 200, "III": 300, "IV": 400, "V": 500, "X": 1000}


def test_the_table_is_whole() -> None:
    assert Counter(row.kind for row in t.TABLE) == {
        t.Kind.ATTACK: 30,
        t.Kind.DEFENSE: 30,
        t.Kind.SPELL: 30,
        t.Kind.BUFF: 36,
        t.Kind.BOSS_DROP: 30,
        t.Kind.HERO: 48,
    }


def test_a_name_stands_once_within_a_kind() -> None:
    names = [(row.kind, name_key(name)) for row in t.TABLE for name in (row.trait.name, row.also) if name]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", t.Kind)
def test_levels_are_a_row_of_hundreds_for_every_kind(kind: t.Kind) -> None:
    """The tenth level of attack tokens was 100: one of the slips that are mended."""
    levels = [row.trait for row in t.TABLE if row.kind is kind and row.group == "level"]
    assert {level.name: level.health + level.physical_damage + level.magical_damage for level in levels} == LEVELS


@pytest.mark.parametrize(
    ("name", "kind", "mended", "was"),
    [
        ("X", t.Kind.ATTACK, trait(physical=1000, name="X"), "was 100"),
        ("Fair", t.Kind.HERO, trait(1000, 1000, 1000, name="Fairy"), "cut off"),
        ("Superfime", t.Kind.SPELL, trait(physical=400, name="Superfine"), "spelling"),
        ("Spear", t.Kind.HERO, trait(0, 2000, 500, "PP MP", name="Spear"), "flags"),
        ("Antimatter", t.Kind.HERO, trait(0, 500, 2000, "PP MR", name="Antimatter"), "flags"),
    ],
)
def test_slips_are_mended_and_the_mend_is_noted_beside_them(name: str, kind: t.Kind, mended: object, was: str) -> None:
    (row,) = t.rows_named(name, kind)
    assert row.trait == mended
    assert was in row.mended


@pytest.mark.parametrize("name", ["Spear", "Staff", "Antimatter", "Ultimatum", "Hammer", "Mace", "Supernova"])
def test_what_a_hero_holds_has_the_flags_of_the_token_itself(name: str) -> None:
    """The flags of some items were decimal numbers where binary ones were meant."""
    rows = {row.kind: row.trait for row in t.rows_named(name)}
    own = rows.get(t.Kind.ATTACK) or rows[t.Kind.SPELL]
    flags = ("physical_penetration", "physical_resistance", "magical_penetration", "magical_resistance")
    assert [getattr(rows[t.Kind.HERO], flag) for flag in flags] == [getattr(own, flag) for flag in flags]


def test_a_name_may_mean_different_things_for_different_kinds() -> None:
    assert t.find_trait("V") is None
    assert t.find_trait("V", t.Kind.SPELL) == trait(magical=500, name="V")
    assert t.find_trait("Epic") == trait(500, 500, 0, "PP PR MR", name="Epic")  # the same for every kind
    assert t.find_trait("Epos") is None
    assert (t.kinds_with("Epic", t.Kind.HERO), t.kinds_with("Epos")) == ("hero", "")


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("hero", t.Kind.HERO),
        ("Attack 2", t.Kind.ATTACK),
        ("defence", t.Kind.DEFENSE),
        ("boss-drop #3", t.Kind.BOSS_DROP),
        ("TOKEN1", None),
        ("heroine", None),
    ],
)
def test_a_tokens_name_tells_its_kind(label: str, kind: t.Kind | None) -> None:
    assert t.kind_of(label) is kind


def test_near_names_are_suggested() -> None:
    assert t.nearest_trait("Assasin") == "Assassin"
    assert t.nearest_trait("fiary", t.Kind.HERO) == "Fairy"
    assert t.nearest_trait("qqqqqq") is None
    assert (nearest("heor", t.KIND_NAMES), nearest("qqqq", t.KIND_NAMES)) == ("hero", None)
    assert t.trait_suggestions("qqq " * 9 + "Epic") == ["Epic"]
    assert t.trait_suggestions("qqq " * 99 + "Epic") == [], "of a long text only the beginning is looked through"


@pytest.mark.parametrize(("typed", "kind", "meant"), kept_table(__file__, "meant"))
def test_words_in_any_order_and_parts_of_words_find_traits(typed: str, kind: str, meant: list[str]) -> None:
    assert t.trait_suggestions(typed, t.Kind(kind) if kind else None) == meant
