import io
import json
from pathlib import Path
from typing import Any

import pytest

from sim.__main__ import INPUT_ERROR, main
from sim.core.dice import SeededDice, seed_bytes
from sim.duel.critter import roll_rivals
from tests.sim.conftest import Terminal
from tests.sim.duel.builders import FIGHTS, fights

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


def test_a_file_of_other_bytes_or_none(file: Path, terminal: Terminal) -> None:
    assert "can't be read: No such file" in terminal("duel", str(file), status=INPUT_ERROR).err
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
