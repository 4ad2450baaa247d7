"""Bosses as a form has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.boss_fight.boss_form import FIELDS, BossFormError, boss_form, read_boss_form
from sim.boss_fight.presets import KNOWN_BOSSES
from sim.boss_fight.values import Boss, Element

OGRE = {"name": "Ogre", "figures": "2/300/40/5"}


def wrong(**values: str) -> tuple[str, ...]:
    with pytest.raises(BossFormError) as caught:
        read_boss_form(OGRE | values)
    assert str(caught.value) == " ".join(caught.value.sentences)
    return caught.value.sentences


def test_the_shortest_form() -> None:
    assert read_boss_form(OGRE) == Boss(name="Ogre", level=2, health=300, physical_damage=40, magical_damage=5)


@pytest.mark.parametrize("boss", [*KNOWN_BOSSES, KNOWN_BOSSES[1].model_copy(update={"entry": "Who: me?", "fall": "…"})])
def test_a_form_reads_back_as_the_same_boss(boss: Boss) -> None:
    assert read_boss_form(boss_form(boss)) == boss


def test_figures_are_lines_with_labels_or_parted_by_slashes() -> None:
    lines = "Magical damage: 5\n\nlevel:2\nHEALTH : 300\nPhysical  damage: 40"
    assert read_boss_form(OGRE | {"figures": lines}) == read_boss_form(OGRE)
    assert boss_form(read_boss_form(OGRE))["figures"] == "Level: 2\nHealth: 300\nPhysical damage: 40\nMagical damage: 5"
    for broken in ("Level: 1", lines + "\nLevel: 2", lines.replace("level", "rank")):
        assert wrong(figures=broken)[0].startswith("Write level, health")


def test_element_and_flags_in_any_order_and_case() -> None:
    boss = read_boss_form(OGRE | {"nature": "pr, EARTH mP"})
    assert boss.element is Element.EARTH
    assert boss.physical_resistance
    assert boss.magical_penetration
    assert not boss.physical_penetration
    assert not boss.magical_resistance
    assert read_boss_form(OGRE | {"nature": "none"}).element is None


def test_everything_wrong_is_told_at_once() -> None:
    assert wrong(name=" ", figures="1/2/3", nature="Ice", words="hi") == (
        "The name is missing.",
        "Write level, health, physical and magical damage, a line each, or as in: 4 / 6500 / 3500 / 4500",
        "'Ice' is not one of Water, Fire, Air, Lightning, Earth, nor a flag (PP, PR, MP, MR).",
        "Begin the line 'hi' with entry:, half: or fall:",
    )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"figures": "1/0/0/0"}, "A boss needs a health of 1 or more."),
        ({"figures": "1001/1/0/0"}, "Level: '1001' is not from 0 to 1,000."),
        ({"figures": "1/9999999999/0/0"}, "Health: '9999999999' is not from 0 to 1,000,000,000."),
        ({"figures": "1/1_0/0/0"}, "Health: '1_0' is not a whole number."),
        ({"figures": "1/１/0/0"}, "Health: '１' is not a whole number."),
        ({"nature": "Fire Water"}, "A boss has one element; 'Water' is one too many, or no flag (PP, PR, MP, MR)."),
        ({"words": "half: a\nHALF: b"}, "You wrote half: twice."),
        ({"words": "half: a\u200bb"}, "The words for half hold an invisible or unknown character (U+200B)."),
        ({"words": f"fall: {'x' * 201}"}, "The words for fall have 201 characters; at most 200 are allowed."),
        ({"name": "x" * 41}, "The name has 41 characters; at most 40 are allowed."),
    ],
)
def test_what_is_wrong(values: dict[str, str], sentence: str) -> None:
    assert wrong(**values) == (sentence,)


@given(st.dictionaries(st.sampled_from(FIELDS), st.text(max_size=60)))
def test_any_form_is_a_boss_or_told_what_is_wrong(values: dict[str, str]) -> None:
    try:
        boss = read_boss_form(values)
    except BossFormError as error:
        assert error.sentences
    else:
        assert read_boss_form(boss_form(boss)) == boss
