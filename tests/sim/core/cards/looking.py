"""Looks at finished cards: their size, and how much of them, or of a line of points, is painted in a color."""

import io
from itertools import combinations

import numpy as np
from PIL import Image

from sim.core.cards import Shape, Text
from sim.core.cards.card import Card
from sim.core.cards.theme import MARGIN, WIDTH, rgb

MOST_BYTES = 30_000


def opened(data: bytes) -> Image.Image:
    """Return a card that is as light and as wide as every card."""
    assert len(data) <= MOST_BYTES
    image = Image.open(io.BytesIO(data))
    assert image.format == "PNG"
    assert image.width == 800
    assert image.convert("RGBA").getchannel("A").getpixel((0, 0)) == 0, "the corners are round"
    return image.convert("RGB")


def texts_apart(card: Card) -> list[str]:
    """Return the texts of a card on which nothing runs off the edges, and no text stands on another one."""
    shapes = [mark for mark in card.marks if isinstance(mark, Shape)]
    assert all(0 <= one.x <= WIDTH - one.shape.width_at(one.height) for one in shapes)
    texts = [mark for mark in card.marks if isinstance(mark, Text)]
    for one, other in combinations(texts, 2):
        above = abs(one.y - other.y) >= 0.7 * min(one.size, other.size)
        assert above or one.x + one.width <= other.x or other.x + other.width <= one.x, (one.text, other.text)
    assert all(0 <= one.x <= WIDTH - MARGIN - one.width for one in texts)
    return [one.text for one in texts]


def share(image: Image.Image, color: str, *, row: int | None = None) -> float:
    """Return the share of points in a color, of the whole card or of one row of points."""
    points = np.asarray(image)
    line = points[row] if row is not None else points.reshape(-1, 3)
    return float((np.abs(line.astype(int) - rgb(color)) <= 6).all(axis=1).mean())
