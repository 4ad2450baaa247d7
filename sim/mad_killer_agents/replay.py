"""A game replayed from its events, without AIs and dice."""

from collections.abc import Iterable, Iterator

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

_TILE_ORDERS: dict[str, type[Found | Grow | Pass]] = {"founded": Found, "grew": Grow, "passed": Pass}


def board_by_round(events: Iterable[Event]) -> Iterator[tuple[Board, int]]:
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
        # The newest edition of the rules forbids nothing that an earlier one allowed.
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
