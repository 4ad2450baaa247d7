"""Battles from before the second edition of the rules: every hash of their journals is still found."""

from pathlib import Path

import pytest

from sim.core.battle import AnySystem
from sim.core.journal_file import load
from sim.core.replay import verify
from tests.sim.duel.builders import DUEL
from tests.sim.duel.test_dungeon import DUNGEON

HERE = Path(__file__).parent


@pytest.mark.parametrize(("system", "name"), [(DUEL, "duel"), (DUNGEON, "dungeon")])
def test_an_old_journal_verifies(system: AnySystem, name: str) -> None:
    journal = load((HERE / f"first_edition_{name}.jsonl").read_text())
    assert "edition" not in str(journal.head.setup)
    report = verify(system, journal)
    assert report.match, report.mismatch
    assert report.outcome == journal.outcome


def test_an_old_tale_reads_as_it_did() -> None:
    journal = load((HERE / "first_edition_duel.jsonl").read_text())
    lines = [line for row in journal.entries for line in DUEL.lines(tuple(map(DUEL.events.read, row.events)))]
    assert "\n".join([*lines, ""]) == (HERE / "first_edition_duel.txt").read_text()
