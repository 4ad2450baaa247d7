"""Wars begun by earlier editions of the rules: every hash of their journals is still found."""

from pathlib import Path

import pytest

from sim.core.journal_file import load
from sim.core.replay import verify
from tests.sim.mad_killer_agents.builders import WAR


@pytest.mark.parametrize(
    ("file", "edition"),
    [
        pytest.param("first_edition.jsonl", 1, id="starts could be further apart; orders and a step are undone"),
        pytest.param("second_edition.jsonl", 2, id="mountains without valleys; cities are 3 tiles apart"),
    ],
)
def test_an_old_journal_verifies(file: str, edition: int) -> None:
    journal = load(Path(__file__).with_name(file).read_text())
    assert WAR.setups.read(journal.head.setup).edition == edition
    report = verify(WAR, journal)
    assert report.match, report.mismatch
    assert report.outcome == journal.outcome
