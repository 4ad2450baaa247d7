import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core import errors
from sim.core.errors import WIDTH, Problem, Span, TextError, columns, point_at, visible

texts = st.text(max_size=200)


def test_a_short_text_is_shown_whole() -> None:
    assert point_at("6 tonks vs 10 inf", Span(2, 7)) == ("6 tonks vs 10 inf", "  ^^^^^")


def test_a_long_text_is_windowed_around_the_place() -> None:
    text = "1 infantry, 2 tanks, 3 fighters, 4 bomberz, 5 submarines, 6 destroyers"
    line, under = point_at(text, Span(35, 42))
    assert line == "…ghters, 4 bomberz, 5 subma…"
    assert line[under.index("^") : under.rindex("^") + 1] == "bomberz"


def test_no_more_of_a_long_text_is_looked_at_than_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be a file, and the caret is drawn in the bot's event loop."""
    read: list[int] = []

    def counted(text: str) -> str:
        read.append(len(text))
        return visible(text)

    monkeypatch.setattr(errors, "visible", counted)
    line, under = point_at("x" * 100_000 + "!" + "y" * 100_000, Span(100_000, 100_001))
    assert (line[under.index("^")], line[0], line[-1], len(line)) == ("!", "…", "…", WIDTH)
    assert sum(read) < 100


def test_something_missing_at_the_end_gets_a_caret_behind_it() -> None:
    assert point_at("6 tanks vs", Span(10, 10)) == ("6 tanks vs", " " * 10 + "^")


def test_wide_characters_take_two_columns() -> None:
    assert point_at("９ tanks", Span(0, 1)) == ("９ tanks", "^^")


@pytest.mark.parametrize("hostile", ["\x00", "\u202e", "\u200b", "\n", "\u2028", "\u0301", "\ud800", "`"])
def test_what_hides_or_breaks_out_is_replaced(hostile: str) -> None:
    text = visible(f"a{hostile}b")
    assert hostile not in text
    assert len(text) == 3


@given(texts, st.data())
def test_any_text_fits_the_phone_and_the_caret_stands_under_its_place(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    line, under = point_at(text, Span(start, end))
    assert columns(line) <= WIDTH
    assert columns(under) <= WIDTH
    assert under.strip(" ").strip("^") == ""
    assert "^" in under
    if end > start:
        before = columns(under) - under.count("^")
        assert visible(text)[start] == _at_column(line, before)


def _at_column(line: str, column: int) -> str:
    for at in range(len(line)):
        if columns(line[:at]) == column:
            return line[at]
    raise AssertionError(f"no character of {line!r} starts in column {column}")


def test_problems_come_in_the_order_of_the_text_and_read_as_sentences() -> None:
    error = TextError("abc", (Problem(Span(2, 3), "Third."), Problem(Span(0, 1), "First.", "a tank")))
    assert str(error) == "First. Did you mean a tank? Third."


def test_an_error_without_a_problem_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="at least one problem"):
        TextError("abc", ())
