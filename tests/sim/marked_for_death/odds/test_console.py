"""`python -m sim mfd-odds`."""

import json
from pathlib import Path

import pytest

from sim.__main__ import INPUT_ERROR, main

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
