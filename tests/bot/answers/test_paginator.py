from hypothesis import given
from hypothesis import strategies as st

from bot.answers.paginator import jump_targets
from bot.ui.modals import form_values
from bot.ui.text import shorten, utf16_length


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
