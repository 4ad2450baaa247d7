"""Rosters of duels as CSV: everything wrong at once, each with its place; what is blank has the rules' default."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.csv.table import TableError
from sim.duel.battle.rules import Duel
from sim.duel.battle.values import Setup
from sim.duel.critter import Alignment, Critter, Gender, roll_critter
from sim.duel.tables import Roster, RosterSide, example, read_roster, write_roster
from tests.sim.duel.builders import critter, critters


def read(*lines: str) -> Roster:
    return read_roster("\n".join(lines).encode())


def faults(*lines: str) -> list[str]:
    with pytest.raises(TableError) as caught:
        read(*lines)
    return [fault.sentence() for fault in caught.value.faults]


def test_a_name_and_hit_points_are_enough() -> None:
    roster = read("Name,HP", "Conan,5", "O'Brien,7")
    assert roster.sides == (RosterSide(name="1", critters=(critter("Conan", 5), critter("O'Brien", 7))),)
    with pytest.raises(RuleError, match="Everybody in this roster is on one side, 1: a fight needs two"):
        roster.groups()


def test_every_column() -> None:
    roster = read(
        "name;side;hp;Str;Dexterity;wis mod;AC;THAC0;damage;attacks;gender;alignment;article",
        "Zoë;North;5;16;8;+1;4;17;2d6+1;2;she;Lawful;",
        "ghoul;South;9;;;;;;;;;;the",
    )
    [zoe], [ghoul] = roster.groups()
    assert (zoe.str_mod, zoe.dex_mod, zoe.wis_mod, zoe.abilities) == (2, -1, 1, None)
    assert (zoe.armour_class, zoe.to_hit, str(zoe.damage), zoe.attacks) == (4, 17, "2d6+1", 2)
    assert (zoe.gender, zoe.alignment, zoe.proper) == (Gender.SHE, Alignment.LAWFUL, True)
    assert ghoul == critter("ghoul", 9, proper=False)
    assert [side.name for side in roster.sides] == ["North", "South"]


def test_six_abilities_are_kept() -> None:
    [side] = read("name,hp,str,int,wis,dex,con,cha,strength modifier", "Conan,5,18,3,9,13,10,11,3").sides
    assert side.critters[0].abilities is not None
    assert (side.critters[0].str_mod, side.critters[0].dex_mod) == (3, 1)


@pytest.mark.parametrize(("first", "second"), [("2", "1"), ("Group 2", "group 1"), ("second", "first")])
def test_the_first_side_comes_first(first: str, second: str) -> None:
    assert read("name,hp,side", f"A,1,{first}", f"B,1,{second}").groups()[0][0].name == "B"


def test_other_sides_come_in_the_order_of_the_file() -> None:
    assert read("name,hp,side", "A,1,Wolves", "B,1,Bears", "C,1,wolves ").groups()[0][1].name == "C"


def test_all_faults_are_reported_at_once() -> None:
    assert faults(
        "name,hp,damage,str,str_mod,gender,side,attacks",
        "Conan,five,2x6,17,1,she,A,1",
        ",0,1d4,19,,they,B,1.5",
        "conan,,d200,,99,,C,",
    ) == [
        "Row 2, hp: 'five' is not a whole number.",
        "Row 2, damage: '2x6': Write damage as 2d6+1: number of dice, d, number of sides.",
        "Row 2, str_mod: A strength of 17 gives +2, not +1.",
        "Row 3, hp: 0 is out of range: 1 to 1,000 are allowed.",
        "Row 3, str: 19 is out of range: 3 to 18 are allowed.",
        "Row 3, attacks: '1.5' is not a whole number.",
        "Row 3, gender: 'they' isn't one of he, she, it, male, him, his, female, her, hers, its.",
        "Row 3, name: The name is missing.",
        "Row 4, str_mod: 99 is out of range: -20 to 20 are allowed.",
        "Row 4, damage: 'd200': A die has 1 to 100 sides.",
        "Row 4, hp: The hit points are missing.",
        "Row 4, name: 'conan' is in row 2 already: give each fighter a different name.",
        "Row 4, side: This is a third side; there are 'A' and 'B' already.",
    ]


def test_only_scores_in_range_are_compared_with_their_modifiers() -> None:
    assert faults("name,hp,str,str_mod", "A,1,19,3", "B,1,1000,-3", "C,1,9,21", "D,1,18,2") == [
        "Row 2, str: 19 is out of range: 3 to 18 are allowed.",
        "Row 3, str: 1000 is out of range: 3 to 18 are allowed.",
        "Row 4, str_mod: 21 is out of range: -20 to 20 are allowed.",
        "Row 5, str_mod: A strength of 18 gives +3, not +2.",
    ]


def test_faults_of_the_header_are_reported() -> None:
    assert faults("nam,hp,hit points,strenght", "A,1,1,9") == [
        "Row 1, nam: A roster has no column 'nam'. Did you mean name?",
        "Row 1, hit points: There is more than one column hp.",
        "Row 1, strenght: A roster has no column 'strenght'. Did you mean strength?",
        "Row 1: The column name is missing.",
    ]
    assert faults("name,hp") == ["The roster is empty: below the header, give each fighter a row."]
    assert faults("name,hp", "A,1,oops")[0].startswith("Row 2, column C: This cell has no header")


def test_a_side_has_a_size() -> None:
    assert faults("name,hp", *(f"A{number},1" for number in range(101))) == [
        "There are 101 on side '1'; at most 100 fight."
    ]


@pytest.mark.parametrize("cell", ["１", "1_0", "1e3", "nan", "9" * 400, "²"])
def test_hostile_numbers(cell: str) -> None:
    [fault] = faults("name,hp", f"A,{cell}")
    assert fault.startswith("Row 2, hp: ")


def test_the_example_is_a_fight() -> None:
    roster = read_roster(example())
    assert write_roster(roster) == example(), "it has every column"
    assert [(side.name, [one.name for one in side.critters]) for side in roster.sides] == [
        ("The Watch", ["Brenna", "Old Njal"]),
        ("Night", ["ghoul", "Icemaw"]),
    ]
    group1, group2 = roster.groups()
    assert Duel().begin(Setup(group1=group1, group2=group2)).ending is None


@given(st.lists(critters("X"), min_size=1, max_size=4), st.binary(max_size=8), st.sampled_from(["=1+1", "Ärger", "1"]))
def test_what_is_written_is_read_again(drawn: list[Critter], seed: bytes, side: str) -> None:
    group = tuple(creature.model_copy(update={"name": f"+{number} o'X"}) for number, creature in enumerate(drawn))
    roster = Roster(
        sides=(
            RosterSide(name=side, critters=group),
            RosterSide(name="2", critters=(roll_critter(SeededDice(seed)),)),
        )
    )
    assert read_roster(write_roster(roster)) == roster
