"""The map of a game as a picture: heights, coordinates, owners, armies, cities, the last ways as arrows."""

import io
import math
from collections.abc import Sequence

from PIL import Image, ImageDraw

from sim.core.pictures import font
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.values import Track
from sim.mad_killer_agents.picture.style import (
    DARK_EDGE,
    FAINT,
    GROUND,
    INK,
    LIGHT_EDGE,
    OUTLINE,
    PLAYERS,
    TERRAIN,
    pattern,
    short,
    text_on,
    tile_image,
)
from sim.mad_killer_agents.tile_names import column_name

_SIDE = 1320
"""Points that the longer side of the map takes at most."""
_LEAST_TILE, _MOST_TILE = 24, 64
_MARGIN = 34
_LEGEND_ROW = 34
_LEGEND_NAME = 320
_SHADE = 0.28
"""How much an edge between heights is lightened or darkened."""

Box = tuple[float, float, float, float]


def draw_map(board: Board, tracks: Sequence[Track] = (), on_turn: int = 0) -> bytes:
    """Return a PNG of the board. `tracks`: ways that are drawn as arrows; `on_turn`: who is marked in the legend."""
    out = io.BytesIO()
    image = _Map(board).draw(tracks, on_turn)
    # Few colours: a palette of its own makes the file a third, and nobody sees it.
    image.quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG", compress_level=6)
    return out.getvalue()


class _Map:
    """A picture that is being drawn."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.tile = max(_LEAST_TILE, min(_MOST_TILE, _SIDE // max(board.width, board.height)))
        self.wide, self.high = board.width * self.tile, board.height * self.tile
        self.columns = max(1, (self.wide + _MARGIN) // _LEGEND_NAME)
        rows = -(-len(board.sides) // self.columns)
        size = (self.wide + 2 * _MARGIN, self.high + 2 * _MARGIN + rows * _LEGEND_ROW)
        self.image = Image.new("RGB", size, GROUND)
        self.pen = ImageDraw.Draw(self.image)

    def draw(self, tracks: Sequence[Track], on_turn: int) -> Image.Image:
        """Draw everything."""
        self._tiles()
        self._coordinates()
        for player, at, to in tracks:
            self._arrow(player, at, to)
        for at, city in self.board.cities.items():
            self._city(at, city.owner, city.size)
        for at, army in self.board.armies.items():
            self._army(at, army.owner, army.units)
        self._legend(on_turn)
        return self.image

    def _corner(self, tile: int) -> tuple[int, int]:
        row, column = divmod(tile, self.board.width)
        return _MARGIN + column * self.tile, _MARGIN + row * self.tile

    def _tiles(self) -> None:
        board, size = self.board, self.tile
        digits = font(max(8, size // 4), bold=True)
        for tile, value in enumerate(board.tiles):
            x, y = self._corner(tile)
            self.image.paste(tile_image(value, board.owners[tile], size), (x, y))
            colour = _mixed(TERRAIN[value], text_on(TERRAIN[value]), 0.45 if not board.owners[tile] else 0.9)
            self.pen.text((x + size - 2, y + size - 1), str(value), colour, digits, anchor="rd")
            if tile % board.width:
                self._edge((x, y, x, y + size - 1), board.tiles[tile - 1], value)
            if tile >= board.width:
                self._edge((x, y, x + size - 1, y), board.tiles[tile - board.width], value)
            self._borders(tile, x, y)

    def _edge(self, line: Box, before: int, value: int) -> None:
        """Shade an edge as by light from the upper left: what rises towards it is bright, what falls is dark."""
        towards = LIGHT_EDGE if value > before else DARK_EDGE
        strength = min(1.0, _SHADE * abs(value - before)) if value != before else _SHADE / 3
        self.pen.line(line, _mixed(TERRAIN[value], towards, strength), max(1, min(4, abs(value - before))))

    def _borders(self, tile: int, x: int, y: int) -> None:
        """Line a land where another one begins."""
        board, size = self.board, self.tile
        owner = board.owners[tile]
        if not owner:
            return
        last, width = size - 1, board.width
        row, column = divmod(tile, width)
        sides = (
            (row > 0, tile - width, (x, y, x + last, y)),
            (row < board.height - 1, tile + width, (x, y + last, x + last, y + last)),
            (column > 0, tile - 1, (x, y, x, y + last)),
            (column < width - 1, tile + 1, (x + last, y, x + last, y + last)),
        )
        for inside, near, line in sides:
            if not inside or board.owners[near] != owner:
                self.pen.line(line, PLAYERS[owner], 2)

    def _coordinates(self) -> None:
        small = font(max(12, min(20, self.tile // 2)), bold=True)
        for column in range(self.board.width):
            x = _MARGIN + column * self.tile + self.tile // 2
            for y in (_MARGIN // 2, _MARGIN + self.high + _MARGIN // 2):
                self.pen.text((x, y), column_name(column), INK, small, anchor="mm")
        for row in range(self.board.height):
            y = _MARGIN + row * self.tile + self.tile // 2
            for x in (_MARGIN // 2, _MARGIN + self.wide + _MARGIN // 2):
                self.pen.text((x, y), str(row + 1), INK, small, anchor="mm")

    def _arrow(self, player: int, at: int, to: int) -> None:
        half = self.tile / 2
        x0, y0 = (side + half for side in self._corner(at))
        x1, y1 = (side + half for side in self._corner(to))
        angle = math.atan2(y1 - y0, x1 - x0)
        # The head ends at the edge of what stands on the tile.
        x1, y1 = x1 - half * 0.55 * math.cos(angle), y1 - half * 0.55 * math.sin(angle)
        head = [
            (x1 - self.tile * 0.3 * math.cos(angle + turn), y1 - self.tile * 0.3 * math.sin(angle + turn))
            for turn in (-0.5, 0.5)
        ]
        thick = max(2, self.tile // 12)
        for colour, width in ((OUTLINE, thick + 2), (PLAYERS[player], thick)):
            self.pen.line((x0, y0, x1, y1), colour, width)
        self.pen.polygon([(x1, y1), *head], fill=PLAYERS[player], outline=OUTLINE)

    def _city(self, tile: int, owner: int, size: int) -> None:
        x, y = self._corner(tile)
        part = self.tile
        house = [
            (x + part * 0.06, y + part * 0.2),
            (x + part * 0.5, y + part * 0.02),
            (x + part * 0.94, y + part * 0.2),
            (x + part * 0.94, y + part * 0.52),
            (x + part * 0.06, y + part * 0.52),
        ]
        self.pen.polygon(house, fill=(255, 255, 255), outline=OUTLINE, width=max(1, part // 20))
        self.pen.line([house[0], house[1], house[2]], PLAYERS[owner], max(3, part // 9))
        self.pen.text(
            (x + part / 2, y + part * 0.35), str(size), OUTLINE, font(max(9, int(part * 0.34)), bold=True), anchor="mm"
        )

    def _army(self, tile: int, owner: int, units: int) -> None:
        x, y = self._corner(tile)
        part = self.tile
        text = short(units)
        half_wide = part * (0.3 if len(text) <= 2 else 0.46)  # noqa: PLR2004 - two digits fit into a circle
        middle = y + part * (0.74 if tile in self.board.cities else 0.5)
        high = part * (0.23 if tile in self.board.cities else 0.27)
        box = (x + part / 2 - half_wide, middle - high, x + part / 2 + half_wide, middle + high)
        self.pen.rounded_rectangle(box, high, fill=PLAYERS[owner], outline=OUTLINE, width=max(1, part // 20))
        size = max(8, int(part * (0.36 if len(text) <= 3 else 0.3)))  # noqa: PLR2004 - three digits at full size
        self.pen.text((x + part / 2, middle), text, text_on(PLAYERS[owner]), font(size, bold=True), anchor="mm")

    def _legend(self, on_turn: int) -> None:
        for place, (number, side) in enumerate(sorted(self.board.sides.items())):
            row, column = divmod(place, self.columns)
            x = _MARGIN + column * _LEGEND_NAME
            y = self.high + 2 * _MARGIN + row * _LEGEND_ROW
            swatch = Image.new("RGB", (24, 24), TERRAIN[3])
            swatch.paste(PLAYERS[number], (0, 0), pattern(number, 24))
            self.image.paste(swatch, (x, y))
            self.pen.rectangle((x, y, x + 24, y + 24), outline=PLAYERS[number], width=3)
            ink = FAINT if side.out else INK
            mark = "▶ " if number == on_turn else ""
            text = _fitted(f"{mark}{side.name}{' (out)' if side.out else ''}", _LEGEND_NAME - 40)
            self.pen.text((x + 32, y + 12), text, ink, font(17, bold=True), anchor="lm")


def _fitted(text: str, width: int) -> str:
    """Cut a text so that it takes no more than `width` points."""
    letters = font(17, bold=True)
    if letters.getlength(text) <= width:
        return text
    while text and letters.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text}…"


def _mixed(start: tuple[int, int, int], end: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(start, end, strict=True))
    return red, green, blue
