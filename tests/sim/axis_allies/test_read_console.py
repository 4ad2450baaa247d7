"""`python -m sim aa-read`."""

import json

import pytest

from sim.__main__ import INPUT_ERROR, main

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
    assert read(TEXT, capsys) == {
        "edition": "1940",
        "waves": [
            {"army": {"infantry": 6, "fighter": 2}, "bombard": {"battleship": 2}, "landing": 4},
            {"army": {"fighter": 3}, "bombard": {}},
        ],
        "defender": {"infantry": 5, "antiaircraft gun": 1},
        "options": {
            "attacker_technology": ["jets"],
            "defender_casualties": "fighter, infantry",
            "stop_after": 3,
            "retreat_ipc_lost": 0,
            "take_territory": True,
            "low_luck": True,
            "counter": {"army": {"infantry": 3}, "bombard": {"battleship": 1}},
        },
    }


def test_fractions_and_damage(capsys: pytest.CaptureFixture[str]) -> None:
    assert read("2.5 sub, 2 bb (1 damaged) vs 1 damaged bb", capsys) == {
        "edition": "1941",
        "waves": [{"army": {"submarine": 2.5, "battleship": 2}, "bombard": {}, "damaged": {"battleship": 1}}],
        "defender": {"battleship": 1},
        "defender_damaged": {"battleship": 1},
        "options": {},
    }


def test_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aa-read", TEXT]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "Edition: 1940 second edition.",
        "Attacker: 6 infantry, 2 fighters; 2 battleships bombard; 4 land from the sea.",
        "Then: 3 fighters.",
        "Defender: 5 infantry, 1 antiaircraft gun.",
    ]
    assert "Option: retreat after 0 IPC lost." in lines


def test_what_can_not_be_read_is_pointed_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aa-read", "6 tonks vs 2 inf"]) == INPUT_ERROR
    assert "  ^^^^^\n" in capsys.readouterr().err
