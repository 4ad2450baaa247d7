"""Rosters as files: reading, every error in a file, and writing."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.csv.table import TableError, write_table
from sim.marked_for_death.roster import MAX_FIGHTERS, Buff, Fighter, Roster
from sim.marked_for_death.tables import example, fighter_cells, read_fighter, read_roster, roster_csv
from tests.sim.marked_for_death.builders import HEADER, RIDERS, buff, fighter, fighters, read, roster, rosters

BUFF = "BuffName,BuffWho,BuffOffense,BuffDefense"


def faults(text: str) -> list[str]:
    with pytest.raises(TableError) as caught:
        read_roster(text.encode())
    return list(caught.value.sentences)


def test_blank_cells_are_nothing_and_a_blank_aoe_is_one() -> None:
    assert read("Tom,5000,,,,,,,").fighters == (Fighter(name="Tom", xp=5000),)


def test_every_column() -> None:
    row = 'Tom,5000,-10,3,0.15,-.2,4,Zoë,Max,Team,"Zoë, Tom",0.1,0.2,,,,,Will,tom,,-1'
    assert read(row, header=f"{HEADER},{BUFF},{BUFF},{BUFF}").fighters == (
        Fighter(
            name="Tom",
            xp=5000,
            bonus_xp=-10,
            bonus_hp=3,
            bonus_to_hit=Decimal("0.15"),
            bonus_to_defend=Decimal("-0.2"),
            aoe=4,
            bodyguard_for="Zoë",
            linked_to="Max",
            buffs=(buff("Zoë,Tom", "0.1", "0.2", "Team"), buff("tom", "0", "-1", "Will")),
        ),
    )


@pytest.mark.parametrize("header", ["xp,NAME,Bonus HP", "XP,name,bonus_hp,,", "XP, Name ,BONUS-HP"])
def test_headers_stand_in_any_case_and_order(header: str) -> None:
    assert read("5000,Tom,1", header=header).fighters == (Fighter(name="Tom", xp=5000, bonus_hp=1),)


def test_buff_columns_numbered_by_other_programs_are_groups_all_the_same() -> None:
    header = "Name,BuffName,BuffWho,BuffOffense,BuffDefense,BuffName.1,BuffWho.1,BuffOffense.1,BuffDefense.1,XP"
    (tom,) = read("Tom,A,Tom,1,,B,Zoë,,1,500", header=header).fighters
    assert tom.buffs == (buff("Tom", "1", name="A"), buff("Zoë", "0", "1", "B"))


def test_semicolons_and_decimal_commas() -> None:
    header = HEADER.replace(",", ";")
    (tom,) = read("Tom;5000;;;0,15;1,500;;;", header=header).fighters
    assert (tom.bonus_to_hit, tom.bonus_to_defend) == (Decimal("0.15"), Decimal("1.5"))


@pytest.mark.parametrize(
    "who", ['   "Alice,Bill,Charlie Brown"', '"Alice,Bill,Charlie Brown"   ', '"Alice , Bill,,Charlie Brown"']
)
def test_blanks_around_quotes_and_names_say_nothing(who: str) -> None:
    (alice,) = read(f"Alice,500,GeniusIntellect,{who},0.06,0.03", header=f"Name,XP,{BUFF}").fighters
    assert alice.buffs == (buff("Alice,Bill,Charlie Brown", "0.06", "0.03", "GeniusIntellect"),)


@pytest.mark.parametrize("tail", ["0.06,0.03", "0.06,", "0.06,0.03,,,,", ","])
@pytest.mark.parametrize("groups", [1, 2])
def test_several_names_without_quotes_are_refused_with_what_to_write(tail: str, groups: int) -> None:
    text = f"Name,XP{f',{BUFF}' * groups}\nBill,1\nTom,500,Jutsu1,Alice,Bill,Charlie Brown,{tail}\n"
    assert faults(text) == [
        (
            f"Row 3, BuffWho{' (column D)' if groups > 1 else ''}: "
            'Put several names in quotes: "Alice,Bill,Charlie Brown".'
        )
    ]


def test_as_many_as_may_take_part_and_one_more() -> None:
    rows = [f"F{number},1" for number in range(MAX_FIGHTERS + 1)]
    assert len(read(*rows[:-1]).fighters) == MAX_FIGHTERS
    assert faults("\n".join([HEADER, *rows])) == ["There are 501 fighters; at most 500 take part."]


@pytest.mark.parametrize("aoe", ["0", "-3"])
def test_an_aoe_under_one_is_one_and_told(aoe: str) -> None:
    checked = read_roster(f"Name,XP,AOE\nTom,1,{aoe}".encode())
    assert (checked.roster.fighters[0].aoe, checked.warnings) == (1, (f"Tom: AOE {aoe} counts as 1.",))


def test_the_example_is_the_dragon_and_its_riders() -> None:
    checked = read_roster(example())
    assert checked.roster == read_roster(RIDERS.replace("0.9", "0.6").encode()).roster
    assert checked.warnings == ()
    assert example().startswith("\ufeff# ".encode())


def test_a_fighter_from_a_form() -> None:
    power = Buff(name="Power", who=("Tom",))
    tom = read_fighter({"Name": " Tom ", "XP": "500", "BonusToHit": "0,1"}, [power])
    assert tom == Fighter(name="Tom", xp=500, bonus_to_hit=Decimal("0.1"), buffs=(power,))


def test_a_form_s_faults_name_the_columns() -> None:
    with pytest.raises(TableError) as caught:
        read_fighter({"XP": "x"})
    assert caught.value.sentences == ("Name: The name is missing.", "XP: 'x' is not a whole number.")


CELLS = st.sampled_from(
    ["", "0", "1", "-1", "0.5", "0,5", "Tom", "tom", "Bo,Tom", " ", "x" * 41, "\u200b", "1e9", "९", '"', "#"]
)


@given(st.lists(st.lists(CELLS | st.text(max_size=3), max_size=18), max_size=4))
def test_any_table_is_a_roster_that_can_be_written_back_or_told_what_is_wrong(rows: list[list[str]]) -> None:
    file = write_table(f"{HEADER},{BUFF},{BUFF}".split(","), rows)
    try:
        roster = read_roster(file).roster
    except TableError as error:
        assert error.faults
    else:
        assert read_roster(roster_csv(roster)).roster == roster


def test_every_column_is_written_and_every_number() -> None:
    assert roster_csv(read_roster(RIDERS.encode()).roster).decode() == (
        "\ufeffName,XP,BonusXP,BonusHP,BonusToHit,BonusToDefend,AOE,BodyguardFor,LinkedTo,"
        "BuffName,BuffWho,BuffOffense,BuffDefense\r\n"
        'Dragon,13000,1500,-1,0.9,0.1,1,,Summoner,Mythic,"Dragon,Summoner,Tom",0.06,0.02\r\n'
        "Summoner,5800,-1000,1,0.15,0,1,,Dragon,,,,\r\n"
        'Tom,7001,0,0,0.11,0.01,1,Summoner,Dragon,Teamwork,"Tom,Summoner",0.1,0.12\r\n'
    )


def test_no_name_starts_a_formula_and_numbers_are_untouched() -> None:
    text = roster_csv(roster(fighter("=1+1", hp=-3, linked_to="@Tom"), "-5", "#1")).decode()
    assert text.splitlines()[1:] == ["'=1+1,1000,0,-5,0,0,1,,'@Tom", "'-5,1000,0,0,0,0,1,,", "'#1,1000,0,0,0,0,1,,"]


@given(fighters("Tom"))
def test_the_cells_of_a_form_read_back_as_the_fighter(original: Fighter) -> None:
    assert read_fighter(fighter_cells(original), original.buffs) == original


@given(rosters())
def test_what_is_written_is_read_back(original: Roster) -> None:
    assert read_roster(roster_csv(original)).roster == original
