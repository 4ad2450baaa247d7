"""Tells how a war went: the game replayed from its events, without AIs and dice, scores by round, what decided it."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from sim.core.errors import RuleError
from sim.core.numbers import quantity
from sim.core.values import Ending
from sim.mad_killer_agents.battle import events as e
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.orders import apply_order
from sim.mad_killer_agents.battle.values import DirectedOrder, Discover, Order, State, TileOrder, World
from sim.mad_killer_agents.terrain import read_tile


def board_by_round(events: Iterable[e.Event]) -> Iterator[tuple[Board, int]]:
    """Yield the board at the start of each round and at the end of the last one, with the round's number.

    Always yields the same board, which changes afterwards. RuleError if an event doesn't follow from those before.
    """
    return ((board, number) for board, number, is_end in _turns(events) if is_end)


def _turns(events: Iterable[e.Event]) -> Iterator[tuple[Board, int, bool]]:
    """Yield the board before and after each turn begins, and at the end, with the round, and whether one is over."""
    replay: _Replay | None = None
    all_events = tuple(events)
    undone = any(isinstance(event, e.Undone) for event in all_events)
    for event in all_events:
        if isinstance(event, e.Began):
            replay = _Replay(event, undoable=undone)
        elif replay is not None:
            before = replay.round
            if isinstance(event, e.TurnBegan):
                replay.round = event.round
                yield replay.board, event.round, event.round > before
            replay.apply(event)
            if isinstance(event, e.TurnBegan):
                yield replay.board, event.round, False
    if replay is not None:
        yield replay.board, replay.round, True


class _Replay:
    """A game replayed from its events. `undoable`: remember the start of the turn and its orders."""

    def __init__(self, event: e.Began, *, undoable: bool = True) -> None:
        self.undoable = undoable
        self.names = dict(event.players)
        # The newest edition of the rules forbids nothing that an earlier one allowed.
        self.board = Board.of(event.world, self.names)
        self.round = 0
        self.before: World = event.world
        self.orders: list[Order] = []

    def apply(self, event: e.Event) -> None:
        if isinstance(event, e.TurnBegan):
            self.board.start_turn(event.by, event.round)
            self._mark_start()
        elif isinstance(event, e.Undone):
            self.orders = self.orders[: len(self.orders) - event.orders]
            self.board = Board.of(self.before, self.names)
            for order in self.orders:
                apply_order(self.board, event.by, order)
        elif isinstance(event, e.Resigned):
            self.board.disband(event.by)
            self._mark_start()
        elif isinstance(event, e.Out):
            self.board.sides[event.by].out = True
        else:
            for order in _orders_of(event, self.board.width, self.board.height):
                apply_order(self.board, getattr(event, "by", 0), order)
                if self.undoable:
                    self.orders.append(order)

    def _mark_start(self) -> None:
        if self.undoable:
            self.before, self.orders = self.board.world(), []


def _orders_of(event: e.Event, width: int, height: int) -> list[Order]:
    """Return the orders behind an event; most events have none."""

    def directed(do: str, at: str, to: str, units: int) -> Order:
        return DirectedOrder(at=read_tile(at, width, height), to=read_tile(to, width, height), units=units, do=do)

    if isinstance(event, e.Moved):
        return [directed("march" if lost else "move", at, to, units) for at, to, units, lost in event.ways]
    if isinstance(event, e.Fought):
        return [directed("attack", event.at, event.to, event.units)]
    if not isinstance(event, e.Founded | e.Grew | e.Shaped | e.Discovered | e.Passed):
        return []
    at = read_tile(event.at, width, height)
    if isinstance(event, e.Discovered):
        return [Discover(at=at, tech=event.tech)]
    if isinstance(event, e.Shaped):
        return [TileOrder(at=at, do="raise" if event.raised else "lower")]
    return [TileOrder(at=at, do=_TILE_VERBS[event.event])]


_TILE_VERBS = {"founded": "found", "grew": "grow", "passed": "pass"}


class History:
    """A war that is over. `scores`: by player number, at the start and at the end of each round.

    `behind`: the last round in which the winner wasn't ahead before or after a turn began; None if there was none.
    """

    def __init__(self, state: State, events: Iterable[e.Event]) -> None:
        """Replay the events; RuleError if no game began."""
        self.state = state
        self.scores: dict[int, list[int]] = {player.number: [] for player in state.players}
        self.behind: int | None = None
        for at, (board, now, is_end) in enumerate(_turns(events)):
            points = dict(board.scores())
            for number in points if is_end else ():
                self.scores[number].append(points[number])
            best = max(points, key=points.__getitem__)
            if at and (best != state.winner or list(points.values()).count(points[best]) > 1):
                self.behind = now
        if not any(self.scores.values()):
            raise RuleError("The game has not begun yet.")

    @property
    def ranked(self) -> list[int]:
        """The players' numbers, the winners first, then by their final scores."""
        first = {self.state.winner, *self.state.sharing}
        return sorted(self.scores, key=lambda number: (number not in first, -self.scores[number][-1], number))

    @property
    def headline(self) -> str:
        """Who won, and by how much."""
        names = [self.state.player(number).name for number in self.ranked]
        if self.state.winner is None:
            shared = " and ".join(names[: len(self.state.sharing)])
            return f"{shared} share the victory" if shared else "Nobody is left"
        if self.state.ending is Ending.ANNIHILATION:
            return f"{names[0]} wins: nobody else is left"
        first, second = (self.scores[number][-1] for number in self.ranked[:2])
        return f"{names[0]} wins by {first - second:,} points"

    def ahead_since(self) -> int | None:
        """Return the round from which the winner was ahead for good; None without a winner alone."""
        return None if self.state.winner is None else self.behind or 1

    def worst_blow(self) -> tuple[int, int, int] | None:
        """Return who lost the most points in a round, in which one, and how many; None if nobody lost any."""
        blows = [
            (number, at, before - after)
            for number, scores in self.scores.items()
            for at, (before, after) in enumerate(pairwise(scores), start=1)
            if after < before
        ]
        return max(blows, key=lambda blow: (blow[2], -blow[1]), default=None)

    def turning_points(self) -> list[str]:
        """Return what decided the war, in sentences that are short on a card; long names may be cut."""
        since, blow = self.ahead_since(), self.worst_blow()
        told = []
        if since is not None and self.state.winner is not None:
            told.append(
                "The winner led " + ("all the way." if self.behind is None else f"for good from round {since}.")
            )
        if blow is not None:
            number, at, points = blow
            told.append(f"Round {at}: {self.state.player(number).name} lost {quantity(points, 'point')}.")
        return told

    def alt(self) -> str:
        """Return the figures in words, for people who can't see the card."""
        scores = ", ".join(f"{self.state.player(number).name} {self.scores[number][-1]:,}" for number in self.ranked)
        rounds = quantity(self.state.round, "round")
        return " ".join([f"{self.headline} after {rounds}.", *self.turning_points(), f"Points: {scores}."])
