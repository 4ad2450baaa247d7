"""Groups as text: what players type, what it is read as, and what is asked about instead."""

import re

import pytest

from sim.core.errors import TextError
from sim.core.names import name_key
from sim.duel.group_text import group_text, parse_group, read_as
from tests.sim.duel.builders import critter

OWN = (critter("Brenna", 7, str_mod=1), critter("Old Njal", 5), critter("O'Neill!", 7))
KNOWN = {name_key(one.name): one for one in OWN}

PLAIN = """
8 hp
8 hp str +1 ac 4 1d6
BRENNA, 3 x wolf 9 hp 1d6; 2x 4 hp
Hansel and Gretel 8 hp
Orc 2 8 hp
3rd guard 8 hp
Three Eyed Jack 8 hp
Old Njal, Seven 8 hp
Living Armor 30 hp
Attack dog 8 hp
A 8 hp
A str +1 8 hp
"""
"""Texts that say what they mean."""

TYPED = {
    "8 hp": """
        8hp · hp 8 · HP: 8 · hp=8 · 8 HP. · 8 hit points · 8 hitpoints · hit points: 8 · 8 health · hp of 8 · "8 hp"
        **8 hp** · `8 hp` · > 8 hp · 8 hp? · 8 hp! · 8 hp please · ８ hp · ８ｈｐ · first: 8 hp · group 1: 8 hp · - 8 hp
        /duel odds 8 hp · /duel odds first:8 hp · 8 hp, · (8 hp) · • 8 hp
    """,
    "8 hp str +1 ac 4 1d6": """
        8hp str+1 ac4 1d6 · 8 hp, str +1, ac 4, 1d6 · 8 hp STR: +1 AC: 4 1D6 damage · 8 hp +1 str ac 4 d6
        8 hp / str +1 / ac 4 / 1d6 · 8 hp strength +1 armor class 4 damage 1d6 · 8 hp str + 1 armour 4 dmg: 1d6
        8 hp with str +1 and ac 4 and 1d6 · 1d6 ac 4 str +1 8 hp · 8 hp (str +1, ac 4, 1d6)
        8 hp str = +1 ac = 4 1d6 dmg · 8 hp str ＋１ ac ４ １ｄ６
    """,
    "wolf 9 hp str -1 1d6+1": """
        wolf: 9 hp, str -1, 1d6 + 1 · wolf (9 hp, str −1, 1d6+1) · a wolf 9 hp str –1 1d6+1 · wolf - 9 hp str -1 1d6+1
        a wolf with 9 hp, str -1 and 1d6+1 damage · **wolf** 9 hp str -1 1d6+1 · wolf has 9 hp str -1 1d6 + 1
    """,
    "3 x wolf 9 hp": """
        3x wolf 9 hp · 3 wolf 9 hp · 3 × wolf 9 hp · 3*wolf 9 hp · 3xwolf 9 hp · wolf x3 9 hp
        x3 wolf 9 hp · wolf 9 hp x 3
    """,
    "3 x wolves 9 hp": """
        3 wolves 9 hp · three wolves 9 hp · three wolves with 9 hp each · 3 wolves, 9 hp each · 3 wolves (9 hp each)
        1. three wolves 9 hp · wolves (3) 9 hp · three wolves, 9 hp ea
    """,
    "12 x men 4 hp": "a dozen men 4 hp · 12 men with 4 hp each · Dozen men 4 hp",
    "Brenna, wolf 9 hp": """
        brenna and wolf 9 hp · Brenna & wolf 9 hp · Brenna + wolf 9 hp · Brenna plus a wolf 9 hp · Brenna; wolf 9 hp
        "Brenna", wolf 9 hp · **Brenna**, wolf 9 hp · Brenna, and a wolf with 9 hp
        Ｂｒｅｎｎａ，wolf 9 hp · Brenna, a 9 hp wolf · Brenna and one wolf 9 hp
    """,
    "8 hp to-hit 17 attacks 2": """
        8 hp thac0 17 2 attacks · 8 hp THACO 17, 2 attacks · 8 hp to hit 17 attacks: 2
        8 hp to-hit: 17 2 attacks per round · 8 hp, thac0 of 17, 2 attacks
    """,
    "O'Neill!, wolf 9 hp": "o'neill!, wolf 9 hp · O'Neill!; a wolf with 9 hp!",
    "8 hp dex +2, 6 hp 1d6": "8 hp dex +2 and 6 hp 1d6 · 8 hp dex +2 & 6 hp 1d6 · 8 hp dex +2 + 6 hp 1d6",
}

REFUSED = """
8 hp vs 6 hp
Brenna v wolf 9 hp
/duel odds first:8 hp str +2 second:6 hp dex +1 1d6
8 hp 5
8 hp 14 str
8 to 10 hp
8/10 hp
8 hp or 9 hp
wolf 9 hp ac 5 or 6
wolf 9 hp no attacks
8 hp x 3 attacks
3 wolves and 2 bears 9 hp
two dozen rats 1 hp
8 hp (2)
8 hp str1
5 x 3 wolves 9 hp
8 hp with 3 dogs
vs 8 hp
1,000 hp wolf
8 hp str
wolf
wolf and bear
3 wolves
str +1
ac 5, 8 hp
Brenna, ac 5
8 hp, str +1, str +2
8 hp 1d6 + 3 wolves
"""
"""What has no reading, or more than one."""


@pytest.mark.parametrize("text", PLAIN.strip().splitlines())
def test_plain_texts(text: str) -> None:
    assert parse_group(text, KNOWN)
    assert read_as(text, KNOWN) is None


@pytest.mark.parametrize(
    ("text", "reading"),
    [(text.strip(), plain) for plain, texts in TYPED.items() for text in re.split(r" · |\n", texts) if text.strip()],
)
def test_what_players_type(text: str, reading: str) -> None:
    group = parse_group(text, KNOWN)
    assert group_text(group, KNOWN) == reading
    assert parse_group(reading, KNOWN) == group
    assert read_as(text, KNOWN) in {reading, None}


def test_what_is_not_typed_plainly_is_told() -> None:
    for text in ("3 wolves 9 hp", "three wolves: 9 hp", "wolves 9 hp x3", "3 wolves, 9 hp each"):
        assert read_as(text, {}) == "3 x wolves 9 hp"
    assert read_as("8 hp, ac 4", {}) == "8 hp ac 4"
    assert read_as("8 hp and 6 hp", {}) == "8 hp, 6 hp"


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_what_is_asked_instead_of_guessed(text: str) -> None:
    with pytest.raises(TextError) as refused:
        parse_group(text, KNOWN)
    first, *_ = refused.value.problems
    if ": " in first.message:
        assert parse_group(first.message.rpartition(": ")[2], KNOWN)
