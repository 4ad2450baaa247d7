"""Colors that everybody can tell apart and read, and the sizes of all text on the cards of all games."""

from collections.abc import Iterable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.core.cards import png
from sim.core.cards.marks import Grid, Mark, Text
from sim.core.cards.theme import HEAD, INKS, NEIGHBORS, TEXT, TITLE, Color, rgb
from tests.bench.cards import drawings

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


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("pair", NEIGHBORS)
def test_neighbors_are_told_apart(pair: tuple[str, str], sight: str) -> None:
    one, other = (lab(color, SIGHT[sight]) for color in pair)
    assert np.linalg.norm(one - other) >= 20, "CIE76"


@pytest.mark.parametrize("pair", INKS)
def test_text_stands_out(pair: tuple[str, str]) -> None:
    dark, bright = sorted(float(XYZ[1] @ light(color)) for color in pair)
    assert (bright + 0.05) / (dark + 0.05) >= 4.5


def texts(marks: Iterable[Mark]) -> Iterator[Text]:
    for mark in marks:
        if isinstance(mark, Text):
            yield mark
        elif isinstance(mark, Grid):
            yield from texts(inner for cell in mark.cells for inner in cell.marks)


def test_all_text_of_all_games_has_one_of_three_sizes_and_stays_on_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Text] = []

    def paint(_height: int, marks: Iterable[Mark], _colors: tuple[Color, ...], _level: int) -> bytes:
        seen.extend(texts(marks))
        return b""

    monkeypatch.setattr(png, "paint", paint)
    for _, draw in drawings():
        draw()
    assert {mark.size for mark in seen} == {TITLE, HEAD, TEXT} == {64, 44, 36}
    assert [mark.text for mark in seen if mark.x < 0 or mark.x + mark.width > 800] == []
