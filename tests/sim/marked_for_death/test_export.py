"""Rosters as files."""

from hypothesis import given

from sim.core.table import read_table
from sim.marked_for_death.roster import Fighter, Roster
from sim.marked_for_death.roster_csv import fighter_cells, read_fighter, read_roster, roster_csv
from tests.sim.marked_for_death.builders import RIDERS, fighter, fighters, roster, rosters


def test_every_column_is_written_and_every_number() -> None:
    assert roster_csv(read_roster(RIDERS.encode()).roster).decode() == (
        "\ufeffName,XP,BonusXP,BonusHP,BonusToHit,BonusToDefend,AOE,BodyguardFor,LinkedTo,"
        "BuffName,BuffWho,BuffOffense,BuffDefense\r\n"
        'Dragon,13000,1500,-1,0.9,0.1,1,,Summoner,Mythic,"Dragon,Summoner,Tom",0.06,0.02\r\n'
        "Summoner,5800,-1000,1,0.15,0,1,,Dragon,,,,\r\n"
        'Tom,7001,0,0,0.11,0.01,1,Summoner,Dragon,Teamwork,"Tom,Summoner",0.1,0.12\r\n'
    )


def test_buff_columns_that_nobody_filled_are_kept() -> None:
    buffs = "BuffName,BuffWho,BuffOffense,BuffDefense"
    file = f"Name,XP,{buffs},{buffs}\nTom,1\n".encode()
    table = read_table(roster_csv(read_roster(file).roster))
    assert table.header[9:] == (*buffs.split(","), *buffs.split(","))


def test_no_name_starts_a_formula_and_numbers_are_untouched() -> None:
    text = roster_csv(roster(fighter("=1+1", hp=-3, linked_to="@Tom"), "-5", "#1")).decode()
    assert text.splitlines()[1:] == ["'=1+1,1000,0,-5,0,0,1,,'@Tom", "'-5,1000,0,0,0,0,1,,", "'#1,1000,0,0,0,0,1,,"]


@given(fighters("Tom"))
def test_the_cells_of_a_form_read_back_as_the_fighter(original: Fighter) -> None:
    assert read_fighter(fighter_cells(original), original.buffs) == original


@given(rosters())
def test_what_is_written_is_read_back(original: Roster) -> None:
    assert read_roster(roster_csv(original)).roster == original
