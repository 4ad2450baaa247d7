"""A journal gone through stretch by stretch comes to what it comes to in one go, undone steps and all."""

import pytest

from sim.axis_allies.battle import DiceBattle, Fire, Setup
from sim.axis_allies.parse import parse_battle
from sim.core.errors import RuleError
from sim.core.journal_file import Record, dump_lines
from sim.core.outcomes import Side
from sim.core.session import Session
from sim.jobs.history import Verified, Verify
from sim.jobs.stretches import Seals, Stop, Stretch, compared, rows_left

SEED = b"stretches"


def played() -> Session:
    """Fight, take back, fight on, take back further, and end it."""
    armies = parse_battle("20 inf vs 20 inf")
    battle = Session(DiceBattle(), Setup(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER]), SEED)
    for _ in range(3):
        battle.act(Fire(), "attacker")
    battle.undo(1, "attacker")
    battle.act(Fire(), "attacker")
    battle.undo(0, "attacker")
    battle.act(Fire(), "attacker")
    battle.end("attacker")
    return battle


def lines_of(record: Record) -> tuple[str, ...]:
    return tuple(dump_lines(record.head, record.entries, record.seed, record.outcome))[1:-1]


def walked(record: Record, rows: int) -> Stop | Verified:
    stop: Stop | None = None
    while stop is None or rows_left(record, stop):
        found = Stretch.of(record, lines_of(record), stop, rows).run()
        if isinstance(found, Verified):
            return found
        stop = Stop.model_validate_json(found.model_dump_json())
    return stop


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 100])
def test_any_stretches_lead_to_the_same_state_and_outcome(rows: int) -> None:
    battle = played()
    record = battle.record()
    stop = walked(record, rows)
    assert isinstance(stop, Stop)
    assert stop.state == battle.system.states.write(battle.state)
    assert compared(stop, record) == Verify.of(record).run()
    assert compared(stop, record).match


@pytest.mark.parametrize("rows", [1, 4])
def test_a_row_that_tells_of_other_events_is_found(rows: int) -> None:
    record = played().record()
    other = record.entries[2].model_copy(update={"events": ()})
    wrong = Record(record.head, (*record.entries[:2], other, *record.entries[3:]), record.seed, record.outcome)
    found = walked(wrong, rows)
    assert isinstance(found, Verified)
    assert (found.row, found.match) == (3, False)


def test_the_seals_are_checked_apart_from_the_rules() -> None:
    record = played().record()
    assert Seals(head=record.head, rows=lines_of(record), seed=SEED).run().match
    assert "seed" in (Seals(head=record.head, rows=lines_of(record), seed=b"another").run().sentence or "")
    gap = Seals(head=record.head, rows=lines_of(record)[1:], seed=SEED).run()
    assert (gap.row, gap.match) == (1, False)


def test_another_outcome_is_no_match() -> None:
    armies = parse_battle("20 inf vs 1 inf")
    battle = Session(DiceBattle(), Setup(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER]), SEED)
    while battle.outcome is None:
        battle.act(Fire(), "attacker")
    battle.end("attacker")
    record = battle.record()
    stop = walked(record, 1)
    assert isinstance(stop, Stop)
    assert compared(stop, record).match
    assert not compared(stop, Record(record.head, record.entries, record.seed, None)).match


def test_a_stretch_needs_the_seed_and_costs_little_enough_to_be_started() -> None:
    record = played().record()
    with pytest.raises(RuleError, match="seed is needed"):
        Stretch.of(Record(record.head, record.entries, None, None), (), None, 1)
    assert 0 < Stretch.of(record, lines_of(record), None, 100).cost() <= 4
