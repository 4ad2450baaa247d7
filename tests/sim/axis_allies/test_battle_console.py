"""`python -m sim aa-battle`: battles with dice of all editions."""

import json
import re
from pathlib import Path

import pytest

from sim.__main__ import INPUT_ERROR, main

BATTLE = "6 inf, 2 art, 1 tank, 2 ftr + 2 bb bombard vs 5 inf, 1 art, 2 aa, 1 ftr"


def log(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["aa-battle", *arguments]) == 0
    return capsys.readouterr().out


def test_one_battle_in_two_forms(capsys: pytest.CaptureFixture[str]) -> None:
    attacker, defender = BATTLE.split(" vs ")
    text = log(capsys, f"1942: {BATTLE}", "--seed", "3")
    assert log(capsys, "--edition", "1942", "-a", attacker, "-d", defender, "--seed", "3") == text
    assert text.startswith("Antiaircraft fire, hits on 1: 2 dice")
    assert "2 battleships bombarding at 4" in text


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (["--landing", "1"], "1 battleship bombarding at 4"),
        (["--tech", "attacker: jets; defender: radar"], "Antiaircraft fire, hits on 1–2"),
        (["--low-luck"], "2 dice = 2 points"),
        (["--attacker-casualties", "ftr, tank"], "The attacker loses 1 fighter"),
        (["--retreat-after", "1"], "The attacker retreats"),
    ],
)
def test_options(option: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert text.casefold() in log(capsys, f"1940: {BATTLE}", "--seed", "3", *option).casefold()


def test_the_journal_can_be_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "battle.jsonl")
    log(capsys, f"1942: {BATTLE}", "--low-luck", "--must-take", "--out", path)
    assert main(["verify", path]) == 0
    assert capsys.readouterr().out.startswith("match\n")


def test_the_journal_tells_the_luck_of_its_dice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "battle.jsonl"
    log(capsys, "3 tanks vs 3 inf", "--seed", "3", "--out", str(path))
    state = json.loads(path.read_text().splitlines()[-1])
    assert state["closing"]["seed"] is not None
    assert main(["luck", str(path)]) == 0
    attacker, defender = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"attacker: luckier than \d+%, \d+ hits? with \d+ dice, \d+\.\d expected", attacker)
    assert defender.startswith("defender: luckier than ")
    path.write_text(path.read_text().replace(state["closing"]["seed"], "00"))
    assert main(["luck", str(path)]) == INPUT_ERROR
    assert "tells of other events than the dice lead to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["6 inf then 3 ftr vs 5 inf"], "one attacker"),
        (["6 inf vs 5 inf | counter 3 inf"], "one attacker"),
        (["6 inf vs 5 inf | rounds 3"], "leave rounds and retreats out"),
        (["6 inf vs 5 inf | retreat below 3"], "leave rounds and retreats out"),
        (["2.5 inf vs 5 inf"], "whole units"),
        (["2 inf vs 5 inff"], "\n           ^^^^\n"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aa-battle", *arguments]) == INPUT_ERROR
    assert message in capsys.readouterr().err


def test_the_orders_found_are_told_and_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "battle.jsonl"
    battle = ["aa-battle", "1942: 2 art vs 4 inf, 3 bmr", "--seed", "3"]
    texts = []
    for method, order in (("smart", "bombers, infantry"), ("thrifty", "infantry, bombers")):
        assert main([*battle, "--casualties", method, "--out", str(path)]) == 0
        out = capsys.readouterr()
        assert out.err == f"Defender: Lose: {order}.\n"
        assert json.loads(path.read_text().splitlines()[0])["head"]["setup"]["defender_losses"] == [
            {"bombers": "bomber"}.get(unit, unit) for unit in order.split(", ")
        ]
        assert main(["verify", str(path)]) == 0
        capsys.readouterr()
        assert main([*battle, "--defender-casualties", order]) == 0
        assert capsys.readouterr().out == out.out
        texts.append(out.out)
    assert texts[0] != texts[1]


def test_in_the_fog_the_orders_found_are_secret(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aa-battle", "1942: 2 art vs 4 inf, 3 bmr", "--casualties", "smart", "--seat", "attacker"]) == 0
    assert capsys.readouterr().err == ""
