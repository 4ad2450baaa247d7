"""Texts that fit: error replies, jump lists, shortened texts; and the values of forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answers.document import jump_targets
from bot.ui.error_replies import error_text
from bot.ui.modals import form_values
from bot.ui.text import shorten, utf16_length
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


def test_few_pages_are_all_offered() -> None:
    assert jump_targets(25, 3) == list(range(25))


@given(st.integers(1, 100_000), st.data())
def test_the_jump_list_has_the_ends_the_page_and_its_neighbours(count: int, data: st.DataObject) -> None:
    current = data.draw(st.integers(0, count - 1))
    targets = jump_targets(count, current)
    assert len(targets) <= 25
    assert targets == sorted(set(targets))
    wanted = {0, count - 1, current, max(0, current - 1), min(count - 1, current + 1)}
    assert wanted <= set(targets) <= set(range(count))


@given(st.text(), st.integers(1, 50))
def test_shortened_text_fits_as_discord_counts(text: str, most: int) -> None:
    short = shorten(text, most)
    assert utf16_length(short) <= most
    assert short == text or short.endswith("…")


def test_a_forms_values_are_found_wherever_they_are_nested() -> None:
    label = {"type": 18, "component": {"type": 4, "custom_id": "battle", "value": "6 t"}}
    row = {"type": 1, "components": [{"type": 4, "custom_id": "other", "value": "x"}]}
    assert form_values({"custom_id": "m1:x", "components": [label, row]}) == {"battle": "6 t", "other": "x"}
