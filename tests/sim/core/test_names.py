"""Names, numbers and errors as players type and read them: which spellings are the same, how figures are rounded."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import core as errors
from sim.core import WIDTH, Problem, RuleError, Span, TextError, columns, point_at, visible
from sim.core.names import check_name, name_key, normalize_name
from sim.core.numbers import NOISE, chance_interval, decimal_text, mean_interval, percent, probability, round_half_away
from tests.tables import kept_table


@pytest.mark.parametrize(("name", "other"), kept_table(__file__, "alike"))
def test_names_that_look_alike_are_the_same(name: str, other: str) -> None:
    assert name_key(name) == name_key(other) != name_key(f"{other}2")


@given(st.text(max_size=20))
def test_the_key_of_a_key_is_itself(text: str) -> None:
    assert name_key(name_key(text)) == name_key(text)


@pytest.mark.parametrize("name", ["Tom", "Charlie Brown", "Zoë", "❤\ufe0f Tom", "名前", "x" * 40])
def test_names_that_can_be_seen_are_fine(name: str) -> None:
    assert check_name(name, 40) is None


SURROGATE = ("\ud800", "holds an invisible or unknown character (U+D800)")


@pytest.mark.parametrize(("name", "told"), [*kept_table(__file__, "wrong"), SURROGATE])
def test_what_is_wrong_with_a_name(name: str, told: str) -> None:
    assert check_name(name, 40) == told


@pytest.mark.parametrize(("name", "kept"), kept_table(__file__, "stored"))
def test_a_stored_name_is_composed_and_has_single_blanks(name: str, kept: str) -> None:
    assert normalize_name(name) == kept


@pytest.mark.parametrize(("name", "sentence"), kept_table(__file__, "not_stored"))
def test_what_no_stored_name_may_be(name: str, sentence: str) -> None:
    with pytest.raises(RuleError, match=sentence):
        normalize_name(name)


@pytest.mark.parametrize(("value", "text"), kept_table(__file__, "decimals"))
def test_three_decimals_halves_away_from_zero(value: str, text: str) -> None:
    assert decimal_text(Fraction(value)) == text


def test_no_decimals_leave_no_point() -> None:
    assert decimal_text(Fraction(5, 2), 0) == "3"


@given(st.fractions(), st.integers(0, 6))
def test_shown_number_is_within_half_a_unit(value: Fraction, places: int) -> None:
    assert abs(Fraction(decimal_text(value, places)) - value) <= Fraction(1, 2 * 10**places)
    assert Fraction(decimal_text(value, places)) == round_half_away(value, places)


@pytest.mark.parametrize(("chance", "certain", "text"), kept_table(__file__, "unlikely"))
def test_the_merely_unlikely_is_never_nought(chance: float, certain: bool, text: str) -> None:
    assert percent(chance, certain=certain) == text.replace(" ", "\N{NO-BREAK SPACE}")


@pytest.mark.parametrize(
    ("computed", "clipped"), [(0.25, 0.25), (1 + 1e-14, 1.0), (-1e-14, 0.0), (1 + 0.9 * NOISE, 1.0), (1.0, 1.0)]
)
def test_the_rounding_of_a_probability_is_clipped(computed: float, clipped: float) -> None:
    assert probability(computed) == clipped


@pytest.mark.parametrize("wrong", [1.0000001, -0.0000001, math.inf, math.nan])
def test_what_is_off_by_more_is_a_mistake_of_ours(wrong: float) -> None:
    with pytest.raises(ArithmeticError):
        probability(wrong)


def test_the_score_interval_of_ten_in_hundred() -> None:
    """Wilson 1927, as tables of statistics print it for 10 of 100: 5.52% to 17.44%."""
    assert chance_interval(0.1, 100) == pytest.approx((0.0552, 0.1744), abs=5e-5)


def test_what_never_or_always_happened_keeps_its_end() -> None:
    low, high = chance_interval(0.0, 1000)
    assert low == 0.0
    assert 0.0 < high < 0.005
    other_low, other_high = chance_interval(1.0, 1000)
    assert other_low == pytest.approx(1 - high)
    assert other_high == 1.0


def test_a_mean_is_sure_to_two_standard_errors() -> None:
    assert mean_interval(10.0, 5.0, 100) == pytest.approx((10 - 0.98, 10 + 0.98), abs=1e-4)


texts = st.text(max_size=200)


LONG = "1 infantry, 2 tanks, 3 fighters, 4 bomberz, 5 submarines, 6 destroyers"


@pytest.mark.parametrize(
    ("text", "span", "line", "under"),
    [
        pytest.param("6 tonks vs 10 inf", Span(2, 7), "6 tonks vs 10 inf", "  ^^^^^", id="short"),
        pytest.param(LONG, Span(35, 42), "…ghters, 4 bomberz, 5 subma…", f"{'^' * 7:>18}", id="long"),
        pytest.param("6 tanks vs", Span(10, 10), "6 tanks vs", " " * 10 + "^", id="missing at the end"),
        pytest.param("９ tanks", Span(0, 1), "９ tanks", "^^", id="wide"),
    ],
)
def test_a_place_is_shown_with_carets_under_it(text: str, span: Span, line: str, under: str) -> None:
    assert point_at(text, span) == (line, under)


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
        assert visible(text)[start] == next(line[at] for at in range(len(line)) if columns(line[:at]) == before)


def test_problems_come_in_the_order_of_the_text_and_read_as_sentences() -> None:
    error = TextError("abc", (Problem(Span(2, 3), "Third."), Problem(Span(0, 1), "First.", "a tank")))
    assert str(error) == "First. Did you mean a tank? Third."


def test_an_error_without_a_problem_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="at least one fault"):
        TextError("abc", ())
