"""Cards as PNG and as SVG."""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.cards.card import Card, spread
from sim.core.cards.draw import draw_fight
from sim.core.cards.marks import Cell, Fill, Grid, Shape, Text
from sim.core.cards.parts import Share, win_bar
from sim.core.cards.theme import BLUE, GROUND, INK, NEUTRAL, ORANGE, TILE
from sim.core.cards.values import FightCard, FightSide, HealthRow
from sim.core.silhouettes import ICON, Silhouette, hole, oval, polygon
from tests.sim.core.cards.looking import opened, share

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
    return draw_fight(FightCard(title="Round 3", aside="chances from here", left=left, right=right, notes=("A note",)))


def test_the_svg_has_every_text_of_the_png_at_the_same_place_and_as_wide() -> None:
    card = fight()
    card.png()
    marks = [mark for mark in card.marks if isinstance(mark, Text)]
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
    card.marks.append(Text(28, 58, text, 24, INK, bold=False, width=99))
    root = read(card)
    assert [str(element.text).replace(KEPT, " ") for element in root.iter(f"{SVG}text")] == [shown]
    assert [element.text for element in root.iter(f"{SVG}desc")] == [shown]


def test_spaces_that_a_browser_would_drop_are_kept() -> None:
    card = Card(100)
    card.sentence(28, 58, [("Attacker ", ORANGE), ("wins  at last", INK)])
    assert [element.text for element in read(card).iter(f"{SVG}text")] == [f"Attacker{KEPT}", f"wins {KEPT}at last"]


def test_ids_are_told_apart_by_the_cards_on_a_page() -> None:
    card = fight()
    ids = {prefix: set(re.findall(r' id="([^"]*)"', card.svg(prefix))) for prefix in ("row1", "row2")}
    assert len(ids["row1"]) > 2
    assert not ids["row1"] & ids["row2"]
    assert set(re.findall(r"#(row1-[\w-]+)", card.svg("row1"))) <= ids["row1"]


def test_what_is_drawn_often_is_written_once() -> None:
    card = Card(200)
    low, high = (Cell(10, (Fill((0, 0, 10, 10), color, 0), Shape(0, 0, ICON, 10, INK))) for color in (TILE, BLUE))
    card.grid(28, 40, 3, [low, high, low, high, low, low])
    root = read(card)
    used = [(use.get("href"), use.get("x"), use.get("y")) for use in root.findall(f"{SVG}use")]
    assert [place for _, *place in used] == [[str(28 + x * 10), str(40 + y * 10)] for y in (0, 1) for x in (0, 1, 2)]
    assert len({name for name, *_ in used}) == 2
    assert card.svg().count(f'fill="{BLUE}"') == 1
    assert isinstance(card.marks[0], Grid)
    assert len(card.png()) > 100


def test_holes_show_what_is_below() -> None:
    ring = Silhouette(10, 10, (oval(0, 0, 10, 10), hole(oval(3, 3, 7, 7)), polygon(4, 4, 6, 4, 5, 6)))
    card = Card(100)
    card.silhouette(28, 20, ring, 40, ORANGE)
    mask = read(card).find(f".//{SVG}mask")
    assert mask is not None
    assert [stroke.get("fill") for stroke in mask] == ["#fff", "#000", "#fff"]
    assert GROUND not in [element.get("fill") for element in mask.iter()]
