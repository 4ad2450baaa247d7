"""What somebody may mean by words that aren't a trait's name."""

import pytest

from sim.boss_fight.traits import Kind, trait_suggestions


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
