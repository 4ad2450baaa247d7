import json

import pytest

from sim.__main__ import INPUT_ERROR, main


def test_main_figures_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aa-odds", "-a", "6 tanks", "-d", "10 inf"]) == 0
    lines = [line.split(" ", 1) for line in capsys.readouterr().out.splitlines()]
    figures = {name: json.loads(value) for name, value in lines}
    assert list(figures) == [
        "p_attacker",
        "p_defender",
        "p_tie",
        "p_none",
        "exp_rounds",
        "att_left",
        "def_left",
        "att_ipc_lost",
        "def_ipc_lost",
    ]
    assert figures["p_attacker"] == pytest.approx(0.07577759269508766)
    assert figures["def_left"]["infantry"] == pytest.approx(4.950948529624594)


def test_the_whole_report_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["-a", "2 sub", "-d", "bb (1 hit)", "--casualties", "lives-first", "--stop-after", "1", "--json"]
    assert main(["aa-odds", *arguments]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["p_none"] + report["p_attacker"] + report["p_defender"] + report["p_tie"] == pytest.approx(1)
    assert report["p_attacker"] == pytest.approx(1 - (2 / 3) ** 2)
    assert report["method"] == "exact"


def test_each_side_has_its_own_losses(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["aa-odds", "-a", "inf, tank", "-d", "2 inf", "--attacker-casualties", "order: tank, inf", "--json"]
    assert main(arguments) == 0
    left = json.loads(capsys.readouterr().out)["att_left"]
    assert left["infantry"] > left["tank"]


def test_terms_of_an_attack(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aa-odds", "-a", "4 inf, 2 ftr", "-d", "3 inf", "--retreat-below", "3", "--must-take", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["p_retreat"] > 0
    assert report["p_none"] == pytest.approx(report["p_retreat"] + report["p_not_taken"])


def test_a_simulation_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aa-odds", "-a", "300000 inf", "-d", "inf", "--seed", "7"]) == 0
    assert "simulated, 20,000 battles, seed 7" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-a", "2.5 inf", "-d", "inf"], "whole units"),
        (["-a", "2 inff", "-d", "inf"], "^^^^"),
        (["-a", "2 inf", "-d", "inf", "--casualties", "order: inf, tonk"], "Did you mean tank"),
        (["-a", "2 inf", "-d", "inf", "--retreat-below", "3"], "only 2 units"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aa-odds", *arguments]) == INPUT_ERROR
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--retreat-below", "--seed", "--stop-after"])
@pytest.mark.parametrize("value", ["-1", "x", "²", "9" * 40])
def test_wrong_numbers(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["aa-odds", "-a", "inf", "-d", "inf", f"{option}={value}"])
    assert caught.value.code == INPUT_ERROR
    assert "whole number" in capsys.readouterr().err
