"""Boards of a game for its film, replayed from the events alone: without AIs and dice."""

from collections.abc import Iterable, Iterator

from sim.mad_killer_agents.battle.apply_order import apply_order
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
from sim.mad_killer_agents.battle.orders import Attack, Discover, Found, Grow, Lower, March, Move, Order, Pass, Raise
from sim.mad_killer_agents.battle.values import World
from sim.mad_killer_agents.tile_names import read_place


def film_frames(events: Iterable[Event]) -> Iterator[tuple[Board, int]]:
    """Yield the board as each round begins, and as the last one ends, with the round's number.

    The board goes on changing: use it before asking for the next one. RuleError for events that don't
    follow from each other.
    """
    replay: _Replay | None = None
    all_events = tuple(events)
    undone = any(isinstance(event, Undone) for event in all_events)
    for event in all_events:
        if isinstance(event, Began):
            replay = _Replay(event, keeps=undone)
        elif replay is not None:
            if isinstance(event, TurnBegan) and event.round > replay.round:
                replay.round = event.round
                yield replay.board, event.round
            replay.apply(event)
    if replay is not None:
        yield replay.board, replay.round


class _Replay:
    """A game replayed from its events; `keeps`: remember the turn's start and its orders, to undo some."""

    def __init__(self, event: Began, *, keeps: bool = True) -> None:
        self.keeps = keeps
        self.names = dict(event.players)
        self.board = Board.of(event.world, self.names)
        self.round = 0
        self.before: World = event.world
        self.orders: list[Order] = []

    def apply(self, event: Event) -> None:
        """Change the board as the event says."""
        if isinstance(event, TurnBegan):
            self.board.start_turn(event.by, event.round)
            self._keep()
        elif isinstance(event, Undone):
            self.orders = self.orders[: len(self.orders) - event.orders]
            self.board = Board.of(self.before, self.names)
            for order in self.orders:
                apply_order(self.board, event.by, order)
        elif isinstance(event, Resigned):
            self.board.disband(event.by)
            self._keep()
        elif isinstance(event, Out):
            self.board.sides[event.by].out = True
        else:
            for order in orders_of(event, self.board.width, self.board.height):
                apply_order(self.board, getattr(event, "by", 0), order)
                if self.keeps:
                    self.orders.append(order)

    def _keep(self) -> None:
        if self.keeps:
            self.before, self.orders = self.board.world(), []


def orders_of(event: Event, width: int, height: int) -> list[Order]:
    """Return the orders that an event tells of, none for most."""
    if isinstance(event, Moved):
        return [
            (March if lost else Move)(at=read_place(at, width, height), to=read_place(to, width, height), units=units)
            for at, to, units, lost in event.ways
        ]
    if not isinstance(event, Fought | Founded | Grew | Shaped | Discovered | Passed):
        return []
    at = read_place(event.at, width, height)
    if isinstance(event, Fought):
        return [Attack(at=at, to=read_place(event.to, width, height), units=event.units)]
    if isinstance(event, Shaped):
        return [Raise(at=at) if event.raised else Lower(at=at)]
    if isinstance(event, Discovered):
        return [Discover(at=at, tech=event.tech)]
    return [_HERE[event.event](at=at)]


_HERE: dict[str, type[Found | Grow | Pass]] = {"founded": Found, "grew": Grow, "passed": Pass}
