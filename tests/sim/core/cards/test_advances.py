import pytest

from sim.core.cards import text
from sim.core.cards.fonts import FreeTypeMeasure, advance_table
from sim.core.cards.text import AdvanceTable, TableMeasure
from sim.core.cards.theme import SMALL, TEXT, TITLE

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
