"""Marked for Death in the terminal."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from sim.marked_for_death.tables import read_roster
from tests.sim.conftest import Terminal
from tests.sim.marked_for_death.builders import HEADER, RIDERS
from tests.sim.marked_for_death.test_stats import RIDERS_LINES
from tests.tables import kept_texts


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of the test's own, where a battle writes its files."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


FINALS = ("Heroes-final.csv", "Villains-final.csv")


def files(heroes: str, villains: str) -> list[str]:
    """Write both rosters, where they are looked for; return the options that name them."""
    for name, text in (("Heroes.csv", heroes), ("Villains.csv", villains)):
        Path(name).write_text(text, encoding="utf-8")
    return ["--heroes", "Heroes.csv", "--villains", "Villains.csv"]


def rows(*lines: str) -> str:
    return "\n".join([HEADER, *lines, ""])


ORCS = "Name;XP;BodyguardFor\nOrc;4000;\nElf;5000;Ork\n"


def test_a_battle_is_printed_and_its_files_written(here: Path, terminal: Terminal) -> None:
    sides, out = files(RIDERS, ORCS), here / "new" / "files"
    captured = terminal("mfd", *sides, "-m", "3", "--seed", "5", "--out", str(out))
    assert captured.out.splitlines()[1:3] == ["The heroes:", f"  {RIDERS_LINES[0]}"]
    assert "Note: Villains: Elf guards Ork, who isn't in the file. Did you mean Orc?" in captured.err
    assert (out / "BattleLog.txt").read_text() == captured.out
    finals = [str(out / name) for name in FINALS]
    assert all(Path(name).read_bytes().startswith(b"Name,") for name in finals), "without the mark for spreadsheets"
    terminal("mfd", "--heroes", finals[0], "--villains", finals[1])


def test_files_have_the_names_of_the_seed_program(here: Path, terminal: Terminal) -> None:
    files(RIDERS, ORCS)
    rosters = {path.name for path in here.iterdir()}
    log = terminal("mfd", "-m", "1", "--out", "-").out
    assert {path.name for path in here.iterdir()} == rosters
    assert terminal("mfd", "-m", "1").out == log
    assert {path.name for path in here.iterdir()} == rosters | {"BattleLog.txt", *FINALS}
    assert (here / "BattleLog.txt").read_text() == log
    terminal("mfd-odds", "--battles", "500")


def test_no_round_at_all_shows_and_writes_the_sides(here: Path, terminal: Terminal) -> None:
    captured = terminal("mfd", *files(RIDERS, ORCS), "--max-rounds", "0")
    lines = captured.out.splitlines()
    assert lines[1:5] == ["The heroes:", *(f"  {line}" for line in RIDERS_LINES)]
    assert lines[-1] == "Undecided: 3 heroes and 2 villains stand"
    assert not any(line.startswith("Round") for line in lines)
    assert "Stopped" not in captured.err
    for name, text in zip(FINALS, (RIDERS, ORCS), strict=True):
        assert read_roster((here / name).read_bytes()).roster == read_roster(text.encode()).roster
    fallen = files(RIDERS, "Name,XP,BonusHP\nOrc,1,-5\n")  # a side of which nobody can fight has lost before
    assert "The heroes win: " in terminal("mfd", *fallen, "-m", "0").out


def test_a_check_prints_the_lines_or_json(terminal: Terminal) -> None:
    files(RIDERS, ORCS)
    captured = terminal("mfd-check", "Heroes.csv")
    assert captured.out.splitlines() == RIDERS_LINES
    assert captured.err == "Note: Dragon's ToHit is at its cap of 99% (126% before).\n"
    tom = terminal.json("mfd-check", "Heroes.csv")["fighters"][2]
    assert (Decimal(tom.pop("ToHit")), Decimal(tom.pop("ToDefend"))) == (Decimal("0.57"), Decimal("0.45"))
    assert tom == kept_texts(__file__, "tom")


def test_every_fault_has_its_line_with_status_2(terminal: Terminal) -> None:
    bad = "Name,XP\nTom,x\n,3\n"
    sides = files(bad, bad)
    sentences = ["Row 2, XP: 'x' is not a whole number.", "Row 3, Name: The name is missing."]
    both = [f"{side}: {line}" for side in ("Heroes", "Villains") for line in sentences]
    for command, told in (
        (["mfd-check", "Heroes.csv"], sentences),
        (["mfd", *sides], both),
        (["mfd-odds", *sides], both),
        (["mfd-check", "none.csv"], ["none.csv can't be read: No such file or directory."]),
        (["mfd-odds", "--heroes", "none.csv"], ["none.csv can't be read: No such file or directory."]),
    ):
        assert terminal(*command, status=2) == ("", "\n".join([*told, ""]))
    refused = terminal("mfd", *files(RIDERS, RIDERS), "--out", "Heroes.csv", status=2)
    assert "Heroes.csv can't be made: File exists." in refused.err


def test_odds_are_sentences(terminal: Terminal) -> None:
    sides = files(rows("Hero,5000,,-1"), rows("Villain,5000,,-1,,,,Nobody"))
    captured = terminal("mfd-odds", *sides)
    assert captured.out == (
        "Heroes win 35.7% of the time.\n"
        "Heroes 35.7%, villains 35.7%, both fall 28.6%, about 1.5 rounds.\n"
        "Hero survives 35.7% of the time.\n"
        "Villain survives 35.7% of the time.\n"
    )
    assert "Note: Villains: Villain guards Nobody, who isn't in the file." in captured.err
    report = terminal.json("mfd-odds", *sides)
    assert report["p_heroes"] == pytest.approx(0.356971, abs=5e-7)
    assert report["p_both_fall"] == pytest.approx(0.286058, abs=5e-7)
    assert report["mean_rounds"] == pytest.approx(1.517047, abs=5e-7)


def test_the_whole_report(terminal: Terminal) -> None:
    sides = files(rows("A,5000", "B,3000,,,,,2,A"), rows("C,5000", "D,2000,,,,,,,C"))
    said = terminal("mfd-odds", *sides, "-m", "3", "--battles", "700", "--seed", "9", "--json")
    report = json.loads(said.out)
    assert report["max_rounds"] == 3
    assert (report["simulation"]["battles"], report["simulation"]["seed"]) == (700, 9)
    assert [fighter["name"] for fighter in report["fighters"]] == ["A", "B", "C", "D"]
    assert "simulated, 700 battles, seed 9" in said.err
