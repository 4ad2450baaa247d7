"""The emblems and colors that people choose for themselves: marks of our own (emblems.txt)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple
from zlib import crc32

from sim.core.cards.figures import read_figures
from sim.core.cards.marks import Silhouette
from sim.core.values import Frozen


class Emblem(NamedTuple):
    """A mark, its name on the list, and the sign that stands for it in text."""

    title: str
    sign: str
    shape: Silhouette


EMBLEMS: Mapping[str, Emblem] = MappingProxyType(
    {
        name: Emblem(title, sign, figure.silhouette)
        for figure in read_figures("sim.core.cards", "emblems.txt")
        for name, title, sign in [figure.heading]
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
