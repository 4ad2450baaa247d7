"""Marked for Death in the terminal."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from sim.__main__ import INPUT_ERROR, main
from sim.marked_for_death.tables import read_roster
from tests.sim.marked_for_death.builders import RIDERS
from tests.sim.marked_for_death.test_stats import RIDERS_LINES


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of the test's own, where a battle writes its files."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def riders(tmp_path: Path) -> str:
    path = tmp_path / "riders.csv"
    path.write_text(RIDERS)
    return str(path)


@pytest.fixture
def orcs(tmp_path: Path) -> str:
    path = tmp_path / "orcs.csv"
    path.write_text("Name;XP;BodyguardFor\nOrc;4000;\nElf;5000;Ork\n")
    return str(path)


def test_a_battle_is_printed_and_its_files_written(
    riders: str, orcs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "files"
    assert main(["mfd", "--heroes", riders, "--villains", orcs, "-m", "3", "--seed", "5", "--out", str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1:3] == ["The heroes:", f"  {RIDERS_LINES[0]}"]
    assert "Note: Villains: Elf guards Ork, who isn't in the file. Did you mean Orc?" in captured.err
    assert (out / "BattleLog.txt").read_text() == captured.out
    for name in ("Heroes-final.csv", "Villains-final.csv"):
        data = (out / name).read_bytes()
        assert data.startswith(b"Name,")
        assert read_roster(data).roster.fighters


def test_files_have_the_names_of_the_seed_program(
    riders: str, orcs: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "Heroes.csv").write_bytes(Path(riders).read_bytes())
    (here / "Villains.csv").write_bytes(Path(orcs).read_bytes())
    rosters = {path.name for path in here.iterdir()}
    assert main(["mfd", "-m", "1", "--out", "-"]) == 0
    assert {path.name for path in here.iterdir()} == rosters
    log = capsys.readouterr().out
    assert main(["mfd", "-m", "1"]) == 0
    written = {"BattleLog.txt", "Heroes-final.csv", "Villains-final.csv"}
    assert {path.name for path in here.iterdir()} == rosters | written
    assert (here / "BattleLog.txt").read_text() == capsys.readouterr().out == log
    assert main(["mfd", "--heroes", "Heroes-final.csv", "--villains", "Villains-final.csv", "--seed", "1"]) == 0
    assert main(["mfd-odds", "--battles", "500"]) == 0


def test_the_final_files_are_rosters_again(riders: str, orcs: str, tmp_path: Path) -> None:
    assert main(["mfd", "--heroes", riders, "--villains", orcs, "-m", "1", "--out", str(tmp_path)]) == 0
    again = [str(tmp_path / name) for name in ("Heroes-final.csv", "Villains-final.csv")]
    assert main(["mfd", "--heroes", again[0], "--villains", again[1]]) == 0


def test_no_round_at_all_shows_and_writes_the_sides(
    riders: str, orcs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "files"
    assert main(["mfd", "--heroes", riders, "--villains", orcs, "--max-rounds", "0", "--out", str(out)]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[1:5] == ["The heroes:", *(f"  {line}" for line in RIDERS_LINES)]
    assert lines[-1] == "Undecided: 3 heroes and 2 villains stand"
    assert not any(line.startswith("Round") for line in lines)
    assert "Stopped" not in captured.err
    for name, file in (("Heroes-final.csv", riders), ("Villains-final.csv", orcs)):
        assert read_roster((out / name).read_bytes()).roster == read_roster(Path(file).read_bytes()).roster
    assert (out / "BattleLog.txt").read_text() == captured.out


def test_a_side_of_which_nobody_can_fight_has_lost_before_the_first_round(
    riders: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone.csv"
    gone.write_text("Name,XP,BonusHP\nOrc,1,-5\n")
    assert main(["mfd", "--heroes", riders, "--villains", str(gone), "-m", "0"]) == 0
    assert "The heroes win: " in capsys.readouterr().out


def test_a_check_prints_the_lines(riders: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mfd-check", riders]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines() == RIDERS_LINES
    assert captured.err == "Note: Dragon's ToHit is at its cap of 99% (126% before).\n"


def test_a_check_as_json(riders: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mfd-check", riders, "--json"]) == 0
    tom = json.loads(capsys.readouterr().out)["fighters"][2]
    assert (Decimal(tom.pop("ToHit")), Decimal(tom.pop("ToDefend"))) == (Decimal("0.57"), Decimal("0.45"))
    assert tom == {
        "Name": "Tom",
        "HP": 2,
        "AOE": 1,
        "TotalXP": 7001,
        "OffenseDice": 8,
        "DefenseDice": 8,
        "BodyguardFor": "Summoner",
        "LinkedTo": "Dragon",
    }


def test_every_fault_has_its_line_with_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("Name,XP\nTom,x\n,3\n")
    sentences = ["Row 2, XP: 'x' is not a whole number.", "Row 3, Name: The name is missing."]
    assert main(["mfd-check", str(bad)]) == 2
    assert capsys.readouterr() == ("", "\n".join([*sentences, ""]))
    assert main(["mfd", "--heroes", str(bad), "--villains", str(bad)]) == 2
    sides = [f"{side}: {line}" for side in ("Heroes", "Villains") for line in sentences]
    assert capsys.readouterr() == ("", "\n".join([*sides, ""]))


def test_files_that_are_not_there_or_can_not_be_written(
    riders: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mfd-check", str(tmp_path / "none.csv")]) == 2
    assert capsys.readouterr().err == "none.csv can't be read: No such file or directory.\n"
    assert main(["mfd", "--heroes", riders, "--villains", riders, "--out", riders]) == 2
    assert "riders.csv can't be made: File exists." in capsys.readouterr().err


HEADER = "Name,XP,BonusXP,BonusHP,BonusToHit,BonusToDefend,AOE,BodyguardFor,LinkedTo\n"


def files(folder: Path, heroes: str, villains: str) -> list[str]:
    found = []
    for camp, rows in (("heroes", heroes), ("villains", villains)):
        path = folder / f"{camp}.csv"
        path.write_text(HEADER + rows, encoding="utf-8")
        found += [f"--{camp}", str(path)]
    return found


def test_odds_are_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = files(tmp_path, "Hero,5000,,-1\n", "Villain,5000,,-1\n")
    assert main(["mfd-odds", *sides]) == 0
    assert capsys.readouterr().out == (
        "Heroes win 35.7% of the time.\n"
        "Heroes 35.7%, villains 35.7%, both fall 28.6%, about 1.5 rounds.\n"
        "Hero survives 35.7% of the time.\n"
        "Villain survives 35.7% of the time.\n"
    )
    assert main(["mfd-odds", *sides, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["p_heroes"] == pytest.approx(0.356971, abs=5e-7)
    assert report["p_both_fall"] == pytest.approx(0.286058, abs=5e-7)
    assert report["mean_rounds"] == pytest.approx(1.517047, abs=5e-7)


def test_the_whole_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = files(tmp_path, "A,5000\nB,3000,,,,,2,A\n", "C,5000\nD,2000,,,,,,,C\n")
    assert main(["mfd-odds", *sides, "-m", "3", "--battles", "700", "--seed", "9", "--json"]) == 0
    said = capsys.readouterr()
    report = json.loads(said.out)
    assert report["max_rounds"] == 3
    assert (report["simulation"]["battles"], report["simulation"]["seed"]) == (700, 9)
    assert [fighter["name"] for fighter in report["fighters"]] == ["A", "B", "C", "D"]
    assert "simulated, 700 battles, seed 9" in said.err


def test_warnings_and_errors_of_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mfd-odds", *files(tmp_path, "A,5000,,,,,,Nobody\n", "C,5000\n")]) == 0
    assert "Note: Heroes: A guards Nobody, who isn't in the file." in capsys.readouterr().err
    assert main(["mfd-odds", *files(tmp_path, "A,many\n", "C,none\n")]) == INPUT_ERROR
    assert capsys.readouterr().err.splitlines() == [
        "Heroes: Row 2, XP: 'many' is not a whole number.",
        "Villains: Row 2, XP: 'none' is not a whole number.",
    ]
    assert main(["mfd-odds", "--heroes", str(tmp_path / "none.csv"), "--villains", "x"]) == INPUT_ERROR
    assert "can't be read" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--max-rounds", "--battles", "--seed"])
@pytest.mark.parametrize("value", ["-1", "x", "²", "9" * 40, "0" * 20 + "9" * 40])
def test_wrong_numbers(option: str, value: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["mfd-odds", "--heroes", "x", "--villains", "x", f"{option}={value}"])
    assert caught.value.code == INPUT_ERROR
