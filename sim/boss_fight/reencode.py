"""Drawing an uploaded picture anew.

Imports Pillow, so only workers may import this; what a hostile file can do to a decoder, it does there, within limits.
"""

import io
import warnings

from PIL import Image, ImageOps

from sim.boss_fight.portrait import MAX_POINTS, MAX_SIDE
from sim.core.errors import RuleError

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
"""The kinds of files that are read; of several frames, the first."""


def reencode(data: bytes) -> bytes:
    """Return `data`, an uploaded picture, as a PNG; RuleError where it can't be read for certain, or is too large."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a file that the decoder wonders about is none that we need
            return _redrawn(data)
    except (RuleError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - a decoder raises whatever it likes at a broken file
        kinds = ", ".join(FORMATS[:-1])
        raise RuleError(f"This file can't be read as a picture; {kinds} and {FORMATS[-1]} are taken.") from None


def _redrawn(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        width, height = image.size
        if width * height > MAX_POINTS:
            limit = f"at most {MAX_POINTS // 1_000_000} million are taken"
            raise RuleError(f"The picture has {width:,} x {height:,} points; {limit}.")
        image.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))  # a large JPEG is decoded smaller at once
        turned = ImageOps.exif_transpose(image)
        has_alpha = "A" in turned.getbands() or "transparency" in turned.info
        plain = turned.convert("RGBA" if has_alpha else "RGB")
    plain.thumbnail((MAX_SIDE, MAX_SIDE))
    fresh = Image.new(plain.mode, plain.size)
    fresh.paste(plain)
    out = io.BytesIO()
    fresh.save(out, format="PNG", optimize=True)
    return out.getvalue()
