"""Pictures of a game: the map and the chart of scores. Only workers import this."""

import io
import math
from collections.abc import Sequence
from functools import lru_cache

from matplotlib.ticker import MaxNLocator
from PIL import Image, ImageDraw

from sim.core.cards import theme
from sim.core.cards.text import font
from sim.core.cards.theme import rgb
from sim.core.charts import new_plot, png
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.values import Track
from sim.mad_killer_agents.grid import column_name

Color = tuple[int, int, int]

GROUND, INK, FAINT = rgb(theme.GROUND), rgb(theme.INK), rgb(theme.NEUTRAL)
OUTLINE = (20, 20, 20)
LIGHT_EDGE, DARK_EDGE = (255, 255, 255), (0, 0, 0)

TERRAIN: tuple[Color, ...] = (
    GROUND,  # no tile has value 0
    (52, 78, 72),
    (78, 108, 84),
    (122, 135, 92),
    (172, 152, 106),
    (216, 195, 150),
    (240, 238, 232),
)
"""By tile value: higher is brighter, for every kind of color vision."""
ROCK = (104, 108, 116)
"""The symbol on a mountain."""

PLAYERS: tuple[Color, ...] = (
    FAINT,  # nobody
    (230, 97, 0),
    (64, 150, 255),
    (0, 158, 115),
    (240, 228, 66),
    (200, 80, 200),
    (140, 30, 40),
    (120, 220, 235),
    (35, 35, 120),
)
"""By a player's number."""

_PATTERN = 8
# One repeat of each pattern: 8 x 8 points, # is painted.
_ROWS = {
    1: ("#.......", ".#......", "..#.....", "...#....", "....#...", ".....#..", "......#.", ".......#"),
    2: (".......#", "......#.", ".....#..", "....#...", "...#....", "..#.....", ".#......", "#......."),
    3: ("........", "########", "........", "........", "........", "........", "........", "........"),
    4: (".#......", ".#......", ".#......", ".#......", ".#......", ".#......", ".#......", ".#......"),
    5: ("##......", "##......", "........", "........", "....##..", "....##..", "........", "........"),
    6: ("#.....#.", ".#...#..", "..#.#...", "...#....", "..#.#...", ".#...#..", "#.....#.", "........"),
    7: ("####....", "...#....", "...#....", "...#....", "....####", ".......#", ".......#", ".......#"),
    8: ("...#....", "..###...", "...#....", "........", ".......#", "#.....##", ".......#", "........"),
}


_SIDE = 1320
"""Points of the longer side of the map, at most."""
_MIN_TILE, _MAX_TILE = 24, 64
_MARGIN = 34
_LEGEND_ROW = 34
_LEGEND_NAME = 320
_SHADE = 0.28
"""How strongly an edge is lightened or darkened for each step of height."""
Box = tuple[float, float, float, float]
_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3)))


@lru_cache(maxsize=64)
def pattern(player: int, size: int) -> Image.Image:
    """Return a player's pattern as a mask (mode 1) of `size` x `size` points."""
    mask = Image.new("1", (size, size))
    for y in range(size):
        for x in range(size):
            if _ROWS[player][y % _PATTERN][x % _PATTERN] == "#":
                mask.putpixel((x, y), 1)
    return mask


def text_on(color: Color) -> Color:
    """Return the more legible of black and white on a color."""
    red, green, blue = color
    return OUTLINE if 0.299 * red + 0.587 * green + 0.114 * blue > 125 else (255, 255, 255)  # noqa: PLR2004 - mid-grey


@lru_cache(maxsize=256)
def tile_image(value: int, owner: int, size: int) -> Image.Image:
    """Return a tile without its edges: its height, a mountain's symbol, its owner's pattern."""
    image = Image.new("RGB", (size, size), TERRAIN[value])
    draw = ImageDraw.Draw(image)
    if value == len(TERRAIN) - 1:
        draw.polygon(
            [(size * 0.15, size * 0.85), (size * 0.5, size * 0.2), (size * 0.85, size * 0.85)],
            fill=ROCK,
            outline=OUTLINE,
        )
        draw.polygon([(size * 0.39, size * 0.4), (size * 0.5, size * 0.2), (size * 0.61, size * 0.4)], fill=INK)
    if owner:
        image.paste(PLAYERS[owner], (0, 0), pattern(owner, size))
    return image


def short_count(count: int) -> str:
    """Return a number of units in at most four characters: 950, 12k, 3.4M."""
    for limit, sign in ((10**9, "G"), (10**6, "M"), (10**4, "k")):
        if count >= limit:
            part = count / {"G": 10**9, "M": 10**6, "k": 10**3}[sign]
            return f"{part:.1f}{sign}" if part < 10 else f"{part:.0f}{sign}"  # noqa: PLR2004 - one digit before the point
    return str(count)


def draw_map(board: Board, tracks: Sequence[Track] = (), on_turn: int = 0) -> bytes:
    """Return a PNG of the board. `tracks`: steps to draw as arrows. `on_turn`: the player to mark in the legend."""
    out = io.BytesIO()
    image = _Map(board).draw(tracks, on_turn)
    # The picture has few colors: a palette cuts the file to a third without a visible difference.
    image.quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG", compress_level=6)
    return out.getvalue()


class _Map:
    """A picture of the map while it is drawn."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.tile = max(_MIN_TILE, min(_MAX_TILE, _SIDE // max(board.width, board.height)))
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
            color = _mixed(TERRAIN[value], text_on(TERRAIN[value]), 0.45 if not board.owners[tile] else 0.9)
            self.pen.text((x + size - 2, y + size - 1), str(value), color, digits, anchor="rd")
            if tile % board.width:
                self._edge((x, y, x, y + size - 1), board.tiles[tile - 1], value)
            if tile >= board.width:
                self._edge((x, y, x + size - 1, y), board.tiles[tile - board.width], value)
            self._borders(tile, x, y)

    def _edge(self, line: Box, before: int, value: int) -> None:
        """Shade an edge as if lit from the upper left: bright if the ground rises from there, dark if it falls."""
        towards = LIGHT_EDGE if value > before else DARK_EDGE
        strength = min(1.0, _SHADE * abs(value - before)) if value != before else _SHADE / 3
        self.pen.line(line, _mixed(TERRAIN[value], towards, strength), max(1, min(4, abs(value - before))))

    def _borders(self, tile: int, x: int, y: int) -> None:
        """Draw a line where the owner's land ends."""
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
        # The head ends at the edge of the army or city on the tile.
        x1, y1 = x1 - half * 0.55 * math.cos(angle), y1 - half * 0.55 * math.sin(angle)
        head = [
            (x1 - self.tile * 0.3 * math.cos(angle + turn), y1 - self.tile * 0.3 * math.sin(angle + turn))
            for turn in (-0.5, 0.5)
        ]
        thick = max(2, self.tile // 12)
        for color, width in ((OUTLINE, thick + 2), (PLAYERS[player], thick)):
            self.pen.line((x0, y0, x1, y1), color, width)
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
        text = short_count(units)
        half_wide = part * (0.3 if len(text) <= 2 else 0.46)  # noqa: PLR2004 - two digits fit into a circle
        middle = y + part * (0.74 if tile in self.board.cities else 0.5)
        high = part * (0.23 if tile in self.board.cities else 0.27)
        box = (x + part / 2 - half_wide, middle - high, x + part / 2 + half_wide, middle + high)
        self.pen.rounded_rectangle(box, high, fill=PLAYERS[owner], outline=OUTLINE, width=max(1, part // 20))
        size = max(8, int(part * (0.36 if len(text) <= 3 else 0.3)))  # noqa: PLR2004 - three digits at full size
        self.pen.text((x + part / 2, middle), text, text_on(PLAYERS[owner]), font(size, bold=True), anchor="mm")

    def _legend(self, on_turn: int) -> None:
        for index, (number, side) in enumerate(sorted(self.board.sides.items())):
            row, column = divmod(index, self.columns)
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
    """Return the text, cut to at most `width` points."""
    letters = font(17, bold=True)
    if letters.getlength(text) <= width:
        return text
    while text and letters.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text}…"


def _mixed(start: tuple[int, int, int], end: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(start, end, strict=True))
    return red, green, blue


_DARK = 110
"""Brightness (0 to 255) below which a line is drawn brighter than its player's land, to stand out from the ground."""


def _line_color(player: int) -> str:
    red, green, blue = PLAYERS[player]
    if 0.299 * red + 0.587 * green + 0.114 * blue < _DARK:
        red, green, blue = _mixed(PLAYERS[player], LIGHT_EDGE, 0.45)
    return f"#{red:02x}{green:02x}{blue:02x}"


_LABEL = 14


def _short_name(name: str) -> str:
    return name if len(name) <= _LABEL else f"{name[: _LABEL - 1]}…"


def draw_scores(names: Sequence[str], scores: Sequence[Sequence[float]]) -> bytes:
    """Return a PNG of the scores by round. `scores`: for each round, the score of each name."""
    figure, axes = new_plot("round", "score")
    rounds = range(1, len(scores) + 1)
    for index, name in enumerate(names):
        axes.plot(
            rounds,
            [row[index] for row in scores],
            label=_short_name(name),
            color=_line_color(index + 1),
            linestyle=_DASHES[index],
            linewidth=3,
        )
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    legend = axes.legend(
        fontsize=14.5,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.02),
        borderaxespad=0,
        handlelength=2,
        frameon=False,
        labelcolor=theme.INK,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # names are nothing but names
    return png(figure)
