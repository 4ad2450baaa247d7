import io
import json
from pathlib import Path
from typing import Any

import pytest

from sim.__main__ import INPUT_ERROR, main
from sim.core.dice import SeededDice, seed_bytes
from sim.duel.critter import roll_rivals
from tests.sim.duel.builders import FIGHTS, fights

PAIR: dict[str, Any] = {"group1": [{"name": "Conan", "hp": 5}], "group2": [{"name": "Grendel", "hp": 5}]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "duel.json"


def run(file: Path, data: object, *arguments: str, command: str = "duel") -> int:
    file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return main([command, str(file), *arguments])


@fights
def test_a_file_with_dice_has_a_known_story(
    fight: dict[str, Any], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for dice in (fight["dice"], [face for _, face in fight["dice"]]):
        assert run(file, fight | {"dice": dice}) == 0
        assert capsys.readouterr().out.splitlines() == fight["transcript"]


def test_without_dice_a_seed_decides(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for seed in ("1", "1", "2"):
        assert run(file, PAIR, "--seed", seed) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != texts[2]
    assert texts[0].startswith("Round 1!\n\n")


def test_a_file_may_ask_for_a_story_in_its_own_words(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(file, PAIR | {"narrated": True, "words": {"death": "$Name$1 naps."}}) == 0
    output = capsys.readouterr().out
    assert output.endswith("The End\n")
    assert " naps.\n" in output


def test_leftover_dice_are_reported(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(file, FIGHTS[0] | {"dice": FIGHTS[0]["dice"] + [[6, 1]]}) == INPUT_ERROR
    assert "The fight is over after 26 throws, but the file has 27." in capsys.readouterr().err


def test_a_file_of_other_bytes(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(b'{"group1": "\xff"}')
    assert main(["duel", str(file)]) == INPUT_ERROR
    assert "byte 13" in capsys.readouterr().err


def test_odds_of_a_file_and_of_texts(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = {"hp": 8, "str_mod": 3, "dex_mod": 0}, {"hp": 8, "str_mod": -3, "dex_mod": 0}
    assert run(file, {"first": first, "second": second}, command="duel-odds") == 0
    told = capsys.readouterr()
    assert told.out.startswith("First wins 88.5% of the time, ")
    assert told.out.endswith("\nAbout 6.8 rounds.\n")
    texts = ["duel-odds", "8 hp str +3", "8 hp str -3"]
    assert main(texts) == 0
    assert capsys.readouterr() == told
    assert main(["duel-odds", "8 hit points, str +3", "8 hp str -3"]) == 0
    assert capsys.readouterr() == (told.out, "Note: Read as: 8 hp str +3\n")
    assert main([*texts, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["p_win_first"] == pytest.approx(0.885296, abs=1e-6)
    assert report["mean_rounds"] == pytest.approx(6.841595, abs=1e-6)


def test_odds_of_groups_are_simulated(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    groups = {"group1": [{"name": "A", "hp": 9}], "group2": [{"name": "B", "hp": 3}, {"name": "C", "hp": 3}]}
    assert run(file, groups | {"battles": 500}, "--seed", "3", command="duel-odds") == 0
    assert capsys.readouterr().out.endswith("\n500 simulated battles, seed 3.\n")
    assert run(file, groups, "--seed", "3", "--json", command="duel-odds") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["simulation"]["battles"] == 10_000
    assert sum(report["second"]["survivors"]) == pytest.approx(1)


class Terminal(io.StringIO):
    """A terminal at which somebody presses Enter."""

    def isatty(self) -> bool:
        return True


def story(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """Return what `duel` prints at a terminal at which Enter is pressed."""
    shown = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal("\n" * 99))
    monkeypatch.setattr("sys.stdout", shown)
    assert main(["duel", *arguments]) == 0
    return shown.getvalue()


def test_without_a_file_two_barbarians_have_a_story(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lawful, chaotic = roll_rivals(SeededDice(seed_bytes(5)))
    assert main(["duel", "--seed", "5"]) == 0
    told = capsys.readouterr()
    opening, *rounds = told.out.split("\n\nRound ")
    assert not opening.startswith("Round")
    assert all(fighter.name in opening for fighter in (lawful, chaotic))
    assert told.out.endswith("\nThe End\n")
    assert told.err == "Note: --seed 5 tells this story again.\n"
    paused = story(monkeypatch, "--seed", "5")
    assert paused.count("\n(Press Enter to continue!)\n") == len(rounds)
    assert paused.replace("\n(Press Enter to continue!)\n", "\n") == told.out
    assert story(monkeypatch, "--seed", "5", "--no-pause") == told.out


def test_without_a_seed_no_two_stories_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = set()
    for _ in range(3):
        assert main(["duel"]) == 0
        seeds.add(capsys.readouterr().err)
    assert len(seeds) > 1, "three times the same of four thousand million"
