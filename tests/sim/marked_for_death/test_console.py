"""Marked for Death in the terminal."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from sim.__main__ import INPUT_ERROR, main
from sim.marked_for_death.tables import read_roster
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


def test_a_battle_is_printed_and_its_files_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides, out = files(RIDERS, ORCS), here / "new" / "files"
    assert main(["mfd", *sides, "-m", "3", "--seed", "5", "--out", str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1:3] == ["The heroes:", f"  {RIDERS_LINES[0]}"]
    assert "Note: Villains: Elf guards Ork, who isn't in the file. Did you mean Orc?" in captured.err
    assert (out / "BattleLog.txt").read_text() == captured.out
    finals = [str(out / name) for name in FINALS]
    assert all(Path(name).read_bytes().startswith(b"Name,") for name in finals), "without the mark for spreadsheets"
    assert main(["mfd", "--heroes", finals[0], "--villains", finals[1]]) == 0


def test_files_have_the_names_of_the_seed_program(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(RIDERS, ORCS)
    rosters = {path.name for path in here.iterdir()}
    assert main(["mfd", "-m", "1", "--out", "-"]) == 0
    assert {path.name for path in here.iterdir()} == rosters
    log = capsys.readouterr().out
    assert main(["mfd", "-m", "1"]) == 0
    assert {path.name for path in here.iterdir()} == rosters | {"BattleLog.txt", *FINALS}
    assert (here / "BattleLog.txt").read_text() == capsys.readouterr().out == log
    assert main(["mfd-odds", "--battles", "500"]) == 0


def test_no_round_at_all_shows_and_writes_the_sides(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mfd", *files(RIDERS, ORCS), "--max-rounds", "0"]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[1:5] == ["The heroes:", *(f"  {line}" for line in RIDERS_LINES)]
    assert lines[-1] == "Undecided: 3 heroes and 2 villains stand"
    assert not any(line.startswith("Round") for line in lines)
    assert "Stopped" not in captured.err
    for name, text in zip(FINALS, (RIDERS, ORCS), strict=True):
        assert read_roster((here / name).read_bytes()).roster == read_roster(text.encode()).roster
    assert main(["mfd", *files(RIDERS, "Name,XP,BonusHP\nOrc,1,-5\n"), "-m", "0"]) == 0
    assert "The heroes win: " in capsys.readouterr().out, "a side of which nobody can fight has lost before"


def test_a_check_prints_the_lines_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    files(RIDERS, ORCS)
    assert main(["mfd-check", "Heroes.csv"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines() == RIDERS_LINES
    assert captured.err == "Note: Dragon's ToHit is at its cap of 99% (126% before).\n"
    assert main(["mfd-check", "Heroes.csv", "--json"]) == 0
    tom = json.loads(capsys.readouterr().out)["fighters"][2]
    assert (Decimal(tom.pop("ToHit")), Decimal(tom.pop("ToDefend"))) == (Decimal("0.57"), Decimal("0.45"))
    assert tom == kept_texts(__file__, "tom")


def test_every_fault_has_its_line_with_status_2(capsys: pytest.CaptureFixture[str]) -> None:
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
        assert main(command) == INPUT_ERROR == 2
        assert capsys.readouterr() == ("", "\n".join([*told, ""]))
    assert main(["mfd", *files(RIDERS, RIDERS), "--out", "Heroes.csv"]) == INPUT_ERROR
    assert "Heroes.csv can't be made: File exists." in capsys.readouterr().err


def test_odds_are_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    sides = files(rows("Hero,5000,,-1"), rows("Villain,5000,,-1,,,,Nobody"))
    assert main(["mfd-odds", *sides]) == 0
    captured = capsys.readouterr()
    assert captured.out == (
        "Heroes win 35.7% of the time.\n"
        "Heroes 35.7%, villains 35.7%, both fall 28.6%, about 1.5 rounds.\n"
        "Hero survives 35.7% of the time.\n"
        "Villain survives 35.7% of the time.\n"
    )
    assert "Note: Villains: Villain guards Nobody, who isn't in the file." in captured.err
    assert main(["mfd-odds", *sides, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["p_heroes"] == pytest.approx(0.356971, abs=5e-7)
    assert report["p_both_fall"] == pytest.approx(0.286058, abs=5e-7)
    assert report["mean_rounds"] == pytest.approx(1.517047, abs=5e-7)


def test_the_whole_report(capsys: pytest.CaptureFixture[str]) -> None:
    sides = files(rows("A,5000", "B,3000,,,,,2,A"), rows("C,5000", "D,2000,,,,,,,C"))
    assert main(["mfd-odds", *sides, "-m", "3", "--battles", "700", "--seed", "9", "--json"]) == 0
    said = capsys.readouterr()
    report = json.loads(said.out)
    assert report["max_rounds"] == 3
    assert (report["simulation"]["battles"], report["simulation"]["seed"]) == (700, 9)
    assert [fighter["name"] for fighter in report["fighters"]] == ["A", "B", "C", "D"]
    assert "simulated, 700 battles, seed 9" in said.err
