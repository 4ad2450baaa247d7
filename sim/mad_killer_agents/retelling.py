"""A game done again from its events alone: no AI has to think, no dice have to fall."""

from collections.abc import Iterable, Iterator

from sim.mad_killer_agents.board import Board
from sim.mad_killer_agents.events import (
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
from sim.mad_killer_agents.orders import Attack, Discover, Found, Grow, Lower, March, Move, Order, Pass, Raise
from sim.mad_killer_agents.places import read_place
from sim.mad_killer_agents.rules import obey
from sim.mad_killer_agents.values import World


def retell(events: Iterable[Event]) -> Iterator[tuple[Board, int]]:
    """Yield the board as each round begins, and as the last one ends, with the round's number.

    The board goes on changing: it is to be used before the next one is asked for. RuleError for events that don't
    follow from each other.
    """
    teller: _Teller | None = None
    for event in events:
        if isinstance(event, Began):
            teller = _Teller(event)
        elif teller is not None:
            if isinstance(event, TurnBegan) and event.round > teller.round:
                teller.round = event.round
                yield teller.board, event.round
            teller.hear(event)
    if teller is not None:
        yield teller.board, teller.round


class _Teller:
    """A game that is told: `before` and `orders` are there to take orders back."""

    def __init__(self, event: Began) -> None:
        self.names = dict(event.players)
        self.board = Board.of(event.world, self.names)
        self.round = 0
        self.before: World = event.world
        self.orders: list[Order] = []

    def hear(self, event: Event) -> None:
        """Do what an event tells of."""
        if isinstance(event, TurnBegan):
            self.board.start_turn(event.by, event.round)
            self._keep()
        elif isinstance(event, Undone):
            self.orders = self.orders[: len(self.orders) - event.orders]
            self.board = Board.of(self.before, self.names)
            for order in self.orders:
                obey(self.board, event.by, order)
        elif isinstance(event, Resigned):
            self.board.disband(event.by)
            self._keep()
        elif isinstance(event, Out):
            self.board.sides[event.by].out = True
        else:
            for order in orders_of(event, self.board.width, self.board.height):
                obey(self.board, getattr(event, "by", 0), order)
                self.orders.append(order)

    def _keep(self) -> None:
        self.before, self.orders = self.board.world(), []


def orders_of(event: Event, width: int, height: int) -> list[Order]:
    """Return the orders that an event tells of, none for most."""

    def tile(name: str) -> int:
        return read_place(name, width, height)

    if isinstance(event, Moved):
        return [
            (March if lost else Move)(at=tile(at), to=tile(to), units=units) for at, to, units, lost in event.ways
        ]
    if isinstance(event, Fought):
        return [Attack(at=tile(event.at), to=tile(event.to), units=event.units)]
    if isinstance(event, Shaped):
        return [(Raise if event.raised else Lower)(at=tile(event.at))]
    if isinstance(event, Discovered):
        return [Discover(at=tile(event.at), tech=event.tech)]
    if isinstance(event, Founded):
        return [Found(at=tile(event.at))]
    if isinstance(event, Grew):
        return [Grow(at=tile(event.at))]
    return [Pass(at=tile(event.at))] if isinstance(event, Passed) else []
