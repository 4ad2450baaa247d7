"""Colors that everybody can tell apart and read, and the sizes of all text on the cards of all games."""

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from sim.core.cards import Grid, Mark, Text
from sim.core.cards.people import CREST_COLORS
from sim.core.cards.theme import BLUE, GROUND, HEAD, INK, NEUTRAL, ORANGE, TEXT, TILE, TITLE, TROUGH, hexed, rgb
from tests.bench.cards import MOST_KB, drawings

Vector = NDArray[np.float64]

SIGHT = {
    "all colors": np.eye(3),
    # Machado, Oliveira and Fernandes 2009, severity 1.0; of linear light.
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]])


def light(color: str) -> Vector:
    """Return the linear light of a color."""
    shares = np.array(rgb(color)) / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def lab(color: str, sight: Vector) -> Vector:
    """Return a color as it is seen, in CIELAB."""
    x, y, z = (XYZ @ np.clip(sight @ light(color), 0, 1)) / XYZ.sum(axis=1)
    a, b, c = (np.cbrt(value) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116 for value in (x, y, z))
    return np.array([116 * b - 16, 500 * (a - b), 200 * (b - c)])


TOUCHING = (
    (ORANGE, BLUE),
    *((side, other) for side in (ORANGE, BLUE) for other in (NEUTRAL, TROUGH, GROUND, TILE)),
    *((NEUTRAL, TROUGH), (NEUTRAL, GROUND), (TROUGH, GROUND), (INK, TROUGH), (INK, NEUTRAL)),
    *combinations([GROUND, *(ink for ink, _ in CREST_COLORS.values())], 2),
)
"""Colors side by side in bars and marks; and those that people choose."""


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("pair", TOUCHING)
def test_neighbors_are_told_apart(pair: tuple[str, str], sight: str) -> None:
    one, other = (lab(color, SIGHT[sight]) for color in pair)
    assert np.linalg.norm(one - other) >= 20, "CIE76"


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colors by WCAG, 1 to 21."""
    dark, bright = sorted(float(XYZ[1] @ light(color)) for color in (one, other))
    return (bright + 0.05) / (dark + 0.05)


@dataclass
class Drawn:
    """A finished card with its texts, each as it stands on the card."""

    name: str
    data: bytes
    texts: list[Text]

    def ground(self, text: Text) -> str:
        """Return the color that most of a text stands on."""
        image = Image.open(io.BytesIO(self.data)).convert("RGB")
        box = (max(0, text.x), text.y - round(0.75 * text.size), text.x + text.width, text.y)
        found: Any = image.crop(box).getcolors(text.width * text.size)
        return hexed(max((count, color) for count, color in found if color != rgb(text.color))[1])


def texts(marks: Iterable[Mark], left: int = 0, top: int = 0) -> Iterator[Text]:
    for mark in marks:
        if isinstance(mark, Text):
            yield mark._replace(x=mark.x + left, y=mark.y + top)
        elif isinstance(mark, Grid):
            for number, cell in enumerate(mark.cells):
                row, column = divmod(number, mark.columns)
                yield from texts(cell.marks, mark.x + column * cell.size, mark.y + row * cell.size)


@pytest.fixture(scope="module")
def cards() -> list[Drawn]:
    """Draw all kinds of cards of all games, battles of every registered game among them."""
    drawn = ((name, draw()) for name, draw in drawings())
    return [Drawn(name, card.png(), [*texts(card.marks)]) for name, card in drawn]


def test_all_text_has_one_of_three_sizes_and_stays_on_the_card(cards: list[Drawn]) -> None:
    seen = [text for card in cards for text in card.texts]
    assert {text.size for text in seen} == {TITLE, HEAD, TEXT} == {64, 44, 36}
    assert [text.text for text in seen if text.x < 0 or text.x + text.width > 800] == []


def test_all_text_stands_out_where_it_stands(cards: list[Drawn]) -> None:
    dim = {
        (card.name, text.text, text.color, ground)
        for card in cards
        for text in card.texts
        if text.text.strip() and contrast(text.color, ground := card.ground(text)) < 4.5
    }
    assert dim == set()


def test_attackers_are_orange_and_defenders_blue(cards: list[Drawn]) -> None:
    wrong = {
        (card.name, text.text)
        for card in cards
        for color, words in ((BLUE, "attack|villain|monster"), (ORANGE, "defend|hero"))
        for text in card.texts
        if text.color == color and re.search(words, text.text, re.IGNORECASE)
    }
    assert wrong == set()


def test_cards_are_light(cards: list[Drawn]) -> None:
    assert [card.name for card in cards if len(card.data) > MOST_KB * 1024] == []
