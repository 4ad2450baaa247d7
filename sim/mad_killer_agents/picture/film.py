"""A game as an animated picture (GIF): one frame a round, or every few rounds of a long game."""

import io
from collections.abc import Iterable
from functools import lru_cache

from PIL import Image, ImageDraw

from sim.core.pictures import font
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.picture.style import GROUND, INK, OUTLINE, PLAYERS, ROCK, TERRAIN, pattern

MOST_FRAMES = 80
_SIDE = 480
_LEAST_TILE, _MOST_TILE = 10, 24
_BAR = 28
_MILLISECONDS = 200
_LAST_MILLISECONDS = 3000

_COLOURS = [*TERRAIN, *PLAYERS, OUTLINE, INK, ROCK]
_PLAYER = len(TERRAIN)
_OUTLINE = _COLOURS.index(OUTLINE)
_INK = _COLOURS.index(INK)
_ROCK = _COLOURS.index(ROCK)
_GROUND = _COLOURS.index(GROUND)
_BIG = 100
"""Units from which an army fills its tile."""


class Film:
    """Frames of a game of about so many `rounds`, of every few in a long one: `add` each round, then `gif`."""

    def __init__(self, rounds: int = 0) -> None:
        self._frames: list[Image.Image] = []
        self._every = max(1, -(-rounds // MOST_FRAMES))
        self._seen = 0
        self._last: tuple[Board, str] | None = None

    def add(self, board: Board, title: str) -> None:
        """Add how the board stands, with a title over it; the last one is shown in any case."""
        if self._seen % self._every == 0 and len(self._frames) < MOST_FRAMES:
            self._frames.append(_frame(board, title))
            self._last = None
        else:
            self._last = board, title
        self._seen += 1

    def gif(self) -> bytes:
        """Return the animation; ValueError without a frame. The board that was added last must not have changed."""
        if not self._frames:
            raise ValueError("a film has a frame at least")
        frames = [*self._frames, _frame(*self._last)] if self._last else self._frames
        out = io.BytesIO()
        frames[0].save(
            out,
            "GIF",
            save_all=True,
            append_images=frames[1:],
            duration=[*[_MILLISECONDS] * (len(frames) - 1), _LAST_MILLISECONDS],
            loop=0,
            optimize=False,
        )
        return out.getvalue()


def _palette() -> list[int]:
    return [part for colour in _COLOURS for part in colour]


@lru_cache(maxsize=512)
def _tile(value: int, owner: int, size: int) -> Image.Image:
    image = Image.new("P", (size, size), value)
    if value == len(TERRAIN) - 1:
        pen = ImageDraw.Draw(image)
        pen.polygon([(1, size - 2), (size // 2, 2), (size - 2, size - 2)], fill=_ROCK)
    if owner:
        image.paste(_PLAYER + owner, (0, 0, size, size), pattern(owner, size))
    return image


def _frame(board: Board, title: str) -> Image.Image:
    size = max(_LEAST_TILE, min(_MOST_TILE, _SIDE // max(board.width, board.height)))
    image = Image.new("P", (board.width * size, board.height * size + _BAR), _GROUND)
    image.putpalette(_palette())
    for tile, value in enumerate(board.tiles):
        row, column = divmod(tile, board.width)
        image.paste(_tile(value, board.owners[tile], size), (column * size, _BAR + row * size))
    pen = ImageDraw.Draw(image)
    pen.fontmode = "1"  # no half-tones: the palette has none
    pen.text((4, _BAR // 2), title, _INK, font(15, bold=True), anchor="lm")
    for tile, city in board.cities.items():
        x, y = _corner(board, tile, size)
        pen.rectangle((x, y, x + size - 1, y + size - 1), fill=_PLAYER + city.owner, outline=_INK, width=2)
    for tile, army in board.armies.items():
        x, y = _corner(board, tile, size)
        half = size * (0.2 + 0.25 * min(1.0, army.units / _BIG))
        middle = (x + size / 2, y + size / 2)
        box = (middle[0] - half, middle[1] - half, middle[0] + half, middle[1] + half)
        pen.ellipse(box, fill=_PLAYER + army.owner, outline=_OUTLINE)
    return image


def _corner(board: Board, tile: int, size: int) -> tuple[int, int]:
    row, column = divmod(tile, board.width)
    return column * size, _BAR + row * size


def film_of(boards: Iterable[tuple[Board, str]], rounds: int = 0) -> bytes:
    """Return the animation of boards and their titles, each drawn before the next one is asked for."""
    film = Film(rounds)
    for board, title in boards:
        film.add(board, title)
    return film.gif()
