"""The emblems and colors that people choose for themselves: marks of our own, in a field of 60 x 60."""

from collections.abc import Mapping
from math import cos, pi, sin
from types import MappingProxyType
from typing import NamedTuple
from zlib import crc32

from sim.core.cards.marks import Silhouette, Stroke, hole, line, mirrored, oval, polygon
from sim.core.values import Frozen

_SIZE = 60


def _mark(*strokes: Stroke) -> Silhouette:
    return Silhouette(_SIZE, _SIZE, strokes)


def _both(*strokes: Stroke) -> tuple[Stroke, ...]:
    return mirrored(strokes, _SIZE)


def _around(*lengths: float, count: int, middle: tuple[float, float] = (30, 30)) -> list[float]:
    """Return the corners of a star: `count` times each of the distances from its middle, from the top on."""
    steps = count * len(lengths)
    corners: list[float] = []
    for at in range(steps):
        angle, length = 2 * pi * at / steps - pi / 2, lengths[at % len(lengths)]
        corners += (middle[0] + length * cos(angle), middle[1] + length * sin(angle))
    return corners


def _rays(inner: float, outer: float, count: int, thickness: float) -> list[Stroke]:
    """Return lines away from the middle."""
    starts, ends = _around(inner, count=count), _around(outer, count=count)
    return [line(*starts[at : at + 2], *ends[at : at + 2], thickness=thickness) for at in range(0, 2 * count, 2)]


class Emblem(NamedTuple):
    """A mark, its name on the list, and the sign that stands for it in text."""

    title: str
    sign: str
    shape: Silhouette


EMBLEMS: Mapping[str, Emblem] = MappingProxyType(
    {
        "crown": Emblem("Crown", "👑", _mark(polygon(6, 14, 18, 30, 30, 8, 42, 30, 54, 14, 50, 50, 10, 50))),
        "star": Emblem("Star", "⭐", _mark(polygon(*_around(28, 11, count=5, middle=(30, 32))))),
        "moon": Emblem("Moon", "🌙", _mark(oval(6, 5, 56, 55), hole(oval(20, 0, 66, 46)))),
        "sun": Emblem("Sun", "☀️", _mark(oval(17, 17, 43, 43), *_rays(19, 26, 8, 5))),
        "flame": Emblem(
            "Flame",
            "🔥",
            _mark(
                polygon(32, 2, 38, 16, 48, 26, 51, 38, 47, 50, 37, 57, 23, 57, 13, 50, 9, 38, 13, 26, 19, 32, 26, 20),
                hole(polygon(31, 32, 39, 44, 36, 53, 24, 53, 21, 45, 26, 41)),
            ),
        ),
        "drop": Emblem("Drop", "💧", _mark(polygon(30, 2, 46, 28, 14, 28), oval(11, 19, 49, 57))),
        "bolt": Emblem("Bolt", "⚡", _mark(polygon(36, 2, 10, 34, 27, 34, 20, 58, 50, 22, 32, 22))),
        "snow": Emblem(
            "Snowflake",
            "❄️",
            _mark(
                *_rays(0, 26, 6, 5),
                *_both(line(30, 15, 38, 8, thickness=4), line(30, 45, 38, 52, thickness=4)),
                *_both(line(43, 22.5, 53, 26, thickness=4), line(43, 37.5, 53, 34, thickness=4)),
                *_both(line(43, 22.5, 45, 12, thickness=4), line(43, 37.5, 45, 48, thickness=4)),
            ),
        ),
        "tree": Emblem(
            "Tree",
            "🌲",
            _mark(
                polygon(30, 2, 44, 20, 16, 20),
                polygon(30, 12, 49, 34, 11, 34),
                polygon(30, 24, 54, 49, 6, 49),
                polygon(25, 49, 35, 49, 35, 58, 25, 58),
            ),
        ),
        "mountain": Emblem(
            "Mountain",
            "⛰️",
            _mark(
                polygon(2, 52, 24, 10, 36, 31, 42, 22, 58, 52),
                hole(polygon(24, 17, 31, 29, 25, 26, 21, 31, 17, 29)),
            ),
        ),
        "clover": Emblem(
            "Clover",
            "☘️",
            _mark(
                oval(19, 3, 41, 27),
                oval(5, 20, 29, 42),
                oval(31, 20, 55, 42),
                polygon(24, 22, 36, 22, 36, 34, 24, 34),
                line(30, 30, 32, 44, 38, 56, thickness=5),
            ),
        ),
        "mushroom": Emblem(
            "Mushroom",
            "🍄",
            _mark(
                oval(4, 5, 56, 57),
                hole(polygon(0, 33, 60, 33, 60, 60, 0, 60)),
                polygon(22, 33, 38, 33, 42, 56, 18, 56),
                hole(oval(13, 17, 24, 28)),
                hole(oval(34, 11, 45, 22)),
            ),
        ),
        "anchor": Emblem(
            "Anchor",
            "⚓",
            _mark(
                oval(22, 2, 38, 18),
                hole(oval(27, 7, 33, 13)),
                line(30, 18, 30, 54, thickness=6),
                line(18, 25, 42, 25, thickness=5),
                *_both(line(30, 54, 16, 50, 8, 38, thickness=6), polygon(3, 40, 8, 29, 16, 38)),
            ),
        ),
        "key": Emblem(
            "Key",
            "🗝️",
            _mark(
                oval(17, 2, 43, 28),
                hole(oval(24, 9, 36, 21)),
                line(30, 27, 30, 56, thickness=6),
                line(30, 46, 42, 46, thickness=6),
                line(30, 55, 44, 55, thickness=6),
            ),
        ),
        "eye": Emblem(
            "Eye",
            "👁️",
            _mark(
                polygon(2, 30, 14, 17, 30, 12, 46, 17, 58, 30, 46, 43, 30, 48, 14, 43),
                hole(oval(18, 18, 42, 42)),
                oval(24, 24, 36, 36),
            ),
        ),
        "heart": Emblem(
            "Heart",
            "❤️",
            _mark(*_both(oval(4, 7, 32, 35)), polygon(6.5, 29, 53.5, 29, 30, 56), oval(20, 18, 40, 36)),
        ),
        "shield": Emblem(
            "Shield",
            "🛡️",
            _mark(
                polygon(30, 2, 53, 10, 51, 34, 43, 48, 30, 58, 17, 48, 9, 34, 7, 10),
                hole(line(30, 12, 30, 48, thickness=5)),
                hole(line(16, 26, 44, 26, thickness=5)),
            ),
        ),
        "sword": Emblem(
            "Sword",
            "🗡️",
            _mark(
                polygon(54, 4, 57, 3, 56, 6, 52, 16, 26, 42, 18, 34, 44, 8),
                line(13, 29, 31, 47, thickness=6),
                line(19, 41, 7, 53, thickness=7),
                oval(2, 48, 12, 58),
            ),
        ),
        "axe": Emblem(
            "Axe",
            "🪓",
            _mark(
                line(33, 7, 33, 56, thickness=6),
                polygon(35, 8, 25, 12, 9, 6, 5, 22, 9, 38, 25, 32, 35, 34),
                polygon(36, 14, 46, 17, 52, 21, 46, 25, 36, 28),
            ),
        ),
        "castle": Emblem(
            "Castle",
            "🏰",
            _mark(
                *_both(polygon(6, 8, 16, 8, 16, 15, 25, 15, 25, 8, 30, 8, 30, 55, 11, 55, 11, 28, 6, 28)),
                hole(oval(23, 32, 37, 46)),
                hole(polygon(23, 39, 37, 39, 37, 56, 23, 56)),
            ),
        ),
        "skull": Emblem(
            "Skull",
            "💀",
            _mark(
                oval(7, 3, 53, 45),
                polygon(18, 40, 42, 40, 42, 57, 18, 57),
                *_both(hole(oval(14, 19, 27, 33))),
                hole(polygon(30, 32, 34, 40, 26, 40)),
                *_both(hole(line(26, 48, 26, 58, thickness=3))),
            ),
        ),
        "cat": Emblem(
            "Cat",
            "🐱",
            _mark(
                oval(6, 15, 54, 56),
                *_both(polygon(8, 34, 8, 4, 27, 18), hole(oval(16, 29, 25, 40))),
                hole(polygon(26, 43, 34, 43, 30, 48)),
            ),
        ),
        "fox": Emblem(
            "Fox",
            "🦊",
            _mark(
                polygon(3, 4, 21, 16, 39, 16, 57, 4, 54, 33, 36, 53, 30, 57, 24, 53, 6, 33),
                *_both(hole(polygon(15, 28, 25, 32, 18, 36)), hole(polygon(10, 38, 24, 43, 25, 51))),
            ),
        ),
        "paw": Emblem(
            "Paw",
            "🐾",
            _mark(
                oval(15, 29, 45, 57),
                *_both(oval(3, 20, 16, 36), oval(15, 4, 28, 23)),
            ),
        ),
    }
)

COLORS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "orange": ("#ff922b", "🟠"),
        "blue": ("#4dabf7", "🔵"),
        "green": ("#1ef069", "🟢"),
        "lavender": ("#b4a5d2", "🪻"),
        "cream": ("#f0ffb4", "🍦"),
        "sand": ("#e1c3a5", "🏜️"),
        "lime": ("#b4ff1e", "🍋"),
        "ice": ("#a5ffff", "🧊"),
        "moss": ("#78a55a", "🌿"),
        "rose": ("#c38796", "🌹"),
    }
)
"""Each with a sign for lists. Any two of them differ for every kind of color vision."""


class Crest(Frozen):
    """What a person is known by: an emblem and a color, by their names."""

    emblem: str
    color: str

    @classmethod
    def of(cls, user_id: int, emblem: str | None = None, color: str | None = None) -> "Crest":
        """Return what a person chose; for what nobody chose, or this version hasn't, something of their own."""
        emblems, colors = [*EMBLEMS], [*COLORS]
        number = crc32(str(user_id).encode())
        return cls(
            emblem=emblem if emblem in EMBLEMS else emblems[number % len(emblems)],
            color=color if color in COLORS else colors[number // len(emblems) % len(colors)],
        )

    @property
    def sign(self) -> str:
        """The sign in text."""
        return EMBLEMS[self.emblem].sign

    @property
    def ink(self) -> str:
        """The color as "#rrggbb"."""
        return COLORS[self.color][0]

    def __str__(self) -> str:
        return f"{EMBLEMS[self.emblem].title.lower()} in {self.color}"
