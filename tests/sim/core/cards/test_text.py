"""How wide text is, by FreeType and by the table, and what is cut off."""

import pytest

from sim.core.cards import fonts, text
from sim.core.cards.advances import AdvanceTable, TableMeasure
from sim.core.cards.fonts import FreeTypeMeasure, advance_table
from sim.core.cards.theme import SMALL, TEXT, TITLE


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


FREETYPE, TABLE = FreeTypeMeasure(), TableMeasure(advance_table())


@pytest.mark.parametrize("size", [SMALL, 22, TEXT, 26, 30, TITLE])
@pytest.mark.parametrize("bold", [False, True])
def test_plain_text_is_as_wide_as_freetype_says(size: int, bold: bool) -> None:
    for words in ("Attacker wins 83.6% of the time", "AVATAR Tower To", "Most kills: Zabuza, 12", "~`{}|\\^"):
        assert TABLE.width(words, size, bold=bold) == FREETYPE.width(words, size, bold=bold)


@pytest.mark.parametrize("words", ["6 → 2", "Zażółć gęślą jaźń", "Война и мир", "Stone × 5 – “left”…", "▶ Ωμέγα"])
def test_other_letters_are_nearly_as_wide(words: str) -> None:
    wide = FREETYPE.width(words, TEXT, bold=True)
    assert TABLE.width(words, TEXT, bold=True) == pytest.approx(wide, rel=0.02)


def test_letters_of_other_fonts_are_guessed() -> None:
    assert TABLE.width("漢字", TEXT, bold=False) == 2 * TEXT
    assert TABLE.width("🧿", TEXT, bold=True) == TABLE.width("漢", TEXT, bold=True) == TEXT
    assert TABLE.draws("漢", bold=True)
    assert not TABLE.draws("\U0003ffff", bold=True)


def test_the_table_survives_as_json_and_is_small() -> None:
    table = advance_table()
    written = table.model_dump_json()
    assert AdvanceTable.model_validate_json(written) == table
    assert len(written) < 80_000


def test_all_text_is_measured_with_what_the_program_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_measures", [])
    text.measure_with(TABLE)
    assert text.fit("漢字", TEXT, 700, instead="Hero 1") == "漢字"
    assert text.fit("漢字漢字", TEXT, 3 * TEXT + 1).endswith("…")
