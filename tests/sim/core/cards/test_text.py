import pytest

from sim.core.cards import fonts, text


@pytest.mark.parametrize("words", ["Attacker wins", "Zażółć", "Ωμέγα", "Война"])
def test_letters_that_the_font_has_are_kept(words: str) -> None:
    assert text.fit(words, 24, 700) == words


def test_what_no_font_has_makes_way_for_another_name() -> None:
    assert text.fit("\U0001f9ff\U000f0000"[1:], 24, 700, instead="Villain 3") == "Villain 3"
    assert text.fit("A\U000f0000B", 24, 700, instead="Villain 3") == "AB"


def test_names_in_any_script_are_drawn_or_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_others", lambda: ())
    fonts._font_of.cache_clear()
    try:
        assert text.fit("漢字", 24, 700, instead="Hero 1") == "Hero 1"
    finally:
        fonts._font_of.cache_clear()


@pytest.mark.parametrize("room", [10, 60, 200])
def test_long_text_is_cut_to_fit(room: int) -> None:
    cut = text.fit("Kakashi of the Hidden Leaf Village", 24, room, bold=True)
    assert cut.endswith("…")
    assert text.width(cut, 24, bold=True) <= max(room, text.width("…", 24, bold=True))


def test_bold_letters_are_wider() -> None:
    assert text.width("Attacker", 24, bold=True) > text.width("Attacker", 24) > text.width("Attacker", 20)
