"""Going back in a battle's journal: which steps count, where an undo leads, and the same state as before."""

import pytest

from sim.axis_allies.battle import DiceBattle, Fire, Setup
from sim.axis_allies.parse import parse_battle
from sim.core.active_steps import standing
from sim.core.errors import RuleError
from sim.core.journal_file import Record
from sim.core.outcomes import Side
from sim.core.session import Session
from sim.jobs.history import Rewind, Verify, version_before

SEED = b"history"


def play(rounds: int) -> Session:
    """Fight some rounds of a battle that is long enough."""
    armies = parse_battle("20 inf vs 20 inf")
    begun = Session(DiceBattle(), Setup(attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER]), SEED)
    for _ in range(rounds):
        begun.act(Fire(), "attacker")
    return begun


def counted(played: Session) -> list[int]:
    return [entry.version for entry in standing(played.entries)]


def test_every_step_counts_until_it_is_taken_back() -> None:
    played = play(3)
    assert counted(played) == [1, 2, 3]
    played.undo(version_before(played.entries), "attacker")
    assert counted(played) == [1, 2]
    played.undo(version_before(played.entries), "attacker")
    assert counted(played) == [1]
    played.act(Fire(), "attacker")
    assert counted(played) == [1, 6]
    played.undo(version_before(played.entries), "attacker")
    assert counted(played) == [1]
    assert version_before(played.entries) == 0
    played.undo(0, "attacker")
    with pytest.raises(RuleError, match="no step to take back"):
        version_before(played.entries)


def test_the_end_takes_nothing_back() -> None:
    played = play(1)
    played.end("attacker")
    assert counted(played) == [1]


def test_an_undo_of_an_undo_s_end_is_found_by_version() -> None:
    played = play(2)
    played.undo(0, "attacker")
    played.undo(2, "attacker")  # no player can, but a journal may
    assert counted(played) == [1, 2]


@pytest.mark.parametrize("version", range(6))
def test_rewind_leads_to_the_state_that_there_was(version: int) -> None:
    played = play(3)
    played.undo(1, "attacker")
    played.act(Fire(), "attacker")
    record = Record(played.head, tuple(played.entries[:version]), SEED, None)
    assert Rewind.of(record).run() == played.system.states.write(played._states[version])


def test_rewind_needs_the_seed() -> None:
    played = play(1)
    with pytest.raises(RuleError, match="seed is needed"):
        Rewind.of(Record(played.head, tuple(played.entries), None, None)).run()


def test_verify_says_match_or_the_first_difference() -> None:
    played = play(2)
    played.end("attacker")
    assert Verify.of(played.record()).run().match
    wrong = Record(played.head, tuple(played.entries), b"another", None)
    found = Verify.of(wrong).run()
    assert not found.match
    assert "seed" in (found.sentence or "")
    assert 0 < Verify.of(wrong).cost() <= 4
