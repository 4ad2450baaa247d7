"""Drawing an uploaded picture anew.

Imports Pillow, so only workers may import this; what a hostile file can do to a decoder, it does there, within limits.
"""

import io
import warnings
from collections.abc import Mapping
from types import MappingProxyType

from PIL import Image, ImageOps

from sim.core.errors import RuleError

MAX_POINTS: Mapping[str, int] = MappingProxyType(
    {"PNG": 8_000_000, "JPEG": 16_000_000, "WEBP": 8_000_000, "GIF": 8_000_000}
)
"""The kinds of files that are read; of each the largest picture, in points: width x height.

A decoder keeps a picture twice or three times, and a worker has little memory; JPEG can be decoded smaller at once.
"""

MAX_SIDE = 512
"""Points of the longer side of what comes out."""

_FORMATS = tuple(MAX_POINTS)


def reencode(data: bytes) -> bytes:
    """Return an uploaded picture, of several frames the first, as a PNG.

    RuleError where it can't be read for certain, or is too large.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a file that the decoder wonders about is none that we need
            return _redrawn(data)
    except (RuleError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - a decoder raises whatever it likes at a broken file
        kinds = ", ".join(_FORMATS[:-1])
        raise RuleError(f"This file can't be read as a picture; {kinds} and {_FORMATS[-1]} are taken.") from None


def _redrawn(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
        width, height = image.size
        most = MAX_POINTS[image.format or _FORMATS[0]]
        if width * height > most:
            size_text = f"The picture has {width:,} x {height:,} points"
            raise RuleError(f"{size_text}; of a {image.format} at most {most // 1_000_000} million are taken.")
        image.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))  # a large JPEG is decoded smaller at once
        has_alpha = "A" in image.getbands() or "transparency" in image.info
        mode = "RGBA" if has_alpha else "RGB"
        # Made smaller before anything else where that can be: each copy of a large picture is one too many.
        small = image if image.mode == mode else image.convert(mode)
        small.thumbnail((MAX_SIDE, MAX_SIDE))
        plain = ImageOps.exif_transpose(small)
    fresh = Image.new(plain.mode, plain.size)
    fresh.paste(plain)
    out = io.BytesIO()
    fresh.save(out, format="PNG", optimize=True)
    return out.getvalue()
