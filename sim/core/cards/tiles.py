"""Draws the card of games to choose from."""

from collections.abc import Iterator

from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.parts import LEFT, RIGHT, headline
from sim.core.cards.theme import INK, SOFT, TEXT, TILE
from sim.core.cards.values import TilesCard

_IN_A_ROW = 2
_GAP = 18
_PAD = 18
_ICON_WIDTH, _ICON = 76, 58
_HEIGHT = 166
_LINE = 30


def draw_tiles(tiles: TilesCard) -> Card:
    """Return the card."""
    rows = -(-len(tiles.tiles) // _IN_A_ROW)
    width = (RIGHT - LEFT - (_IN_A_ROW - 1) * _GAP) // _IN_A_ROW
    card = Card(80 + rows * (_HEIGHT + _GAP) + 8)
    headline(card, [(tiles.title, INK)])
    for at, tile in enumerate(tiles.tiles):
        row, column = divmod(at, _IN_A_ROW)
        x, y = LEFT + column * (width + _GAP), 80 + row * (_HEIGHT + _GAP)
        card.box((x, y, x + width, y + _HEIGHT), TILE, radius=10)
        height = round(min(_ICON, _ICON_WIDTH * tile.icon.height / tile.icon.width))
        card.silhouette(x + _PAD, y + _PAD + (_ICON - height) // 2, tile.icon, height, tile.color)
        beside = x + _PAD + _ICON_WIDTH + _PAD
        title = list(_wrapped(tile.title, TEXT, x + width - _PAD - beside, bold=True))
        base = y + _PAD + (_ICON - len(title) * _LINE) // 2 + TEXT
        for line in title:
            card.text(beside, base, line, TEXT, INK, bold=True)
            base += _LINE
        base = y + _PAD + _ICON + _PAD + TEXT
        for line in _wrapped(tile.line, TEXT, width - 2 * _PAD):
            card.text(x + _PAD, base, line, TEXT, SOFT)
            base += _LINE
    return card


def _wrapped(text: str, size: int, room: int, *, bold: bool = False) -> Iterator[str]:
    """Yield the lines of a text, broken between words."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and letters.width(longer, size, bold=bold) > room:
            yield line
            longer = word
        line = longer
    yield letters.fit(line, size, room, bold=bold)
