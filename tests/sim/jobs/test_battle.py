"""Battles in the terminal and as jobs, their journals replayed from checkpoint to checkpoint."""

import json
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sim.axis_allies.battle import Fire, Setup
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.parse import parse_army
from sim.core import RuleError
from sim.core.battle import IllegalActionError
from sim.core.journal import JournalRow, Kind, Mismatch
from sim.core.journal_file import load
from sim.core.replay import Session
from sim.core.values import Side, canonical
from sim.jobs.battle import MAX_ROWS, Begin, CheckChain, Checkpoint, ReplayChunk, starts
from sim.workers.queue import CostError
from tests.conformance.example import job_of
from tests.sim.axis_allies.builders import parse_battle
from tests.sim.conftest import Terminal, printed

BATTLE = ["aa-battle", "-a", "3 inf, 1 tank", "-d", "2 inf", "--seed", "5"]
WON = "the attacker wins: one side is gone (after 2 rounds)"


@pytest.fixture
def journal(tmp_path: Path, terminal: Terminal) -> Path:
    path = tmp_path / "battle.jsonl"
    terminal(*BATTLE, "--out", str(path))
    return path


def test_a_noted_hash_is_compared(journal: Path, terminal: Terminal) -> None:
    last = load(journal.read_text()).entries[-1].hash
    for noted in (last, last[:12], last.upper()):
        told = terminal("verify", "--hash", noted, str(journal)).out
        assert told == f"match\n{WON}\nthe final fingerprint is the one that was noted\n"
    other = terminal("verify", str(journal), "--hash", "0" * 12, status=1).out
    assert other == f"The final fingerprint is {last}, not the one that was noted.\n"
    assert "A hash has 64 digits" in terminal("verify", "--hash", last[:11], str(journal), status=2).err


def test_a_battle_with_terms_matches_and_nobody_may_have_won(tmp_path: Path, terminal: Terminal) -> None:
    path = str(tmp_path / "battle.jsonl")
    terminal(*BATTLE, "--out", path, "--retreat-after", "1", "--defender-casualties", "smart")
    assert terminal("verify", path).out == "match\nnobody wins: the attacker retreated (after 1 round)\n"


@pytest.mark.parametrize(
    ("old", "new", "status", "message"),
    [
        ('"do":"run-out"', '"do":"fire"', 1, "Row 1 was changed: its hash doesn't fit.\n"),
        ('"actor":null', '"actor":"ben"', 1, "Row 1 names who acted."),
        ("{", "[", 2, "Line 1: it isn't JSON"),
        ("aa-battle", "chess", 2, "There are no battles of the system 'chess'."),
        ("aa-battle", "ää", 2, "byte "),
    ],
)
def test_a_changed_journal_has_status_1_and_what_is_none_has_2(
    old: str, new: str, status: int, message: str, journal: Path, terminal: Terminal
) -> None:
    journal.write_text(journal.read_text().replace(old, new, 1), encoding="utf-8")
    told = terminal("verify", str(journal), status=status)
    assert message in (told.out if status == 1 else told.err)


def test_a_file_that_is_not_there_has_status_2(tmp_path: Path, terminal: Terminal) -> None:
    assert "can't be read: No such file" in terminal("verify", str(tmp_path / "none"), status=2).err
    assert "can't be written: Is a directory" in terminal(*BATTLE, "--out", str(tmp_path), status=2).err


def test_a_number_of_a_few_letters_cannot_take_all_memory(journal: Path, terminal: Terminal) -> None:
    """A hostile journal: the head is sealed as it should be, but its army has 1e999999999 tanks."""
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    lines[0]["head"]["setup"]["attacker"]["groups"][0]["count"] = "1e999999999"
    lines[1:-1] = []
    lines[-1]["closing"]["rows"] = 0
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "a count is written in plain digits" in terminal("verify", str(journal), status=1).out


START = Setup(attacker=parse_army("2 tanks"), defender=parse_army("2 inf"))


def test_a_step_that_is_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = DiceBattle()
    monkeypatch.setattr(DiceBattle, "cost", lambda *_: 5.5)
    with pytest.raises(CostError, match="would take about"):
        job_of(rules, rules.begin(START), Fire(), "attacker", b"", 1).run()


def test_jobs_refuse_what_the_rules_refuse() -> None:
    rules = DiceBattle()
    with pytest.raises(RuleError, match="no battles of the system"):
        Begin(system="chess", setup_json="{}").run()
    with pytest.raises(RuleError, match="attacker: Field required"):
        Begin(system="aa-battle", setup_json="{}").run()
    with pytest.raises(IllegalActionError, match="Only the attacker or the referee"):
        job_of(rules, rules.begin(START), Fire(), "defender", b"", 1).run()


@pytest.mark.process
def test_battles_and_questions_need_no_heavy_library() -> None:
    """The process that talks to Discord shows battles, and asks for cards and wars, without what only workers need."""
    program = (
        "import importlib, sys; from sim.jobs import games, systems; assert systems();"
        "found = [name for game in games() for name in (*game.rules.preload, game.rules.cards) if name];"
        "[importlib.import_module(name) for name in found];"
        "import sim.jobs.warm_up, sim.mad_killer_agents.simulate;"
        "print({'numpy', 'numba', 'PIL'} & {*sys.modules})"
    )
    assert printed(program) == "set()\n"


SEED = b"replays"


def begun(setup: str = "20 inf vs 20 inf") -> Session:
    armies = parse_battle(setup)
    return Session(DiceBattle(), Setup(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER]), SEED)


def played() -> Session:
    """Fight, take back, fight on, take back further, and end it."""
    battle = begun()
    for _ in range(3):
        battle.act(Fire(), "attacker")
    battle.undo(1, "attacker")
    battle.act(Fire(), "attacker")
    battle.undo(0, "attacker")
    battle.act(Fire(), "attacker")
    battle.end("attacker")
    return battle


def replayed(battle: Session, rows: Sequence[JournalRow], most: int) -> Checkpoint | Mismatch:
    """Replay at most so many rows at once; jobs and checkpoints travel, as they do to workers."""
    at: Checkpoint | Mismatch | None = None
    while at is None or (isinstance(at, Checkpoint) and at.version < len(rows)):
        job = ReplayChunk.following(battle.head, rows, SEED, at, most)
        at = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(job)).run()))
    return at


def reached(found: Checkpoint | Mismatch) -> Checkpoint:
    """Return the checkpoint of rows that match."""
    assert isinstance(found, Checkpoint)
    return found


def check_flaw(found: Checkpoint | Mismatch | None, row: int | None, said: str) -> None:
    """Check the row of what doesn't match, and what is said of it."""
    assert isinstance(found, Mismatch)
    assert found.row == row
    assert said in found.sentence


@pytest.mark.parametrize("most", [1, 2, 3, 5, MAX_ROWS])
def test_any_chunks_lead_to_the_same_state_and_outcome(most: int) -> None:
    battle = played()
    assert replayed(battle, tuple(battle.entries), most) == Checkpoint(
        version=8, steps=5, states={8: canonical(battle.system.states.write(battle.state))}, outcome=None
    )


def test_a_chunk_ends_when_its_rows_may_have_taken_long(monkeypatch: pytest.MonkeyPatch) -> None:
    battle = played()
    rows = tuple(battle.entries)
    monkeypatch.setattr("sim.jobs.battle.MAX_SECONDS", 0.0)
    found = reached(ReplayChunk.following(battle.head, rows, SEED, None).run())
    assert found.version == 1
    assert set(found.states) == {0, 1}, "what later rows go back to is kept"
    at_once = replayed(battle, rows, MAX_ROWS)
    monkeypatch.undo()
    assert at_once == replayed(battle, rows, MAX_ROWS)


def test_each_part_leads_to_where_the_next_one_starts() -> None:
    battle = played()
    rows = tuple(battle.entries)
    states = [canonical(battle.system.states.write(state)) for state in battle._states]
    assert replayed(battle, [], 1) == Checkpoint(0, 0, {0: states[0]}, None)
    parts = starts(rows, dict(enumerate(states)))
    assert [part and part.version for part in parts] == [None, 6, 7], "row 6 goes back to version 0"
    assert [part and part.version for part in starts(rows[:4], dict(enumerate(states)))] == [None, 1]
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        end = len(rows) if after is None else after.version
        found = reached(ReplayChunk.following(battle.head, rows[:end], SEED, part).run())
        assert found.state == states[end]
        assert after is None or found.steps == after.steps


def test_the_outcome_is_that_of_the_last_row() -> None:
    battle = begun("20 inf vs 1 inf")
    while battle.outcome is None:
        battle.act(Fire(), "attacker")
    assert reached(replayed(battle, tuple(battle.entries), 1)).outcome == battle.outcome


def test_a_checkpoint_keeps_only_the_states_that_later_rows_need() -> None:
    battle = played()
    found = ReplayChunk.following(battle.head, tuple(battle.entries), SEED, None, 3).run()
    assert set(reached(found).states) == {0, 1, 3}


@pytest.mark.parametrize("most", [1, 4])
def test_what_a_replay_does_not_come_to_is_found(most: int) -> None:
    """In any chunk; all that may be wrong stands in tests/sim/core/test_replay.py."""
    battle = played()
    rows = list(battle.entries)
    rows[2] = replace(rows[2], events_json="[]")
    check_flaw(replayed(battle, rows, most), 3, "has other events")
    head = replace(battle.head, setup_json="{}")
    check_flaw(ReplayChunk.following(head, rows, SEED, None, most).run(), None, "can't have begun like this")


@pytest.mark.parametrize("start", [0, 3])
def test_the_chain_is_checked_without_the_rules(start: int) -> None:
    battle = played()
    rows = tuple(battle.entries)
    assert CheckChain.following(battle.head, rows, SEED, start).run() is None
    changed = [replace(row, events_json="[]") if row.kind is Kind.STEP else row for row in rows]
    found = CheckChain.following(battle.head, changed, SEED, start).run()
    check_flaw(found, 5 if start else 1, "its hash doesn't fit")
    gap = CheckChain.following(battle.head, [*rows[:start], *rows[start + 1 :]], SEED, start).run()
    check_flaw(gap, start + 1, "bears the number")
    other = CheckChain.following(battle.head, rows, b"another seed", start).run()
    check_flaw(other, None, "The seed is not the one")


def test_a_chunk_of_long_rows_has_fewer_of_them_but_never_none(monkeypatch: pytest.MonkeyPatch) -> None:
    battle = played()
    rows = tuple(battle.entries)
    monkeypatch.setattr("sim.jobs.battle.MAX_TEXT", len(rows[0].action_json) + len(rows[0].events_json) + 1)
    assert ReplayChunk.following(battle.head, rows, SEED, None, MAX_ROWS).rows == rows[:2]
    monkeypatch.setattr("sim.jobs.battle.MAX_TEXT", 0)
    assert CheckChain.following(battle.head, rows, SEED, 2).rows == rows[2:3]


def test_every_chunk_is_cheap_enough_to_be_started() -> None:
    battle = played()
    rows = tuple(battle.entries) * MAX_ROWS
    assert 0 < ReplayChunk.following(battle.head, rows, SEED, None, len(rows)).cost() <= 4
