"""Stickers: small pictures that stand before a word, one color with a dark rim, so that they read on any ground.

Texts hold icons in their place, which the bot replaces when it shows a text. A sticker's edition is reckoned from what
it is drawn of, not from its file, which another Pillow writes otherwise.
"""

import re
from collections.abc import Mapping
from itertools import product
from types import MappingProxyType
from typing import NamedTuple
from zlib import crc32

from sim.core.cards import Silhouette, hole, line, oval, polygon
from sim.core.cards.theme import INK
from sim.core.values import Request

SIDE = 128
"""Pixels of a sticker's side."""

# An icon is written in private characters, which no name of a player has: its name, what may stand for it, its end.
_ICON_BASE, _ICON_NAMED, _ICON_END = 0xE000, "\ue000", "\ue001"
_ICON_SIGNS = re.compile("[\ue000-\ue07e]")
ICON = re.compile("(?P<name>[\ue020-\ue07e]+)\ue000(?P<instead>[^\ue000\ue001]*)\ue001")


def icon(name: str, instead: str = "") -> str:
    """Return what shows an emoji of the application in a text, and in the emoji of a button or an option.

    Where there is no such emoji, or no room for it, `instead` stands there, else nothing. An emoji that nothing stands
    for has a blank behind it. `name`: one of `Game.emojis`, or of a die, such as "d6_1".
    """
    return f"{''.join(chr(_ICON_BASE + ord(letter)) for letter in name)}{_ICON_NAMED}{instead}{_ICON_END}"


def icon_name(found: re.Match[str]) -> str:
    """Return the name of an icon that `ICON` has found."""
    return "".join(chr(ord(sign) - _ICON_BASE) for sign in found["name"])


def without_icons(text: str) -> str:
    """Return a text with what stands for its icons."""
    return _ICON_SIGNS.sub("", text)


class Sticker(NamedTuple):
    """A silhouette in a color "#rrggbb"."""

    shape: Silhouette
    color: str

    @property
    def edition(self) -> str:
        """Four hexadecimal digits that change with the picture."""
        look = 1  # counts up when all stickers are painted in another way
        return f"{crc32(repr((look, self)).encode()) & 0xFFFF:04x}"


class StickerRequest(Request):
    """Paints a sticker. Loads Pillow."""

    max_seconds = 0.1

    sticker: Sticker

    def run(self) -> bytes:
        """Return a transparent PNG of `SIDE` pixels a side."""
        from sim.core.cards.png import paint_sticker  # noqa: PLC0415  # Pillow is for workers

        return paint_sticker(self.sticker.shape, self.sticker.color, SIDE)


FACES = "⚀⚁⚂⚃⚄⚅"

_PIPS = ("4", "26", "246", "0268", "02468", "012678")
"""Where the pips of each face are, of nine places in three columns."""


def _die(places: str) -> Silhouette:
    corners = [*product((10.0, 24.5, 39.0), repeat=2)]
    pips = (hole(oval(x, y, x + 11, y + 11)) for x, y in (corners[int(place)] for place in places))
    edge = line(11, 11, 49, 11, 49, 49, 11, 49, 11, 11, thickness=20)
    return Silhouette(60, 60, (polygon(11, 11, 49, 11, 49, 49, 11, 49), edge, *pips))


DICE: Mapping[str, Sticker] = MappingProxyType(
    {f"d6_{face}": Sticker(_die(places), INK) for face, places in enumerate(_PIPS, start=1)}
)
"""The faces of a die."""
