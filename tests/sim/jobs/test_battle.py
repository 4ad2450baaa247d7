"""Battles in the terminal, their journals, and the jobs that a worker does."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from sim.__main__ import main
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Fire, Setup
from sim.axis_allies.parse import parse_army
from sim.core.battle import IllegalActionError
from sim.core.canonical_json import canonical, digest
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.journal_file import load
from sim.jobs.battle import Advance, Begin
from sim.jobs.discovery import system, systems
from sim.workers import CostError

BATTLE = ["aa-battle", "-a", "3 inf, 1 tank", "-d", "2 inf"]


@pytest.fixture
def journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "battle.jsonl"
    assert main([*BATTLE, "--seed", "5", "--out", str(path)]) == 0
    capsys.readouterr()
    return path


def test_a_battle_is_fought_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BATTLE, "--seed", "5"]) == 0
    output = capsys.readouterr().out.splitlines()
    assert output[:2] == [
        "Round 1: 3 infantry, 1 tank against 2 infantry",
        "  The attacker fires: 3 infantry at 1 ⚂⚁⚁; 1 tank at 3 ⚀. 1 hit.",
    ]
    assert output[-1] == "The attacker wins after 2 rounds, with 2 infantry, 1 tank left."


def test_the_same_seed_gives_the_same_battle(capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for seed in ("1", "1", "2"):
        main([*BATTLE, "--seed", seed])
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != texts[2]


def test_its_journal_matches(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(journal)]) == 0
    assert capsys.readouterr().out == "match\nthe attacker wins: one side is gone (after 2 rounds)\n"


def test_a_noted_hash_is_compared(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = load(journal.read_text()).entries[-1].hash
    for noted in (last, last[:12], last.upper()):
        assert main(["verify", "--hash", noted, str(journal)]) == 0
        assert capsys.readouterr().out.splitlines()[::2] == ["match", "the last row's hash is the one that was noted"]
    assert main(["verify", str(journal), "--hash", "0" * 12]) == 1
    assert capsys.readouterr().out == f"The last row's hash is {last}, not the one that was noted.\n"
    assert main(["verify", "--hash", last[:11], str(journal)]) == 2
    assert "A hash has 64 digits" in capsys.readouterr().err


def test_a_file_that_names_who_acted_was_changed(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal.write_text(journal.read_text().replace('"actor":null', '"actor":"ben"', 1))
    assert main(["verify", str(journal)]) == 1
    assert capsys.readouterr().out.startswith("Row 1 names who acted.")


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [
        (["--retreat-after", "1"], "nobody wins: the attacker retreated (after 1 round)"),
        (["--casualties", "order: tank, inf", "--defender-casualties", "smart"], "the attacker wins: one side is gone"),
    ],
)
def test_battles_with_terms_match(
    arguments: list[str], outcome: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "battle.jsonl")
    assert main([*BATTLE, "--seed", "5", "--out", path, *arguments]) == 0
    capsys.readouterr()
    assert main(["verify", path]) == 0
    assert capsys.readouterr().out.startswith(f"match\n{outcome}")


def test_a_battle_without_a_shot_is_told_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "battle.jsonl")
    assert main(["aa-battle", "-a", "1 transport", "-d", "1 transport", "--out", path]) == 0
    line = "nobody wins: neither side can hit the other (after 0 rounds)\n"
    assert capsys.readouterr().out == line
    assert main(["verify", path]) == 0
    assert capsys.readouterr().out == f"match\n{line}"


def test_a_changed_journal_is_told_with_status_1(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal.write_text(journal.read_text().replace('"do":"run-out"', '"do":"fire"'))
    assert main(["verify", str(journal)]) == 1
    assert capsys.readouterr().out == "Row 1 was changed: its hash doesn't fit.\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{", "[", "Line 1: it is no JSON"),
        ("aa-battle", "chess", "There are no battles of the system 'chess'."),
        ("aa-battle", "ää", "byte "),
    ],
)
def test_a_file_that_is_no_journal_has_status_2(
    old: str, new: str, message: str, journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal.write_text(journal.read_text().replace(old, new, 1), encoding="utf-8")
    assert main(["verify", str(journal)]) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_is_not_there_has_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "none")]) == 2
    assert "can't be read: No such file" in capsys.readouterr().err
    assert main([*BATTLE, "--out", str(tmp_path)]) == 2
    assert "can't be written: Is a directory" in capsys.readouterr().err


def test_a_number_of_a_few_letters_cannot_take_all_memory(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hostile journal: the head is sealed as it should be, but its army has 1e999999999 tanks."""
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    lines[0]["head"]["setup"]["attacker"]["groups"][0]["count"] = "1e999999999"
    lines[1:-1] = []
    lines[-1]["closing"]["rows"] = 0
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["verify", str(journal)]) == 1
    assert "a count is written in plain digits" in capsys.readouterr().out


def test_wrong_armies_have_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aa-battle", "-a", "501 inf", "-d", "1 inf"]) == 2
    assert "at most 500 fight live" in capsys.readouterr().err
    assert main(["aa-battle", "-a", "1 tnak", "-d", "1 inf"]) == 2
    assert "Did you mean tank?" in capsys.readouterr().err


START = Setup(attacker=parse_army("2 tanks"), defender=parse_army("2 inf"))


def test_jobs_do_what_the_system_does() -> None:
    rules = DiceBattle()
    start = pickle.loads(pickle.dumps(Begin(system="aa-battle", setup_json=rules.setups.write_json(START)))).run()
    state = rules.begin(START)
    assert (start.setup_json, start.state_json, start.outcome) == (
        canonical(rules.setups.write(START)),
        canonical(rules.states.write(state)),
        None,
    )
    job = pickle.loads(pickle.dumps(Advance.of(rules, state, Fire(), "attacker", b"seed", 3)))
    step = rules.apply(state, Fire(), "attacker", SeededDice(b"seed", 3))
    result = pickle.loads(pickle.dumps(job.run()))
    assert result.action_json == canonical(rules.actions.write(Fire()))
    assert result.state_json == canonical(rules.states.write(step.state))
    assert result.state_hash == digest(rules.states.write(step.state))
    assert result.events_json == canonical([rules.events.write(event) for event in step.events])
    assert result.outcome == rules.outcome(step.state)


def test_the_cost_of_a_step_is_estimated_from_the_size_of_its_state_alone() -> None:
    jobs = [
        Advance(system="aa-battle", state_json=text, action_json="[", seat="attacker", seed=b"", step=1)
        for text in ("{", "{" * 1000, "{" * 200_000)
    ]
    small, medium, large = (job.cost() for job in jobs)
    assert 0 < small < medium < large < 1


def test_a_step_that_is_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = DiceBattle()
    monkeypatch.setattr(DiceBattle, "cost", lambda *_: 5.5)
    with pytest.raises(CostError, match="would take about"):
        Advance.of(rules, rules.begin(START), Fire(), "attacker", b"", 1).run()


def test_jobs_refuse_what_the_rules_refuse() -> None:
    rules = DiceBattle()
    with pytest.raises(RuleError, match="no battles of the system"):
        Begin(system="chess", setup_json="{}").run()
    with pytest.raises(RuleError, match="attacker: Field required"):
        Begin(system="aa-battle", setup_json="{}").run()
    with pytest.raises(IllegalActionError, match="Only the attacker or the referee"):
        Advance.of(rules, rules.begin(START), Fire(), "defender", b"", 1).run()


def test_systems_are_found_by_their_own_names() -> None:
    assert {name: system(name).name for name in systems()} == {name: name for name in systems()}


@pytest.mark.process
def test_battles_need_no_heavy_library() -> None:
    """The process that talks to Discord can show a battle without loading what only odds need."""
    program = (
        "import importlib, sys; from sim.jobs.discovery import games, systems; assert systems();"
        "[importlib.import_module(name) for game in games() for name in game.rules.preload];"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'numba')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
