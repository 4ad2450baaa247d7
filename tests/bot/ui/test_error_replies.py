"""Errors as players read them."""

import pytest

from bot.ui.error_replies import error_text
from sim.core.errors import Problem, RuleError, Span, TextError
from sim.csv.table import Fault, FilesError, TableError

FAULTS = [Fault(row, "XP", "'x' is not a whole number.") for row in range(2, 52)]


def test_a_single_sentence_is_the_whole_reply() -> None:
    assert error_text(RuleError("No.")) == "⚠️ No."


@pytest.mark.parametrize(("more", "total"), [(0, "50"), (126_950, "127,000")])
def test_faults_that_are_only_counted_are_told_as_a_number(more: int, total: str) -> None:
    lines = error_text(TableError(FAULTS, more)).splitlines()
    assert lines[0] == f"⚠️ **{total} problems to fix**"
    assert len(lines) == 1 + 50 + (more > 0)
    assert (lines[-1] == f"-# … and {more:,} more.") is (more > 0)


def test_faults_that_do_not_fit_are_counted_with_the_rest() -> None:
    long = [Fault(row, "XP", "x" * 200) for row in range(2, 52)]
    text = error_text(FilesError({"Heroes": TableError(long, 7), "Villains": TableError(FAULTS, 3)}))
    lines = text.splitlines()
    assert lines[0] == "⚠️ **110 problems to fix**"
    assert lines[-1] == f"-# … and {110 - (len(lines) - 2)} more."
    assert len(text) <= 4000


def test_problems_of_a_text_beyond_the_first_eight_are_a_number() -> None:
    problems = [Problem(Span(at, at + 1), "What?") for at in range(50)]
    text = error_text(TextError("?" * 100, problems, 50))
    assert text.count("What?") == 8
    assert text.endswith("-# … and 92 more.")


def test_a_lone_problem_of_a_text_may_have_a_whole_text_to_paste() -> None:
    paste = Problem(Span(0, 1), "Then paste: " + "x" * 1000)
    assert "x" * 1000 in error_text(TextError("?", [paste]))
    assert "x" * 180 not in error_text(TextError("?", [paste, paste]))
