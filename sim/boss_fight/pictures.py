"""Uploaded pictures, redrawn.

Imports Pillow, so only workers may import this. A hostile file reaches a decoder only here, within the worker's limits;
nothing of an uploaded file but its pixels is kept.
"""

import io
import warnings
from collections.abc import Mapping
from types import MappingProxyType

from PIL import Image, ImageOps

from sim.core.errors import RuleError

MAX_PIXELS: Mapping[str, int] = MappingProxyType(
    {"PNG": 8_000_000, "JPEG": 16_000_000, "WEBP": 8_000_000, "GIF": 8_000_000}
)
"""The kinds of files that are read, with the largest picture of each in pixels.

A decoder keeps two or three copies of a picture, and a worker has little memory; JPEG can be decoded smaller at once.
"""

MAX_SIDE = 512
"""Pixels of the longer side of a redrawn picture."""

_FORMATS = tuple(MAX_PIXELS)


def redraw_upload(data: bytes) -> bytes:
    """Return the first frame of an uploaded picture as a PNG; RuleError if it is too large or unreadable."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a file that makes the decoder warn is refused
            return _redraw(data)
    except (RuleError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - a decoder may raise anything for a broken file
        kinds = ", ".join(_FORMATS[:-1])
        raise RuleError(f"I can't read this file as a picture; send a {kinds} or {_FORMATS[-1]}.") from None


def _redraw(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
        width, height = image.size
        most = MAX_PIXELS[image.format or _FORMATS[0]]
        if width * height > most:
            size_text = f"The picture has {width:,} x {height:,} pixels"
            raise RuleError(f"{size_text}; a {image.format} may have at most {most // 1_000_000} million.")
        image.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))  # a large JPEG is decoded smaller at once
        has_alpha = "A" in image.getbands() or "transparency" in image.info
        mode = "RGBA" if has_alpha else "RGB"
        # Shrunk before anything else if possible: each copy of a large picture costs memory.
        small = image if image.mode == mode else image.convert(mode)
        small.thumbnail((MAX_SIDE, MAX_SIDE))
        plain = ImageOps.exif_transpose(small)
    fresh = Image.new(plain.mode, plain.size)
    fresh.paste(plain)
    out = io.BytesIO()
    fresh.save(out, format="PNG", optimize=True)
    return out.getvalue()
