"""Decks as text: what players type, what it is read as, and what is asked about instead."""

import re

import pytest

from sim.boss_fight.form_text import EXAMPLE, format_deck, parse_deck, read_as
from sim.core.errors import TextError

HERO = "hero: V, Assassin, Elixir"

TYPED = {
    HERO: """
        hero: V and Assassin and Elixir · hero: V, Assassin and Elixir · hero: V, Assassin, and Elixir
        hero: V + Assassin + Elixir · hero: V & Assassin & Elixir · hero: V / Assassin / Elixir
        hero: V|Assassin|Elixir
        hero: V Assassin Elixir · hero V, Assassin, Elixir · hero V Assassin Elixir · HERO - v, assassin, ELIXIR
        hero = V, Assassin, Elixir · hero -> V, Assassin, Elixir · hero — V, Assassin, Elixir · hero=V,Assassin,Elixir
        **hero**: V, Assassin, Elixir · `hero: V, Assassin, Elixir` · > hero: V, Assassin, Elixir
        hero：V，Assassin，Elixir
        "hero: V, Assassin, Elixir" · hero: "V", "Assassin", "Elixir" · hero: V, Assassin, Elixir!
        hero: V, Assassin, Elixir?
        hero: V, Assassin, Elixir please · hero: V, Assassin, Elixir. · /boss deck hero: V, Assassin, Elixir
        /boss deck deck:hero: V, Assassin, Elixir · /boss what-if deck:hero: V, Assassin, Elixir
        - hero: V, Assassin, Elixir
        1. hero: V, Assassin, Elixir · hero:¶- V¶- Assassin¶- Elixir · hero:¶V¶Assassin¶Elixir
        • hero: V, Assassin, Elixir
        hero:¶1. V¶2. Assassin¶3. Elixir · hero:¶• V¶• Assassin¶• Elixir · ｈｅｒｏ： Ｖ， Assassin， Elixir
    """,
    "hero: V, Assassin @Fire": """
        hero: V, Assassin (Fire) · hero: V, Assassin, fire · hero: V and Assassin, FIRE · hero: V Assassin fire
        fire hero: V, Assassin · fire hero V Assassin
        hero @Fire: V, Assassin · hero (fire): V, Assassin · hero: V, Assassin, element: Fire
        hero: V, Assassin of Fire · hero: V, Assassin fire element · hero V, Assassin @fire!
        hero: V, Assassin ＠Fire
    """,
    "hero: V, Fairy @Fire; attack: X, Sword": """
        hero: V, Fairy @Fire, attack: X, Sword · hero: V, Fairy @Fire and attack: X, Sword
        hero V Fairy @Fire; attack X Sword
        hero: V, Fairy (Fire) & attack: X, Sword · fire hero: V, Fairy; attack: X and Sword
        hero: V Fairy fire; attack: X Sword
        **hero**: V, Fairy @Fire¶**attack**: X, Sword · hero:¶- V¶- Fairy @Fire¶attack:¶- X¶- Sword
    """,
    "hero: V, Fairy @Fire; attack: X, Sword @Air": """
        fire hero: V, Fairy, attack: X, Sword, air · fire hero: V Fairy attack: X Sword (air)
        fire hero V Fairy; air attack X Sword · hero: V, Fairy @fire, attack: X, Sword @air
    """,
    "attack: Sword, Sword, X": """
        attack: Sword x2, X · attack: Sword × 2, X · attack: 2 Swords, X · attack: 2x Sword and X · attack two swords, X
    """,
    "boss drop: V, Very Good": "boss drop: V Very Good · boss drop V, very good · boss drop - V and Very Good",
}

REFUSED = """
V
V, Assassin
hero V, Asasin
hero: V, Fire, Assassin
hero: V, Fairy, fire attack: X, Sword
hero: V fire attack: X, Sword
hero: V: I
warrior hero: Zzz
hero: V and Zzz
"""
"""What has no reading, or more than one."""


@pytest.mark.parametrize("text", [EXAMPLE, HERO, "Fairy, Dragon @EARTH", "ann: Fang (5/10/0 PP MR)", "hero: V @none;;"])
def test_plain_texts(text: str) -> None:
    assert parse_deck(text).tokens
    assert read_as(text) is None


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        (text.strip().replace("¶", "\n"), plain)
        for plain, texts in TYPED.items()
        for text in re.split(r" · |\n", texts)
        if text.strip()
    ],
)
def test_what_players_type(text: str, reading: str) -> None:
    assert format_deck(parse_deck(text)).casefold() == reading.casefold()
    told = read_as(text)
    assert told is None or parse_deck(told) == parse_deck(text)


def test_what_is_not_typed_plainly_is_told() -> None:
    for text in ("hero V Assassin Elixir", "hero: V and Assassin & Elixir!", "hero:\n- V\n- Assassin\n- Elixir"):
        assert read_as(text) == HERO


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_what_is_asked_instead_of_guessed(text: str) -> None:
    with pytest.raises(TextError) as refused:
        parse_deck(text)
    first, *_ = refused.value.problems
    assert first.suggestion is not None or parse_deck(re.split(r"(?:as in|your own):? ", first.message)[1]).tokens
