"""Jobs that replay a journal come to what the battle came to, in one chunk or in many, undone steps and all."""

import pickle
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Fire, Setup
from sim.axis_allies.parse import parse_battle
from sim.core.canonical_json import canonical
from sim.core.journal import Entry, HeadRow, JournalRow, Kind
from sim.core.replay import Mismatch, MismatchKind
from sim.core.session import Session
from sim.core.values import Side
from sim.jobs.replay import MAX_ROWS, CheckChain, Checkpoint, ReplayChunk, starts

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


def stored(entries: Sequence[Entry]) -> tuple[JournalRow, ...]:
    """Return rows as the database keeps them."""
    return tuple(map(JournalRow.of, entries))


def replayed(battle: Session, rows: Sequence[JournalRow], most: int) -> Checkpoint | Mismatch:
    """Replay at most so many rows at once; jobs and checkpoints travel, as they do to workers."""
    at: Checkpoint | None = None
    while at is None or at.version < len(rows):
        job = ReplayChunk.following(HeadRow.of(battle.head), rows, SEED, at, most)
        found = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(job)).run()))
        if isinstance(found, Mismatch):
            return found
        at = found
    return at


def test_a_stored_row_reads_as_the_entry_that_it_was() -> None:
    battle = played()
    assert [row.parse() for row in stored(battle.entries)] == battle.entries
    with pytest.raises(ValueError, match="Expecting value"):
        replace(stored(battle.entries)[0], events_json="").parse()


@pytest.mark.parametrize("most", [1, 2, 3, 5, MAX_ROWS])
def test_any_chunks_lead_to_the_same_state_and_outcome(most: int) -> None:
    battle = played()
    assert replayed(battle, stored(battle.entries), most) == Checkpoint(
        version=8, steps=5, states={8: canonical(battle.system.states.write(battle.state))}, outcome=None
    )


def test_a_chunk_ends_when_its_rows_may_have_taken_long(monkeypatch: pytest.MonkeyPatch) -> None:
    battle = played()
    rows = stored(battle.entries)
    monkeypatch.setattr("sim.jobs.replay.MAX_SECONDS", 0.0)
    found = ReplayChunk.following(HeadRow.of(battle.head), rows, SEED, None).run()
    assert isinstance(found, Checkpoint)
    assert found.version == 1
    assert set(found.states) == {0, 1}, "what later rows go back to is kept"
    at_once = replayed(battle, rows, MAX_ROWS)
    monkeypatch.undo()
    assert at_once == replayed(battle, rows, MAX_ROWS)


def test_each_part_leads_to_where_the_next_one_starts() -> None:
    battle = played()
    rows = stored(battle.entries)
    states = [canonical(battle.system.states.write(state)) for state in battle._states]
    parts = starts(rows, dict(enumerate(states)))
    assert [part and part.version for part in parts] == [None, 6, 7], "row 6 goes back to version 0"
    assert [part and part.version for part in starts(rows[:4], dict(enumerate(states)))] == [None, 1]
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        end = len(rows) if after is None else after.version
        found = ReplayChunk.following(HeadRow.of(battle.head), rows[:end], SEED, part).run()
        assert isinstance(found, Checkpoint)
        assert found.state == states[end]
        assert after is None or found.steps == after.steps


@pytest.mark.parametrize("version", range(9))
def test_the_first_rows_lead_to_the_state_that_there_was(version: int) -> None:
    battle = played()
    found = replayed(battle, stored(battle.entries[:version]), MAX_ROWS)
    assert isinstance(found, Checkpoint)
    assert found.state == canonical(battle.system.states.write(battle._states[version]))


def test_the_outcome_is_that_of_the_last_row() -> None:
    battle = begun("20 inf vs 1 inf")
    while battle.outcome is None:
        battle.act(Fire(), "attacker")
    found = replayed(battle, stored(battle.entries), 1)
    assert isinstance(found, Checkpoint)
    assert found.outcome == battle.outcome


def test_a_checkpoint_keeps_only_the_states_that_later_rows_need() -> None:
    battle = played()
    found = ReplayChunk.following(HeadRow.of(battle.head), stored(battle.entries), SEED, None, 3).run()
    assert isinstance(found, Checkpoint)
    assert set(found.states) == {0, 1, 3}


@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"events_json": "[]"}, MismatchKind.EVENTS),
        ({"state_hash": "0" * 64}, MismatchKind.STATE),
        ({"action_json": "null"}, MismatchKind.ACTION),
    ],
)
def test_a_changed_row_is_found(most: int, change: dict[str, Any], kind: MismatchKind) -> None:
    battle = played()
    rows = list(stored(battle.entries))
    rows[2] = replace(rows[2], **change)
    found = replayed(battle, rows, most)
    assert isinstance(found, Mismatch)
    assert (found.row, found.kind) == (3, kind)


def test_a_setup_that_nothing_can_begin_with_is_found() -> None:
    battle = played()
    head = battle.head.model_copy(update={"setup": {}})
    found = ReplayChunk.following(HeadRow.of(head), stored(battle.entries), SEED, None, MAX_ROWS).run()
    assert isinstance(found, Mismatch)
    assert found.kind is MismatchKind.SETUP


@pytest.mark.parametrize("start", [0, 3])
def test_the_chain_is_checked_without_the_rules(start: int) -> None:
    battle = played()
    rows = stored(battle.entries)
    assert CheckChain.following(HeadRow.of(battle.head), rows, SEED, start).run() is None
    changed = [replace(row, events_json="[]") if row.kind is Kind.STEP else row for row in rows]
    found = CheckChain.following(HeadRow.of(battle.head), changed, SEED, start).run()
    assert found is not None
    assert (found.row, found.kind) == (5 if start else 1, MismatchKind.HASH)
    gap = CheckChain.following(HeadRow.of(battle.head), [*rows[:start], *rows[start + 1 :]], SEED, start).run()
    assert gap is not None
    assert (gap.row, gap.kind) == (start + 1, MismatchKind.ORDER)


def test_the_head_and_its_seed_are_checked_with_the_chain() -> None:
    battle = played()
    found = CheckChain.following(HeadRow.of(battle.head), stored(battle.entries), b"another", 0).run()
    assert found is not None
    assert found.kind is MismatchKind.SEED


def test_a_chunk_of_long_rows_has_fewer_of_them_but_never_none(monkeypatch: pytest.MonkeyPatch) -> None:
    battle = played()
    rows = stored(battle.entries)
    monkeypatch.setattr("sim.jobs.replay.MAX_TEXT", len(rows[0].action_json) + len(rows[0].events_json) + 1)
    assert ReplayChunk.following(HeadRow.of(battle.head), rows, SEED, None, MAX_ROWS).rows == rows[:2]
    monkeypatch.setattr("sim.jobs.replay.MAX_TEXT", 0)
    assert CheckChain.following(HeadRow.of(battle.head), rows, SEED, 2).rows == rows[2:3]


def test_every_chunk_is_cheap_enough_to_be_started() -> None:
    battle = played()
    rows = stored(battle.entries) * MAX_ROWS
    assert 0 < ReplayChunk.following(HeadRow.of(battle.head), rows, SEED, None, len(rows)).cost() <= 4
