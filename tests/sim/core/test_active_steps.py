"""Which steps of a journal are active, and where an undo leads."""

import pytest

from sim.core.errors import RuleError
from sim.core.journal import active_steps, version_before
from sim.core.session import Session
from tests.sim.core.coins import Coins, Table, Toss


def play(tosses: int) -> Session:
    session = Session(Coins(), Table(), b"steps")
    for _ in range(tosses):
        session.act(Toss(), "player")
    return session


def active(session: Session) -> list[int]:
    return [entry.version for entry in active_steps(session.entries)]


def test_every_step_is_active_until_it_is_taken_back() -> None:
    session = play(3)
    assert active(session) == [1, 2, 3]
    session.undo(version_before(session.entries), "player")
    assert active(session) == [1, 2]
    session.undo(version_before(session.entries), "player")
    assert active(session) == [1]
    session.act(Toss(), "player")
    assert active(session) == [1, 6]
    session.undo(version_before(session.entries), "player")
    assert active(session) == [1]
    assert version_before(session.entries) == 0
    session.undo(0, "player")
    with pytest.raises(RuleError, match="no step to take back"):
        version_before(session.entries)


def test_the_end_takes_nothing_back() -> None:
    session = play(1)
    session.end("player")
    assert active(session) == [1]


def test_an_undo_of_an_undo_is_found_by_version() -> None:
    session = play(2)
    session.undo(0, "player")
    session.undo(2, "player")  # no player can, but a journal may
    assert active(session) == [1, 2]
