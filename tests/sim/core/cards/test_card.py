"""How wide text is, by FreeType and by the table, and what is cut off; cards as PNG and as SVG."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core import cards as m
from sim.core.cards import fonts, text
from sim.core.cards.card import Card, spread
from sim.core.cards.draw import FightCard
from sim.core.cards.figures import ICON
from sim.core.cards.fonts import advance_table
from sim.core.cards.parts import Share, headline, win_bar
from sim.core.cards.text import TableMeasure
from sim.core.cards.theme import BLUE, GROUND, HEAD, INK, NEUTRAL, ORANGE, TEXT, TILE, TITLE, TROUGH, rgb
from sim.core.cards.values import AdvanceTable, FightSide, HealthRow
from tests.sim.core.cards.looking import opened, share, texts_apart


@pytest.mark.parametrize("words", ["Attacker wins", "Zażółć", "Ωμέγα", "Война"])
def test_letters_that_the_font_has_are_kept(words: str) -> None:
    assert text.fit(words, 24, 700) == words


def test_what_no_font_has_makes_way_for_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_others", lambda: ())
    fonts._font_of.cache_clear()
    card = Card(100)
    try:
        assert [text.fit(name, 24, 700, instead="Hero 1") for name in ("漢字", "A🦊B")] == ["Hero 1", "AB"]
        headline(card, [("Ann🦊 ", INK), ("wins", INK)])
    finally:
        fonts._font_of.cache_clear()
    assert texts_apart(card) == ["Ann ", "wins"]


def test_our_fonts_have_every_letter_that_spells_a_name() -> None:
    letters = [char for char in map(chr, range(0x2000)) if char.isalnum() and text.spelled(char)]
    assert set("aŁßЖΩאغی") <= set(letters)
    assert all(fonts.draws(char, bold=bold) for bold in (False, True) for char in letters)
    assert not any(map(text.spelled, ("Ann 漢字", "ひらがな", "한글", "नाम", "𝓐𝓷𝓷")))


@pytest.mark.parametrize("room", [10, 60, 200])
def test_long_text_is_cut_to_fit(room: int) -> None:
    cut = text.fit("Kakashi of the Hidden Leaf Village", 24, room, bold=True)
    assert cut.endswith("…")
    assert text.width(cut, 24, bold=True) <= max(room, text.width("…", 24, bold=True))


def test_bold_letters_are_wider() -> None:
    assert text.width("Attacker", 24, bold=True) > text.width("Attacker", 24) > text.width("Attacker", 20)


TABLE = TableMeasure(advance_table())


@pytest.mark.parametrize("size", [22, TEXT, HEAD, TITLE])
@pytest.mark.parametrize("bold", [False, True])
def test_plain_text_is_as_wide_as_freetype_says(size: int, bold: bool) -> None:
    for words in ("Attacker wins 83.6% of the time", "AVATAR Tower To", "Most kills: Zabuza, 12", "~`{}|\\^"):
        assert TABLE.width(words, size, bold=bold) == fonts.width(words, size, bold=bold)


@pytest.mark.parametrize("words", ["6 → 2", "Zażółć gęślą jaźń", "Война и мир", "Stone × 5 – “left”…", "▶ Ωμέγα"])
def test_other_letters_are_nearly_as_wide(words: str) -> None:
    wide = fonts.width(words, TEXT, bold=True)
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


WIDE = 744 / 800


def test_the_win_bar_is_divided_by_chance() -> None:
    card = Card(160)
    win_bar(card, 84, [Share(0.7, ORANGE), Share(0.1, NEUTRAL), Share(0.2, BLUE)])
    image = opened(card.png())
    assert share(image, ORANGE, row=107) == pytest.approx(0.7 * WIDE, abs=0.01)
    assert share(image, NEUTRAL, row=107) == pytest.approx(0.1 * WIDE, abs=0.01)
    assert share(image, BLUE, row=107) == pytest.approx(0.2 * WIDE, abs=0.01)
    assert share(image, GROUND) > 0.6


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5).filter(lambda shares: sum(shares) > 0.01))
def test_parts_fill_a_bar_and_none_above_0_is_lost(shares: list[float]) -> None:
    total = sum(shares)
    placed = spread(700, [(chance / total, str(at)) for at, chance in enumerate(shares)])
    assert placed[0][0] == 0
    assert placed[-1][1] == 700
    assert all(before[1] == after[0] for before, after in pairwise(placed))
    shown = {color for start, end, color in placed if end > start}
    assert shown == {str(at) for at, chance in enumerate(shares) if chance / total > 1e-6}


def test_the_same_card_is_the_same_file() -> None:
    def drawn() -> bytes:
        card = Card(120)
        card.text(28, 58, "Round 3 → 4, 83.6%")
        return card.png()

    assert drawn() == drawn()


SVG = "{http://www.w3.org/2000/svg}"
KEPT = "\u00a0"
NAMES = ("Haku & Zabuza", "<b>Kisame</b>", "漢字 😀", "Zażółć", "a  b")


def read(card: Card) -> ET.Element:
    return ET.fromstring(card.svg())  # noqa: S314 - our own


def fight() -> Card:
    rows = tuple(HealthRow.of(name, 3 + at, 12, at) for at, name in enumerate(NAMES))
    left, right = FightSide(name="Heroes", rows=rows, chance=0.7), FightSide(name="Villains", rows=rows, chance=0.2)
    return FightCard(title="Round 3", aside="chances from here", left=left, right=right, notes=("A note",)).draw()


def test_the_svg_has_every_text_of_the_png_at_the_same_place_and_as_wide() -> None:
    card = fight()
    card.png()
    marks = [mark for mark in card.marks if isinstance(mark, m.Text)]
    texts = list(read(card).iter(f"{SVG}text"))
    assert [str(text.text).replace(KEPT, " ") for text in texts] == [mark.text for mark in marks]
    assert [(text.get("x"), text.get("y"), text.get("font-size"), text.get("textLength")) for text in texts] == [
        (str(mark.x), str(mark.y), str(mark.size), str(mark.width)) for mark in marks
    ]
    assert {text.get("font-weight") for text in texts} == {None, "700"}
    assert [(part.get("fill"), part.get("width")) for part in read(card).iter(f"{SVG}rect")].count((BLUE, "521")) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b\x1b[1m\ud800c\ufffe", "ab[1mc"),
        ("\u202eevil\u2066\u200b\u2028", "evil "),
        ("]]>&amp;<!--", "]]>&amp;<!--"),
        ("tab\there", "tab here"),
        ("  two  blanks ", "  two  blanks "),
    ],
)
def test_no_text_is_more_than_text(text: str, shown: str) -> None:
    card = Card(100, text)
    card.marks.append(m.Text(28, 58, text, 24, INK, bold=False, width=99))
    root = read(card)
    assert [str(element.text).replace(KEPT, " ") for element in root.iter(f"{SVG}text")] == [shown]
    assert [element.text for element in root.iter(f"{SVG}desc")] == [shown]


def test_spaces_that_a_browser_would_drop_are_kept() -> None:
    card = Card(100)
    card.text(28, 58, "Attacker wins  at last ")
    assert [element.text for element in read(card).iter(f"{SVG}text")] == [f"Attacker wins {KEPT}at last{KEPT}"]


def test_what_is_drawn_often_is_written_once() -> None:
    card = Card(200)
    low, high = (m.Cell(10, (m.Fill((0, 0, 10, 10), color, 0), m.Shape(0, 0, ICON, 10, INK))) for color in (TILE, BLUE))
    card.add(m.Grid(28, 40, 3, (low, high, low, high, low, low)))
    root = read(card)
    used = [(use.get("href"), use.get("x"), use.get("y")) for use in root.findall(f"{SVG}g/{SVG}use")]
    assert [place for _, *place in used] == [[str(28 + x * 10), str(40 + y * 10)] for y in (0, 1) for x in (0, 1, 2)]
    assert len({name for name, *_ in used}) == 2
    assert card.svg().count(f'fill="{BLUE}"') == 1
    assert len(card.png()) > 100


def test_holes_show_what_is_below() -> None:
    ring = m.Silhouette(10, 10, (m.oval(0, 0, 10, 10), m.hole(m.oval(3, 3, 7, 7)), m.polygon(4, 4, 6, 4, 5, 6)))
    card = Card(100)
    card.silhouette(28, 20, ring, 40, ORANGE)
    mask = read(card).find(f".//{SVG}mask")
    assert mask is not None
    assert [stroke.get("fill") for stroke in mask] == ["#fff", "#000", "#fff"]
    assert GROUND not in [element.get("fill") for element in mask.iter()]


def test_a_ring_shows_what_is_left_and_hatched_what_was_lost() -> None:
    card = Card(200)
    card.add(m.Ring((20, 20, 180, 180), 20, 0.5, 0.25, BLUE))
    image = opened(card.png())
    right, left = image.crop((100, 0, 200, 200)), image.crop((0, 0, 100, 200))
    assert share(right, BLUE) > 0.15 > share(left, BLUE) > 0.03, "clockwise from the top; a quarter is striped"
    assert share(left, TROUGH) > 0.08
    assert share(right, TROUGH) < 0.01
    arcs = [(arc.get("stroke"), arc.get("stroke-dasharray")) for arc in read(card).iter(f"{SVG}ellipse")]
    assert [dashes for _, dashes in arcs] == ["1 1", "0.25 1", "0.5 1"]
    assert [color for color, _ in arcs if not str(color).startswith("url(#")] == [TROUGH, BLUE]


def test_a_picture_is_painted_on_its_ground_and_shared() -> None:
    layers = ((m.oval(10, 10, 30, 30), ORANGE), (m.polygon(0, 35, 40, 35, 40, 40, 0, 40), BLUE))
    card, picture = Card(200), m.Picture(40, 40, TILE, layers)
    for x in (100, 300):
        card.add(m.Drawing(x, 50, picture, 100))
    image = opened(card.png())
    assert [image.getpixel(point) for point in ((150, 100), (105, 55), (150, 148), (350, 100))] == [
        rgb(color) for color in (ORANGE, TILE, BLUE, ORANGE)
    ]
    root = read(card)
    assert len(list(root.iter(f"{SVG}ellipse"))) == 1
    assert len(list(root.iter(f"{SVG}use"))) == 2
