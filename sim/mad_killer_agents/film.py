"""A game as an animated picture (GIF). Only workers import this."""

import io
from collections.abc import Iterable
from functools import lru_cache

from PIL import Image, ImageDraw

from sim.core import RuleError
from sim.core.cards.fonts import font
from sim.core.cards.png import hatched
from sim.core.cards.theme import DARK, GROUND, INK, rgb
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.cards import draw_scores
from sim.mad_killer_agents.constants import MIN_SIDE
from sim.mad_killer_agents.map_picture import draw_map
from sim.mad_killer_agents.map_theme import PATTERNS, PLAYERS, ROCK, TERRAIN

MAX_FRAMES = 80
_SIDE = 480
_MIN_TILE, _MAX_TILE = 10, 40
_TITLE, _BAR = 34, 10
"""Pixels of the title, and of the bar of scores below it."""

_COLORS = [*TERRAIN, *PLAYERS, DARK, INK, ROCK]
_PLAYER = len(TERRAIN)
_INK = _COLORS.index(INK)


@lru_cache(maxsize=512)
def _tile(value: int, owner: int, size: int) -> Image.Image:
    image = Image.new("P", (size, size), value)
    if value == len(TERRAIN) - 1:
        pen = ImageDraw.Draw(image)
        pen.polygon([(1, size - 2), (size // 2, 2), (size - 2, size - 2)], fill=_COLORS.index(ROCK))
    if owner:
        image.paste(_PLAYER + owner, (0, 0, size, size), hatched(PATTERNS[owner], size, size, 1))
    return image


def _frame(board: Board, title: str) -> Image.Image:
    size = max(_MIN_TILE, min(_MAX_TILE, _SIDE // max(board.width, board.height)))
    image = Image.new("P", (board.width * size, board.height * size + _TITLE + _BAR), _COLORS.index(GROUND))
    image.putpalette([part for color in _COLORS for part in rgb(color)])
    for tile, value in enumerate(board.tiles):
        image.paste(_tile(value, board.owners[tile], size), _corner(board, tile, size))
    pen = ImageDraw.Draw(image)
    pen.fontmode = "1"  # no antialiasing: the palette has no colors for it
    pen.text((6, _TITLE // 2), title, _INK, font(20, bold=True), anchor="lm")
    # A bar with each player's part of all points.
    scores = [(number, points) for number, points in board.scores() if points]
    total, so_far = sum(points for _, points in scores), 0
    for number, points in scores:
        left, so_far = image.width * so_far // total, so_far + points
        right = image.width * so_far // total - 1
        if right >= left:  # a part may be less than a pixel wide
            pen.rectangle((left, _TITLE, right, _TITLE + _BAR - 4), fill=_PLAYER + number)
    for tile, city in board.cities.items():
        x, y = _corner(board, tile, size)
        pen.rectangle((x, y, x + size - 1, y + size - 1), fill=_PLAYER + city.owner, outline=_INK, width=2)
    for tile, army in board.armies.items():
        x, y = _corner(board, tile, size)
        half = size * (0.2 + 0.25 * min(1.0, army.units / 100))  # the full size from 100 units on
        middle = (x + size / 2, y + size / 2)
        box = (middle[0] - half, middle[1] - half, middle[0] + half, middle[1] + half)
        pen.ellipse(box, fill=_PLAYER + army.owner, outline=_COLORS.index(DARK))
    return image


def _corner(board: Board, tile: int, size: int) -> tuple[int, int]:
    row, column = divmod(tile, board.width)
    return column * size, _TITLE + _BAR + row * size


def film_gif(boards: Iterable[tuple[Board, str]], rounds: int = 0) -> bytes:
    """Return the animation of boards with titles, thinned out if there are many `rounds` (about), except the last.

    Draws each board before it takes the next one. RuleError without a board.
    """
    every = max(1, -(-rounds // MAX_FRAMES))
    frames: list[Image.Image] = []
    left_out: tuple[Board, str] | None = None
    for at, shown in enumerate(boards):
        left_out = shown if at % every or len(frames) == MAX_FRAMES else None
        if left_out is None:
            frames.append(_frame(*shown))
    if left_out is not None:
        frames.append(_frame(*left_out))
    if not frames:
        raise RuleError("The game has not begun yet.")
    durations = [*[200] * (len(frames) - 1), 3000]  # milliseconds
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=False)
    return out.getvalue()


def warm_up() -> None:
    """Load Pillow and the font, and draw each kind of picture once, so that the first one isn't slower."""
    board = Board(MIN_SIDE, MIN_SIDE, [1] * MIN_SIDE**2)
    draw_map(board).png()
    film_gif([(board, "")])
    draw_scores(["-"], [[0.0], [1.0]], "").png()
