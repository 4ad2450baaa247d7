"""Looks at finished cards: their size, and how much of them, or of a line of points, is painted in a color."""

import io

import numpy as np
from PIL import Image

from sim.core.cards.theme import rgb

MOST_BYTES = 30_000


def opened(data: bytes) -> Image.Image:
    """Return a card that is as light and as wide as every card."""
    assert len(data) <= MOST_BYTES
    image = Image.open(io.BytesIO(data))
    assert image.format == "PNG"
    assert image.width == 800
    assert image.convert("RGBA").getchannel("A").getpixel((0, 0)) == 0, "the corners are round"
    return image.convert("RGB")


def share(image: Image.Image, color: str, *, row: int | None = None) -> float:
    """Return the share of points in a color, of the whole card or of one row of points."""
    points = np.asarray(image)
    line = points[row] if row is not None else points.reshape(-1, 3)
    return float((np.abs(line.astype(int) - rgb(color)) <= 6).all(axis=1).mean())
