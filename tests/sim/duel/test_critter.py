"""Critters (.docs/rules/duel.md, "Critters")."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.dice import ScriptedDice, SeededDice
from sim.core.errors import RuleError, TextError
from sim.core.luck import BAGS, expected
from sim.core.luck_odds import Sums
from sim.duel.battle.fight import damage_dice
from sim.duel.critter import NAMES, Abilities, Alignment, Critter, Gender, can_harm, modifier, roll_critter, roll_rivals
from sim.duel.damage import Damage, parse_damage
from tests.sim.duel.builders import critter, critters


@pytest.mark.parametrize(
    ("scores", "value"),
    [((3,), -3), ((4, 5), -2), ((6, 7, 8), -1), (range(9, 13), 0), ((13, 14, 15), 1), ((16, 17), 2), ((18,), 3)],
)
def test_an_ability_has_a_modifier(scores: tuple[int, ...], value: int) -> None:
    assert {modifier(score) for score in scores} == {value}


def test_a_character_is_rolled_in_order() -> None:
    """3d6 six times, d8 + Constitution, then what isn't given: gender, name, alignment."""
    dice = ScriptedDice([6, 6, 6, 1, 1, 1, 2, 2, 2, 6, 5, 5, 4, 4, 5, 3, 3, 3, 8, 2, 7, 3])
    rolled = roll_critter(dice)
    assert rolled.abilities == Abilities(
        strength=18, intelligence=3, wisdom=6, dexterity=16, constitution=13, charisma=9
    )
    assert (rolled.str_mod, rolled.int_mod, rolled.wis_mod) == (3, -3, -1)
    assert (rolled.dex_mod, rolled.con_mod, rolled.cha_mod) == (2, 1, 0)
    assert (rolled.hp, rolled.gender, rolled.name) == (9, Gender.SHE, NAMES[Gender.SHE][6])
    assert rolled.alignment is Alignment.CHAOTIC
    assert dice.left == 0


def test_a_sickly_character_has_one_hit_point() -> None:
    dice = ScriptedDice([3, 3, 3] * 4 + [1, 1, 1] + [3, 3, 3] + [2])
    rolled = roll_critter(dice, name="Ane", gender=Gender.SHE, alignment=Alignment.LAWFUL)
    assert (rolled.con_mod, rolled.hp, dice.left) == (-3, 1, 0)


def test_two_characters_have_two_names() -> None:
    taken = NAMES[Gender.IT][1:]
    assert roll_critter(SeededDice(b""), gender=Gender.IT, taken=taken).name == NAMES[Gender.IT][0]
    assert roll_critter(SeededDice(b""), gender=Gender.IT, taken=NAMES[Gender.IT]).name in NAMES[Gender.IT]


@given(st.binary(max_size=8))
def test_rivals_are_lawful_and_chaotic(seed: bytes) -> None:
    lawful, chaotic = roll_rivals(SeededDice(seed))
    assert (lawful.alignment, chaotic.alignment) == (Alignment.LAWFUL, Alignment.CHAOTIC)
    assert lawful.name != chaotic.name
    assert roll_rivals(SeededDice(seed)) == (lawful, chaotic)


@given(st.binary(max_size=8))
def test_who_is_rolled_can_be_kept(seed: bytes) -> None:
    rolled = roll_critter(SeededDice(seed))
    assert Critter.model_validate(rolled.model_dump(mode="json")) == rolled
    assert Critter.model_validate_json(rolled.model_dump_json()) == rolled
    assert 1 <= rolled.hp <= 11


def test_the_defaults_are_the_rules() -> None:
    """To-hit 19 against armour class 5: 14 or more, damage d4, one attack."""
    plain = critter("Conan")
    assert (plain.needed_roll(plain), str(plain.damage), plain.attacks) == (14, "1d4", 1)
    assert plain.hit_chance(plain) == pytest.approx(7 / 20)
    assert critter("Conan", str_mod=3).hit_chance(plain) == pytest.approx(10 / 20)
    assert plain.hit_chance(critter("Tin Man", armour_class=-2)) == 0
    assert plain.hit_chance(critter("Barn Door", armour_class=19)) == 1


@given(
    st.lists(critters("A"), min_size=1, max_size=3),
    st.lists(critters("B"), min_size=1, max_size=3),
    st.integers(-40, 0),
)
def test_whether_anybody_can_hit_anybody(strikers: list[Critter], targets: list[Critter], worse: int) -> None:
    """The shortcut agrees with comparing every pair."""
    weak = [each.model_copy(update={"str_mod": each.str_mod + worse}) for each in strikers]
    assert can_harm(weak, targets) is any(each.hit_chance(other) > 0 for each in weak for other in targets)
    assert not can_harm([], targets)
    assert not can_harm(strikers, [])


def test_abilities_decide_the_modifiers() -> None:
    scores = dict.fromkeys(Abilities.model_fields, 10) | {"strength": 17}
    assert critter("Conan", abilities=scores).str_mod == 2
    with pytest.raises(RuleError, match=r"Conan's strength of 17 gives \+2, not \+1"):
        critter("Conan", abilities=scores, str_mod=1)


@pytest.mark.parametrize("name", ["Zoë d'Été", "O’Brien the 3rd", "Þórdís", "李", "Old  One"])
def test_names_of_all_kinds(name: str) -> None:
    assert critter(f" {name} ").name == name


def test_accents_are_composed() -> None:
    assert critter("Zoe\u0308").name == "Zoë"


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\u202eb", "\u200b", "x" * 41])
def test_names_that_cannot_be_displayed(name: str) -> None:
    with pytest.raises(RuleError, match="A fighter's name"):
        critter(name)


@pytest.mark.parametrize(
    ("text", "least", "most", "expected"),
    [
        ("2d6+1", 3, 13, "2d6+1"),
        ("d8", 1, 8, "1d8"),
        (" 1D4 \N{MINUS SIGN} 1 ", 1, 3, "1d4-1"),
        ("3d1-9", 1, 1, "3d1-9"),
    ],
)
def test_damage_is_read(text: str, least: int, most: int, expected: str) -> None:
    damage = parse_damage(text)
    assert (damage.minimum, damage.maximum, str(damage)) == (least, most, expected)
    assert Damage.model_validate_json(damage.model_dump_json()) == damage


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("2x6", "x6"),
        ("six", "six"),
        ("2d6+", ""),
        ("2d6 fire", "fire"),
        ("0d6", "0"),
        ("2d101", "101"),
        ("2d6+101", "101"),
        ("２d6", "２d6"),
        ("1_0d6", "_0d6"),
        ("", ""),
    ],
)
def test_damage_that_cannot_be_read_is_marked(text: str, marked: str) -> None:
    with pytest.raises(TextError) as caught:
        parse_damage(text)
    [problem] = caught.value.problems
    assert text[problem.span.start : problem.span.end] == marked
    with pytest.raises(RuleError, match="at most 40"):
        parse_damage("9" * 41)


@given(st.builds(Damage, count=st.integers(1, 4), sides=st.integers(1, 8), plus=st.integers(-9, 9)), st.binary())
def test_damage_is_thrown_as_its_chances_say(damage: Damage, seed: bytes) -> None:
    chances = damage.chances()
    assert sum(chances) == pytest.approx(1)
    assert chances[damage.roll(SeededDice(seed))] > 0
    assert [amount for amount, chance in enumerate(chances) if chance][:: max(1, damage.maximum - damage.minimum)] == (
        [damage.minimum, damage.maximum] if damage.maximum > damage.minimum else [damage.minimum]
    )
    mean = sum(amount * chance for amount, chance in enumerate(chances))
    assert damage.mean <= mean + 1e-9


@pytest.mark.parametrize("text", ["1d4", "2d6+1", "3d8-2", "1d4-3", "20d100+100", "20d100-100"])
def test_damage_is_that_of_a_hit(text: str) -> None:
    damage = parse_damage(text)
    bag = BAGS.validate_json(BAGS.dump_json(damage_dice(damage)))
    sums = Sums.of(bag)
    chances = damage.chances()
    for dealt in (damage.minimum, round(damage.mean), damage.maximum):
        assert sums.at_most(dealt) == pytest.approx(sum(chances[: dealt + 1]), abs=1e-9)
    assert float(expected(bag)) == pytest.approx(sum(dealt * chance for dealt, chance in enumerate(chances)))
