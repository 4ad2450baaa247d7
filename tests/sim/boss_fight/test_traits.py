"""The game's own table of traits, and what somebody may mean by words that aren't a trait's name."""

from collections import Counter

import pytest

from sim.boss_fight.presets import known_boss
from sim.boss_fight.traits import (
    TABLE,
    Kind,
    find_trait,
    kind_of,
    kinds_with,
    nearest_kind,
    nearest_trait,
    rows_named,
    trait_suggestions,
)
from sim.boss_fight.values import Element
from sim.core.names import name_key
from tests.sim.boss_fight.builders import boss, trait

LEVELS = {"I": 100, "II": 200, "III": 300, "IV": 400, "V": 500, "X": 1000}


def test_the_table_is_whole() -> None:
    assert Counter(row.kind for row in TABLE) == {
        Kind.ATTACK: 30,
        Kind.DEFENSE: 30,
        Kind.SPELL: 30,
        Kind.BUFF: 36,
        Kind.BOSS_DROP: 30,
        Kind.HERO: 48,
    }


def test_a_name_stands_once_within_a_kind() -> None:
    names = [(row.kind, name_key(name)) for row in TABLE for name in (row.trait.name, row.also) if name]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", Kind)
def test_levels_are_a_row_of_hundreds_for_every_kind(kind: Kind) -> None:
    """The tenth level of attack tokens was 100: one of the slips that are mended."""
    levels = [row.trait for row in TABLE if row.kind is kind and row.group == "level"]
    assert {level.name: level.health + level.physical_damage + level.magical_damage for level in levels} == LEVELS


@pytest.mark.parametrize(
    ("name", "kind", "mended", "was"),
    [
        ("X", Kind.ATTACK, trait(physical=1000, name="X"), "was 100"),
        ("Fair", Kind.HERO, trait(1000, 1000, 1000, name="Fairy"), "cut off"),
        ("Superfime", Kind.SPELL, trait(physical=400, name="Superfine"), "spelling"),
        ("Spear", Kind.HERO, trait(0, 2000, 500, "PP MP", name="Spear"), "flags"),
        ("Antimatter", Kind.HERO, trait(0, 500, 2000, "PP MR", name="Antimatter"), "flags"),
    ],
)
def test_slips_are_mended_and_the_mend_is_noted_beside_them(name: str, kind: Kind, mended: object, was: str) -> None:
    (row,) = rows_named(name, kind)
    assert row.trait == mended
    assert was in row.mended


@pytest.mark.parametrize("name", ["Spear", "Staff", "Antimatter", "Ultimatum", "Hammer", "Mace", "Supernova"])
def test_what_a_hero_holds_has_the_flags_of_the_token_itself(name: str) -> None:
    """The flags of some items were decimal numbers where binary ones were meant."""
    rows = {row.kind: row.trait for row in rows_named(name)}
    own = rows.get(Kind.ATTACK) or rows[Kind.SPELL]
    flags = ("physical_penetration", "physical_resistance", "magical_penetration", "magical_resistance")
    assert [getattr(rows[Kind.HERO], flag) for flag in flags] == [getattr(own, flag) for flag in flags]


def test_names_are_found_in_any_case_and_width() -> None:
    assert rows_named("ＢＥＧＩＮＮＩＮＧ  of time") == rows_named("Beginning of Time") != ()
    assert rows_named("Beginning") == ()


def test_a_name_may_mean_different_things_for_different_kinds() -> None:
    assert find_trait("V") is None
    assert find_trait("V", Kind.SPELL) == trait(magical=500, name="V")
    assert find_trait("Epic") == trait(500, 500, 0, "PP PR MR", name="Epic")  # the same for every kind
    assert find_trait("Epos") is None
    assert (kinds_with("Epic", Kind.HERO), kinds_with("Epos")) == ("hero", "")


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("hero", Kind.HERO),
        ("Attack 2", Kind.ATTACK),
        ("defence", Kind.DEFENSE),
        ("boss-drop #3", Kind.BOSS_DROP),
        ("TOKEN1", None),
        ("heroine", None),
    ],
)
def test_a_tokens_name_tells_its_kind(label: str, kind: Kind | None) -> None:
    assert kind_of(label) is kind


def test_near_names_are_suggested() -> None:
    assert nearest_trait("Assasin") == "Assassin"
    assert nearest_trait("fiary", Kind.HERO) == "Fairy"
    assert nearest_trait("qqqqqq") is None
    assert (nearest_kind("heor"), nearest_kind("qqqq")) == ("hero", None)


def test_known_bosses() -> None:
    assert (
        boss(1000, 2000, name="Inu Dogemon", level=1),
        boss(6500, 3500, 4500, "PR MP", Element.WATER, name="Axieom Asmodeus", level=4),
    ) == tuple(map(known_boss, ("Inu Dogemon", " axieom  ASMODEUS ")))
    assert known_boss("Axieom") is None


@pytest.mark.parametrize(
    ("typed", "kind", "meant"),
    [
        ("fire sword", None, ["attack: Sword @Fire", "hero: Sword @Fire"]),
        ("sword of fire", Kind.HERO, ["Sword @Fire"]),
        ("fire sword", Kind.SPELL, ["attack: Sword @Fire", "hero: Sword @Fire"]),
        ("mail chain", Kind.DEFENSE, ["Chain Mail"]),
        ("mail chain", Kind.HERO, ["defense: Chain Mail"]),
        ("plat", None, ["Half Plate", "Full Plate"]),
        ("begin time", None, ["Beginning of Time"]),
        ("Assasin", Kind.HERO, ["Assassin"]),
        ("mega dragon of doom", None, ["Dragon"]),
        ("very good", Kind.SPELL, ["Very Good"]),
        ("FIRE", None, ["@Fire"]),
        ("good", None, ["attack: Good", "defense: Good", "spell: Good"]),
        ("qqq", None, []),
        ("", None, []),
    ],
)
def test_words_in_any_order_and_parts_of_words_find_traits(typed: str, kind: Kind | None, meant: list[str]) -> None:
    assert trait_suggestions(typed, kind) == meant
