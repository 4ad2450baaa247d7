"""`python -m sim aa-read`, and `aa`: the options of the average battle, and losses chosen by hand."""

import io
import json
from fractions import Fraction

import pytest

from sim.__main__ import INPUT_ERROR, main
from tests.tables import kept_texts

TEXT = (
    "1940: 6 inf, 2 ftr + 2 bb bombard, landing 4 then 3 ftr vs 5 inf, 1 aa | rounds 3 | retreat after 0 IPC lost"
    " | low luck | take territory | order defender: ftr, inf | counter: 3 inf + 1 bb bombard | tech attacker: jets"
)


def read(text: str, capsys: pytest.CaptureFixture[str]) -> object:
    assert main(["aa-read", text, "--json"]) == 0
    found: object = json.loads(capsys.readouterr().out)
    return found


def test_a_battle(capsys: pytest.CaptureFixture[str]) -> None:
    assert read("6 inf vs 2 tanks", capsys) == {
        "edition": "1941",
        "waves": [{"army": {"infantry": 6}, "bombard": {}}],
        "defender": {"tank": 2},
        "options": {},
    }


def test_everything_that_a_text_may_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert read(TEXT, capsys) == kept_texts(__file__, "all_said")


def test_fractions_and_damage(capsys: pytest.CaptureFixture[str]) -> None:
    assert read("2.5 sub, 2 bb (1 damaged) vs 1 damaged bb", capsys) == {
        "edition": "1941",
        "waves": [{"army": {"submarine": 2.5, "battleship": 2}, "bombard": {}, "damaged": {"battleship": 1}}],
        "defender": {"battleship": 1},
        "defender_damaged": {"battleship": 1},
        "options": {},
    }


BATTLE = ["aa", "-a", "6 tanks, 1 bmr", "-d", "5 inf, 2 tanks, 1 ftr"]
FLEETS = ["aa", "-a", "3 sub, 2 ftr, 1 bb", "-d", "2 bb, 1 dst, 2 ftr"]


def left(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def answer(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_losses_by_hand(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The tanks' 3 hits fall on both tanks and an infantry, the bomber's on the usual infantry."""
    answer(monkeypatch, "tank", "inf", "")
    assert main([*BATTLE, "--defender-casualties", "manual", "--stop-after", "1", "--json"]) == 0
    out = capsys.readouterr()
    groups = json.loads(out.out)["defender_left"]["groups"]
    assert {group["unit"]: Fraction(group["count"]) for group in groups} == {
        "infantry": Fraction(10, 3),
        "fighter": Fraction(1),
    }
    assert out.err == (
        "Round 1: 3 hits by the attacker's tanks.\n"
        "The defender has 5 infantry, 2 tanks, 1 fighter.\n"
        "Lose infantry, tanks or fighters? (Enter: infantry)\n"
        "> Round 1: 1 hit by the attacker's tanks.\n"
        "The defender has 5 infantry, 1 fighter.\n"
        "Lose infantry or fighters? (Enter: infantry)\n"
        "> Round 1: 0.667 hits by the attacker's bombers.\n"
        "The defender has 4 infantry, 1 fighter.\n"
        "Lose infantry or fighters? (Enter: infantry)\n"
        "> "
    )


def test_an_answer_may_be_an_order(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    answer(monkeypatch, "ftr, tank", "tank")
    assert main([*BATTLE, "--defender-casualties", "manual", "--stop-after", "1"]) == 0
    assert "the defender was left with 4.333 infantry" in capsys.readouterr().out


def test_both_sides_by_hand(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    answer(monkeypatch, *[""] * 99)
    by_hand = left(capsys, *BATTLE, "--casualties", "manual", "-r")
    assert by_hand == left(capsys, *BATTLE, "-r")
    answer(monkeypatch, *[""] * 99)
    assert main([*BATTLE, "--casualties", "manual", "--defender-casualties", "score"]) == 0
    asked = capsys.readouterr().err
    assert "Lose tanks or bombers? (Enter: tanks)" in asked
    assert "attacker's" not in asked


def test_a_ship_that_is_chosen_loses_its_life_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    by_hand = ["aa", "-a", "6 ftr, 1 btl", "-d", "2 bb, 4 dst", "--defender-casualties", "manual", "--stop-after", "1"]
    answer(monkeypatch, "bb", "")
    assert main(by_hand) == 0
    out = capsys.readouterr()
    assert "Lose destroyers, battleship lives or battleships? (Enter: destroyers)" in out.err
    assert "1 battleship (0 extra lives), 3.333 destroyers" in out.out
    answer(monkeypatch, "bb-life", "bb-life", "bb", "bb-life", "bb")
    assert main(by_hand) == 0
    out = capsys.readouterr()
    assert "> The defender has no battleship lives.\n> " in out.err
    assert "0.333 battleships (0 extra lives), 4 destroyers" in out.out


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("tonks", "tonks\n^^^^^\nNo unit has this name. Did you mean tanks?\n> "),
        ("sub", "The defender has no submarines.\n> "),
        ("last destroyer", "The defender has no destroyers.\n> "),
        ("bb-life", "The defender has no battleship lives.\n> "),
        ("score", "Name units here; for score use the option --casualties.\n> "),
        ("tank, tank", "Name each unit only once."),
        ("x" * 999, "at most 300 are read"),
    ],
)
def test_a_wrong_answer_is_explained_and_asked_for_again(
    wrong: str, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, wrong, "inf", "inf")
    assert main([*BATTLE, "--defender-casualties", "manual", "--stop-after", "1"]) == 0
    out = capsys.readouterr()
    assert sentence in out.err
    assert "left with 1.333 infantry, 2 tanks, 1 fighter" in out.out


def test_what_the_hits_cannot_take_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, "ftr", "dst", *[""] * 9)
    assert main([*FLEETS, "--defender-casualties", "MANUAL", "--stop-after", "1"]) == 0
    err = capsys.readouterr().err
    assert "Round 1: 1 hit by the attacker's submarines." in err
    assert "These hits can't take fighters." in err


@pytest.mark.parametrize("lines", [[], ["tank"], ["tank", "wrong"]])
def test_the_end_of_the_input_is_a_sentence(
    lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, *lines)
    assert main([*BATTLE, "--defender-casualties", "manual"]) == INPUT_ERROR
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.endswith("> The input ended in round 1, before the defender chose all its losses.\n")


@pytest.mark.parametrize("option", ["-h", "--hit-method", "--casualties"])
def test_the_hit_method_has_the_seed_programs_names(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    fleets = [*FLEETS, "--stop-after", "1"]
    assert left(capsys, *fleets, option, "score") == left(capsys, *fleets)
    assert "2 battleships (0 extra lives)" in left(capsys, *fleets, option, "lives-first")
    assert left(capsys, *fleets, option, "bb-life, ftr") != left(capsys, *fleets)
    with pytest.raises(SystemExit, match="0"):
        main(["aa", "--help"])
    assert "-h METHOD" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="0"):
        main(["aa-odds", "-h"])


def test_the_orders_found_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*FLEETS, "--defender-casualties", "thrifty"]) == 0
    out = capsys.readouterr()
    (line,) = out.err.splitlines()
    assert line.startswith("Defender: Lose: battleship lives, ")
    assert left(capsys, *FLEETS, "--defender-casualties", line.removeprefix("Defender: ").rstrip(".")) == out.out
