"""A war from before there was a second edition of the rules: every hash of its journal is still found."""

from pathlib import Path

from sim.core.journal_file import load
from sim.core.replay import verify
from tests.sim.mad_killer_agents.builders import WAR

JOURNAL = Path(__file__).with_name("first_edition.jsonl")
"""A person, who undoes orders and a step and is away, and a marshal; their starts could be further apart."""


def test_an_old_journal_verifies() -> None:
    journal = load(JOURNAL.read_text())
    assert "edition" not in str(journal.head.setup)
    report = verify(WAR, journal)
    assert report.match, report.mismatch
    assert report.outcome == journal.outcome
