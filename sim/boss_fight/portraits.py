"""The faces of bosses: drawn portraits of those on record, emblems for all others (portraits.txt), in their colors.

And uploaded pictures, redrawn. A hostile file reaches a decoder only here, within a worker's limits; nothing of it but
its pixels is kept.
"""

import io
import warnings
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from types import MappingProxyType
from zlib import crc32

from sim.boss_fight.values import Boss, Element
from sim.core.cards.figures import Figure, Outlines, read_figures
from sim.core.cards.marks import Layer, Picture, Stroke
from sim.core.cards.theme import GROUND, Color, hexed, mixed, rgb
from sim.core.errors import RuleError
from sim.core.names import name_key

WIDTH, HEIGHT = 360, 480
_OUTLINE = 10

ELEMENT_COLORS: Mapping[Element, tuple[str, str]] = {
    Element.WATER: ("#2f8fa8", "#9beaff"),
    Element.FIRE: ("#c4452b", "#ffc53d"),
    Element.AIR: ("#7fb8ad", "#fff0a8"),
    Element.LIGHTNING: ("#8a63d2", "#ffe14a"),
    Element.EARTH: ("#8f6b3c", "#cfe06a"),
}
"""Body and accent of a boss with an element."""

_NIGHT, _WHITE, _RED = "#0f1013", "#fdfcf7", "#b8323a"
_RAMP = 3
"""Colors from a tone to its neighbor: few make a light file."""

_AWAKE, _SHUT, _CRACK = "awake", "shut", "crack"


def portrait(boss: Boss, *, halved: bool = False, fallen: bool = False) -> Picture:
    """Return the picture of a boss: cracked if it has lost half its health, lying if it has fallen."""
    shown = {_SHUT, _CRACK} if fallen else {_AWAKE, _CRACK} if halved else {_AWAKE}
    return _posed(name_key(boss.name), _colors(boss), frozenset(shown), lies=fallen)


def portrait_colors(boss: Boss) -> tuple[Color, ...]:
    """Return the colors that the finished picture needs."""
    tones = _tones(_colors(boss))
    steps = [mixed(one, other, at / _RAMP) for one, other in pairwise(_ramp(tones)) for at in range(_RAMP)]
    return tuple(dict.fromkeys([*map(rgb, tones.values()), *steps]))


def _colors(boss: Boss) -> tuple[str, str]:
    """Return the colors of a boss's body and of its accents."""
    if boss.element is not None:
        return ELEMENT_COLORS[boss.element]
    *_, body, accent = _figure(name_key(boss.name)).heading
    return f"#{body}", f"#{accent}"


@lru_cache(maxsize=128)
def _posed(key: str, colors: tuple[str, str], shown: frozenset[str], *, lies: bool) -> Picture:
    tones = _tones(colors)
    layers = [
        Layer(_lying(stroke) if lies else stroke, color)
        for line in _figure(key).lines
        if line.tone not in _STATES or line.tone in shown
        for stroke, color in _colored(line, tones)
    ]
    glow = [Layer(Stroke(box, is_oval=True), tones[tone]) for tone, box in _GLOW.items()]
    return Picture(WIDTH, HEIGHT, tones["back"], (*glow, *layers))


_STATES = (_AWAKE, _SHUT, _CRACK)
_GLOW = {"far": (-60.0, 30.0, 420.0, 510.0), "near": (20.0, 110.0, 340.0, 430.0)}


def _colored(line: Outlines, tones: Mapping[str, str]) -> Iterator[tuple[Stroke, str]]:
    """Yield the strokes of a line, each shape behind its outline."""
    for stroke in line.strokes:
        if line.outlined:
            yield _outline(stroke), tones["ink"]
        yield stroke, tones[line.tone]


def _outline(stroke: Stroke) -> Stroke:
    half = _OUTLINE / 2
    if stroke.is_oval:
        left, top, right, bottom = stroke.points
        return stroke._replace(points=(left - half, top - half, right + half, bottom + half))
    if stroke.thickness:
        return stroke._replace(thickness=stroke.thickness + _OUTLINE)
    return Stroke((*stroke.points, *stroke.points[:2]), _OUTLINE)


def _lying(stroke: Stroke) -> Stroke:
    """Return a stroke of a figure that has tipped over to the right: turned, smaller, at the foot of the field."""
    scale = WIDTH / HEIGHT
    flat = tuple(
        value
        for x, y in zip(stroke.points[::2], stroke.points[1::2], strict=True)
        for value in (WIDTH - y * scale, HEIGHT - 6 - (WIDTH - x) * scale)
    )
    if stroke.is_oval:  # the corners of its box have turned, too
        flat = flat[2], flat[1], flat[0], flat[3]
    return stroke._replace(points=flat, thickness=stroke.thickness * scale)


@lru_cache(maxsize=64)
def _tones(colors: tuple[str, str]) -> Mapping[str, str]:
    """Return the color of each tone: shades of a boss's body and of its accents, and what all have in common."""
    body, accent = colors
    back = hexed(mixed(GROUND, body, 0.10))
    return {
        "back": back,
        "far": hexed(mixed(back, body, 0.14)),
        "near": hexed(mixed(back, body, 0.30)),
        "ink": hexed(mixed(_NIGHT, body, 0.10)),
        "deep": hexed(mixed(_NIGHT, body, 0.52)),
        "base": body,
        "light": hexed(mixed(body, _WHITE, 0.28)),
        "bright": hexed(mixed(body, _WHITE, 0.66)),
        "deepaccent": hexed(mixed(_NIGHT, accent, 0.55)),
        "accent": accent,
        "white": _WHITE,
        "red": _RED,
        _AWAKE: accent,
        _SHUT: hexed(mixed(body, _WHITE, 0.66)),
        _CRACK: hexed(mixed(_NIGHT, body, 0.10)),
    }


def _figure(key: str) -> Figure:
    """Return the figure of a boss on record, or the emblem that a name has always; `key`: its `name_key`."""
    known, emblems = _figures()
    return known.get(key) or emblems[crc32(key.encode()) % len(emblems)]


@cache
def _figures() -> tuple[Mapping[str, Figure], tuple[Figure, ...]]:
    figures = read_figures("sim.boss_fight", "portraits.txt")
    known = {name_key(" ".join(figure.heading[:-2])): figure for figure in figures if figure.heading[0] != _EMBLEM}
    return known, tuple(figure for figure in figures if figure.heading[0] == _EMBLEM)


_EMBLEM = "emblem"


def _ramp(tones: Mapping[str, str]) -> list[str]:
    """Return colors whose neighbors meet at edges."""
    return [
        *(tones[tone] for tone in ("back", "near", "ink", "deep", "base", "light", "bright", "ink", "accent", "deep")),
        tones["white"],
        tones["ink"],
        tones["red"],
    ]


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
    from PIL import Image, ImageOps  # noqa: PLC0415  # the process that asks must not load it

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
