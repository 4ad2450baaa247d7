"""A game as an animated picture (GIF), replayed from its events without AIs and dice. Only workers import this."""

import io
from collections.abc import Iterable, Iterator
from functools import lru_cache

from PIL import Image, ImageDraw

from sim.core.cards.text import font
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.events import (
    Began,
    Discovered,
    Event,
    Fought,
    Founded,
    Grew,
    Moved,
    Out,
    Passed,
    Resigned,
    Shaped,
    TurnBegan,
    Undone,
)
from sim.mad_killer_agents.battle.orders import apply_order
from sim.mad_killer_agents.battle.values import (
    Attack,
    Discover,
    Found,
    Grow,
    Lower,
    March,
    Move,
    Order,
    Pass,
    Raise,
    World,
)
from sim.mad_killer_agents.grid import read_tile
from sim.mad_killer_agents.pictures import GROUND, INK, OUTLINE, PLAYERS, ROCK, TERRAIN, pattern

MAX_FRAMES = 80
_SIDE = 480
_MIN_TILE, _MAX_TILE = 10, 24
_BAR = 28
_MILLISECONDS = 200
_LAST_MILLISECONDS = 3000

_COLORS = [*TERRAIN, *PLAYERS, OUTLINE, INK, ROCK]
_PLAYER = len(TERRAIN)
_OUTLINE = _COLORS.index(OUTLINE)
_INK = _COLORS.index(INK)
_ROCK = _COLORS.index(ROCK)
_GROUND = _COLORS.index(GROUND)
_BIG = 100
"""Units of an army that is drawn at full size."""

_TILE_ORDERS: dict[str, type[Found | Grow | Pass]] = {"founded": Found, "grew": Grow, "passed": Pass}


def film_frames(events: Iterable[Event]) -> Iterator[tuple[Board, int]]:
    """Yield the board at the start of each round and at the end of the last one, with the round's number.

    Always yields the same board, which changes afterwards. RuleError if an event doesn't follow from those before.
    """
    replay: _Replay | None = None
    all_events = tuple(events)
    undone = any(isinstance(event, Undone) for event in all_events)
    for event in all_events:
        if isinstance(event, Began):
            replay = _Replay(event, undoable=undone)
        elif replay is not None:
            if isinstance(event, TurnBegan) and event.round > replay.round:
                replay.round = event.round
                yield replay.board, event.round
            replay.apply(event)
    if replay is not None:
        yield replay.board, replay.round


class _Replay:
    """A game replayed from its events. `undoable`: remember the start of the turn and its orders."""

    def __init__(self, event: Began, *, undoable: bool = True) -> None:
        self.undoable = undoable
        self.names = dict(event.players)
        self.board = Board.of(event.world, self.names)
        self.round = 0
        self.before: World = event.world
        self.orders: list[Order] = []

    def apply(self, event: Event) -> None:
        """Change the board by the event."""
        if isinstance(event, TurnBegan):
            self.board.start_turn(event.by, event.round)
            self._mark_start()
        elif isinstance(event, Undone):
            self.orders = self.orders[: len(self.orders) - event.orders]
            self.board = Board.of(self.before, self.names)
            for order in self.orders:
                apply_order(self.board, event.by, order)
        elif isinstance(event, Resigned):
            self.board.disband(event.by)
            self._mark_start()
        elif isinstance(event, Out):
            self.board.sides[event.by].out = True
        else:
            for order in orders_of(event, self.board.width, self.board.height):
                apply_order(self.board, getattr(event, "by", 0), order)
                if self.undoable:
                    self.orders.append(order)

    def _mark_start(self) -> None:
        if self.undoable:
            self.before, self.orders = self.board.world(), []


def orders_of(event: Event, width: int, height: int) -> list[Order]:
    """Return the orders behind an event; most events have none."""
    if isinstance(event, Moved):
        return [
            (March if lost else Move)(at=read_tile(at, width, height), to=read_tile(to, width, height), units=units)
            for at, to, units, lost in event.ways
        ]
    if not isinstance(event, Fought | Founded | Grew | Shaped | Discovered | Passed):
        return []
    at = read_tile(event.at, width, height)
    if isinstance(event, Fought):
        return [Attack(at=at, to=read_tile(event.to, width, height), units=event.units)]
    if isinstance(event, Shaped):
        return [Raise(at=at) if event.raised else Lower(at=at)]
    if isinstance(event, Discovered):
        return [Discover(at=at, tech=event.tech)]
    return [_TILE_ORDERS[event.event](at=at)]


class Film:
    """Frames of a game of about `rounds` rounds, thinned out if it is long. Call `add` for each round, then `gif`."""

    def __init__(self, rounds: int = 0) -> None:
        self._frames: list[Image.Image] = []
        self._every = max(1, -(-rounds // MAX_FRAMES))
        self._seen = 0
        self._last: tuple[Board, str] | None = None

    def add(self, board: Board, title: str) -> None:
        """Add the board with a title; the last board always becomes a frame."""
        if self._seen % self._every == 0 and len(self._frames) < MAX_FRAMES:
            self._frames.append(_frame(board, title))
            self._last = None
        else:
            self._last = board, title
        self._seen += 1

    def gif(self) -> bytes:
        """Return the animation; ValueError without a frame. The last board must not have changed since `add`."""
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
    return [part for color in _COLORS for part in color]


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
    size = max(_MIN_TILE, min(_MAX_TILE, _SIDE // max(board.width, board.height)))
    image = Image.new("P", (board.width * size, board.height * size + _BAR), _GROUND)
    image.putpalette(_palette())
    for tile, value in enumerate(board.tiles):
        row, column = divmod(tile, board.width)
        image.paste(_tile(value, board.owners[tile], size), (column * size, _BAR + row * size))
    pen = ImageDraw.Draw(image)
    pen.fontmode = "1"  # no antialiasing: the palette has no colors for it
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


def film_gif(boards: Iterable[tuple[Board, str]], rounds: int = 0) -> bytes:
    """Return the animation of boards with titles; draws each board before it takes the next one."""
    film = Film(rounds)
    for board, title in boards:
        film.add(board, title)
    return film.gif()
