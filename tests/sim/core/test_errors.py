import pickle

import pytest

from sim.core.errors import Problem, Span, TextError


def test_problems_come_in_the_order_of_the_text_and_read_as_sentences() -> None:
    error = TextError("abc", (Problem(Span(2, 3), "Third."), Problem(Span(0, 1), "First.", "a tank")))
    assert str(error) == "First. Did you mean a tank? Third."


def test_a_text_error_survives_the_way_back_from_a_worker() -> None:
    error = TextError("abc", (Problem(Span(0, 1), "First."),))
    back = pickle.loads(pickle.dumps(error))
    assert (back.text, back.problems, str(back)) == (error.text, error.problems, str(error))


def test_an_error_without_a_problem_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="at least one problem"):
        TextError("abc", ())
