"""Groups as CSV files and as text: everything wrong at once, each with its place; and the jobs that read or roll them.

What is blank has the rules' default. Duels in the terminal.
"""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.__main__ import INPUT_ERROR, main
from sim.core import RuleError
from sim.core.dice import SeededDice, seed_bytes
from sim.csv import TableError
from sim.duel.battle import Setup
from sim.duel.battle.rules import Duel
from sim.duel.critter import Alignment, Critter, Gender, roll_critter, roll_rivals
from sim.duel.group_text import parse_group
from sim.duel.requests import RivalsRequest, RollRequest, RosterRequest
from sim.duel.tables import Roster, RosterSide, example, group_name, read_roster, write_roster
from tests.sim.conftest import Terminal
from tests.sim.duel.builders import FIGHTS, critter, critters, fights
from tests.tables import kept_table


def read(*lines: str) -> Roster:
    return read_roster("\n".join(lines).encode())


def faults(*lines: str) -> list[str]:
    with pytest.raises(TableError) as caught:
        read(*lines)
    return [fault.sentence() for fault in caught.value.faults]


def test_every_column() -> None:
    roster = read(
        "name;side;hp;Str;Dexterity;wisdom modifier;AC;THAC0;damage;attacks;gender;alignment;article",
        "Zoë;North;5;16;8;+1;4;17;2d6+1;2;she;Lawful;",
        "ghoul;South;9;;;;;;;;;;the",
    )
    [zoe], [ghoul] = roster.groups()
    assert (zoe.str_mod, zoe.dex_mod, zoe.wis_mod, zoe.abilities) == (2, -1, 1, None)
    assert (zoe.armour_class, zoe.to_hit, str(zoe.damage), zoe.attacks) == (4, 17, "2d6+1", 2)
    assert (zoe.gender, zoe.alignment, zoe.proper) == (Gender.SHE, Alignment.LAWFUL, True)
    assert ghoul == critter("ghoul", 9, proper=False)
    assert [side.name for side in roster.sides] == ["North", "South"]
    assert b",armor_class," in write_roster(roster).splitlines()[0], "as written here; files from before are read, too"
    assert read_roster(write_roster(roster).replace(b"armor_class", b"armour_class")) == roster


@pytest.mark.parametrize(
    ("first", "second", "leader"),
    [("2", "1", "B"), ("Group 2", "group 1", "B"), ("second", "first", "B"), ("Wolves", "Bears", "A")],
)
def test_sides_come_in_the_order_of_their_names_or_of_the_file(first: str, second: str, leader: str) -> None:
    groups = read("name,hp,side", f"A,1,{first}", f"B,1,{second}", f"C,1,{first.lower()} ").groups()
    assert groups[0][0].name == leader
    assert sorted(map(len, groups)) == [1, 2]


def test_a_side_has_a_size() -> None:
    assert faults("name,hp", *(f"A{number},1" for number in range(101))) == [
        "There are 101 on side '1'; at most 100 fight."
    ]


def test_the_example_is_a_fight() -> None:
    roster = RosterRequest(data=example()).run()
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


BRENNA = critter("Brenna", 7, str_mod=1)
KNOWN = {"brenna": BRENNA}


@pytest.mark.parametrize(("text", "expected"), kept_table(__file__, "fighters"))
def test_a_fighter_has_what_is_written_in_any_order_and_the_rules_defaults(text: str, expected: dict[str, Any]) -> None:
    """An ability without a sign is a score, a signed one is a modifier, and so is zero."""
    assert parse_group(text, {}, "First") == (critter("First", 8, **expected),)


def test_own_characters_and_several_of_a_kind() -> None:
    group = parse_group("BRENNA, 3 x grey wolf 9 hp; 2x 4 hp", KNOWN)
    assert [creature.name for creature in group] == ["Brenna", *["grey wolf"] * 3, *["fighter"] * 2]
    assert group[0] is BRENNA
    assert group_name(group, 60) == "Brenna, 3 x grey wolf and 2 x fighter"


SEED = b"snow"
ONE, OTHER = b"name,hp\nAlrun,6\n", b"name,hp\nBorri,6\nCaja,5\n"


def test_characters_are_rolled_as_requested() -> None:
    request = RollRequest(seed=SEED, name="Zoë", gender=Gender.SHE, alignment=Alignment.LAWFUL)
    critter = request.run()
    assert (critter.name, critter.gender, critter.alignment) == ("Zoë", Gender.SHE, Alignment.LAWFUL)
    assert critter == request.run() != request.model_copy(update={"seed": b"ice"}).run()
    name = RollRequest(seed=SEED).run().name
    assert RollRequest(seed=SEED, taken=(name,)).run().name != name
    assert RivalsRequest(seed=SEED).run() == roll_rivals(SeededDice(SEED))


def test_groups_come_from_two_files() -> None:
    first, second = RosterRequest(data=ONE, against=OTHER).run().groups()
    assert [critter.name for critter in first + second] == ["Alrun", "Borri", "Caja"]


def test_a_file_of_two_sides_stands_alone() -> None:
    with pytest.raises(RuleError, match="First file: it has two sides"):
        RosterRequest(data=example(), against=ONE).run()


def test_costs_are_far_below_what_a_worker_may_take() -> None:
    large = b"name,hp\n" + b"x" * (256 * 1024)
    assert RosterRequest(data=large, against=large).cost() < 5


PAIR: dict[str, Any] = {"group1": [{"name": "Conan", "hp": 5}], "group2": [{"name": "Grendel", "hp": 5}]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "duel.json"


def written(file: Path, data: dict[str, Any]) -> str:
    """Write a file, and return its name."""
    file.write_text(json.dumps(data))
    return str(file)


@fights
def test_a_file_with_dice_has_a_known_story(fight: dict[str, Any], file: Path, terminal: Terminal) -> None:
    for dice in (fight["dice"], [face for _, face in fight["dice"]]):
        assert terminal("duel", written(file, fight | {"dice": dice})).out.splitlines() == fight["transcript"]


def test_without_dice_a_seed_decides(file: Path, terminal: Terminal) -> None:
    texts = [terminal("duel", written(file, PAIR), "--seed", seed).out for seed in ("1", "1", "2")]
    assert texts[0] == texts[1] != texts[2]
    assert texts[0].startswith("Round 1!\n\n")


def test_a_file_may_ask_for_a_story_in_its_own_words(file: Path, terminal: Terminal) -> None:
    output = terminal("duel", written(file, PAIR | {"narrated": True, "words": {"death": "$Name$1 naps."}})).out
    assert output.endswith("The End\n")
    assert " naps.\n" in output


def test_leftover_dice_are_reported(file: Path, terminal: Terminal) -> None:
    name = written(file, FIGHTS[0] | {"dice": FIGHTS[0]["dice"] + [[6, 1]]})
    assert "over after 26 throws, but the file has 27." in terminal("duel", name, status=INPUT_ERROR).err


def test_a_file_of_other_bytes(file: Path, terminal: Terminal) -> None:
    file.write_bytes(b'{"group1": "\xff"}')
    assert "byte 13" in terminal("duel", str(file), status=INPUT_ERROR).err


def test_odds_of_a_file_and_of_texts(file: Path, terminal: Terminal) -> None:
    first, second = {"hp": 8, "str_mod": 3, "dex_mod": 0}, {"hp": 8, "str_mod": -3, "dex_mod": 0}
    told = terminal("duel-odds", written(file, {"first": first, "second": second}))
    assert told.out.startswith("First wins 88.5% of the time, ")
    assert told.out.endswith("\nAbout 6.8 rounds.\n")
    texts = ["duel-odds", "8 hp str +3", "8 hp str -3"]
    assert terminal(*texts) == told
    assert terminal("duel-odds", "8 hit points, str +3", "8 hp str -3") == (told.out, "Note: Read as: 8 hp str +3\n")
    report = terminal.json(*texts)
    assert report["p_win_first"] == pytest.approx(0.885296, abs=1e-6)
    assert report["mean_rounds"] == pytest.approx(6.841595, abs=1e-6)


def test_odds_of_groups_are_simulated(file: Path, terminal: Terminal) -> None:
    groups = {"group1": [{"name": "A", "hp": 9}], "group2": [{"name": "B", "hp": 3}, {"name": "C", "hp": 3}]}
    few = terminal("duel-odds", written(file, groups | {"battles": 500}), "--seed", "3").out
    assert few.endswith("\n500 simulated battles, seed 3.\n")
    report = terminal.json("duel-odds", written(file, groups), "--seed", "3")
    assert report["simulation"]["battles"] == 10_000
    assert sum(report["second"]["survivors"]) == pytest.approx(1)


class Screen(io.StringIO):
    """Where somebody sits and presses Enter."""

    def isatty(self) -> bool:
        return True


def story(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """Return what `duel` prints where Enter is pressed."""
    shown = Screen()
    monkeypatch.setattr("sys.stdin", Screen("\n" * 99))
    monkeypatch.setattr("sys.stdout", shown)
    assert main(["duel", *arguments]) == 0
    return shown.getvalue()


def test_without_a_file_two_barbarians_have_a_story(monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> None:
    lawful, chaotic = roll_rivals(SeededDice(seed_bytes(5)))
    told = terminal("duel", "--seed", "5")
    opening, *rounds = told.out.split("\n\nRound ")
    assert not opening.startswith("Round")
    assert all(fighter.name in opening for fighter in (lawful, chaotic))
    assert told.out.endswith("\nThe End\n")
    assert told.err == "Note: --seed 5 tells this story again.\n"
    paused = story(monkeypatch, "--seed", "5")
    assert paused.count("\n(Press Enter to continue!)\n") == len(rounds)
    assert paused.replace("\n(Press Enter to continue!)\n", "\n") == told.out
    assert story(monkeypatch, "--seed", "5", "--no-pause") == told.out


def test_without_a_seed_no_two_stories_are_the_same(terminal: Terminal) -> None:
    assert len({terminal("duel").err for _ in range(3)}) > 1, "three times the same of four thousand million"
