"""Runs one step of a game: an action, and the AIs' turns that follow until a person has to decide."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Self

from sim.core import Faults, NotAllowedError, Problem, RuleError, flaw
from sim.core.battle import IllegalActionError, Step
from sim.core.dice import Dice, shuffled
from sim.core.values import Ending
from sim.mad_killer_agents.battle import Order, Phase, Player, State, Track
from sim.mad_killer_agents.battle.ai import play_barbarian, play_pillager, play_random
from sim.mad_killer_agents.battle.board import Board, board_of
from sim.mad_killer_agents.battle.events import Began, Ended, Event, Out, Paused, Played, Refused, Resigned, Undone
from sim.mad_killer_agents.battle.marshal import open_way, play_marshal
from sim.mad_killer_agents.battle.order_input import read_orders
from sim.mad_killer_agents.battle.orders import apply_order
from sim.mad_killer_agents.constants import LATER_UNITS, QUIET_ROUNDS, AiKind
from sim.mad_killer_agents.terrain import spread_tiles, starting_tiles

MAX_AI_SECONDS = 1.2
"""AIs pause after turns in one step that may have taken this long, by `turn_seconds`."""
MAX_AI_TURNS = 64
"""AIs pause after this many turns in one step."""
MAX_TRACKS = 60
"""Steps of a player's last turn that are kept for the picture."""
MAX_TURN_ORDERS = 2000
"""Orders in one turn."""


def turn_seconds(tiles: int, armies: int) -> float:
    """Return an upper estimate, in seconds, of one AI turn with `armies` on the map in all."""
    return tiles * 2e-5 + armies * 3e-4  # measured


AIS: Mapping[AiKind, Callable[[Board, int, Dice, int | None], None]] = {
    AiKind.RANDOM: lambda board, player, dice, _: play_random(board, player, dice),
    AiKind.PILLAGER: lambda board, player, *_: play_pillager(board, player),
    AiKind.BARBARIAN: lambda board, player, *_: play_barbarian(board, player),
    AiKind.MARSHAL: lambda board, player, _, rounds_left: play_marshal(board, player, rounds_left),
}
"""Each plays a player's turn after it has begun; the caller ends it.

The last argument is the number of rounds left, this one included; None for no limit.
"""


class StepRunner:
    """A game while a step changes it; `events` collects what happens."""

    def __init__(self, state: State, dice: Dice, board: Board | None = None) -> None:
        """Continue from the state's world, or from the board of a new game."""
        self._dice = dice
        self._state = state
        self.events: list[Event] = []
        self.board = board or board_of(state)
        self.board.log = self.events
        self._tracks: dict[int, list[Track]] = {}
        for track in state.tracks:
            self._tracks.setdefault(track[0], []).append(track)

    @classmethod
    def start(cls, state: State, dice: Dice) -> Self:
        """Draw the order and the board, begin the first turn; RuleError if the map has no room for the players."""
        version, players = state.setup.edition, {player.number: player.name for player in state.players}
        order = () if version == 1 else tuple(shuffled(players, dice))
        terrain = state.setup.terrain or state.setup.drawing.draw(dice, version)
        choose = spread_tiles if version == 1 else starting_tiles
        board = Board.new(terrain, choose(terrain, len(players), dice), players, version)
        for place, number in enumerate(order):
            (tile,) = board.armies_of(number)
            board.armies[tile].units += LATER_UNITS * place // len(order)
        if state.setup.settled:
            board.settle()
        runner = cls(state.model_copy(update={"order": order}), dice, board)
        names = tuple((player.number, player.name) for player in runner._state.in_order)
        runner.events.append(Began(world=board.world(), players=names))
        runner._set(phase=Phase.PLAYING)
        runner._start_round()
        return runner

    @property
    def state(self) -> State:
        """The current state."""
        return self._state.model_copy(
            update={"world": self.board.world(), "tracks": tuple(chain(*self._tracks.values()))}
        )

    @property
    def player(self) -> Player:
        """The player on turn."""
        return self._state.player(self._state.turn)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._state.phase is Phase.OVER

    @property
    def round(self) -> int:
        """The number of the current round."""
        return self._state.round

    def finish(self) -> Step[State, Event]:
        """Let AIs play while it is their turn and there is time left in this step, and return it."""
        seconds, turns = 0.0, 0
        while self._state.phase is Phase.PLAYING and (ai := self.player.played_by) is not None:
            seconds += turn_seconds(len(self.board.tiles), len(self.board.armies))
            turns += 1
            if turns > 1 and (seconds > MAX_AI_SECONDS or turns > MAX_AI_TURNS):
                self.events.append(Paused(round=self._state.round))
                break
            self.play_turn(ai)
        return self.step()

    def step(self) -> Step[State, Event]:
        """Return what happened, and the state that it led to."""
        return Step(self.state, tuple(self.events))

    def change(self, player: Player, event: Event) -> None:
        """Replace a player; `event` says why."""
        others = self._state.players
        self._set(players=tuple(player if other.number == player.number else other for other in others))
        self.events.append(event)

    def _set(self, **changes: object) -> None:
        self._state = self._state.model_copy(update=changes)

    def _start_turn(self) -> None:
        state = self._state
        self._tracks.pop(state.turn, None)
        self.board.start_turn(state.turn, state.round)
        person = self.player.played_by is None
        self._set(before=self.board.world() if person else None, orders=())

    def wait_for_person(self) -> None:
        """Let a person play the turn that an AI was to play; undo goes back to this point."""
        if self._state.before is None:
            self._set(before=self.board.world(), orders=())

    def give_orders(self, orders: Sequence[Order]) -> None:
        """Carry out orders of the player on turn; IllegalActionError if one isn't allowed."""
        for number, order in enumerate(orders, start=1):
            try:
                apply_order(self.board, self._state.turn, order)
            except RuleError as error:
                prefix = f"Order {number}: " if len(orders) > 1 else ""
                raise IllegalActionError(f"{prefix}{error}") from None
        self._record(orders)

    def write_orders(self, text: str) -> None:
        """Carry out the orders of a text that are allowed; TextError if one can't be read or none is allowed.

        The turn doesn't end if an order was left out.
        """
        board, number = self.board, self._state.turn
        parsed = read_orders(text, board.width, board.height)
        orders: list[Order] = []
        refused = Faults[Problem]()
        for order, span in parsed:
            if order is None:
                continue
            if (why := flaw(partial(apply_order, board, number, order))) is None:
                orders.append(order)
            else:
                refused.add(Problem(span, why))
        if refused and not orders:
            raise NotAllowedError(text, refused.told, refused.more)
        for problem in refused.told:
            written = text[problem.span.start : problem.span.end]
            board.note(Refused, number, order=written, why=problem.message)
        self._record(orders)
        if not refused and parsed[-1][0] is None and self._state.phase is Phase.PLAYING:
            self.end_turn()

    def _record(self, orders: Sequence[Order]) -> None:
        given = (*self._state.orders, *orders)
        if len(given) > MAX_TURN_ORDERS:
            raise IllegalActionError(f"A turn has at most {MAX_TURN_ORDERS:,} orders.")
        self._set(orders=given)
        self._record_tracks()
        self._eliminate()

    def _record_tracks(self) -> None:
        own = self._tracks.pop(self._state.turn, []) + self.board.moves
        self._tracks[self._state.turn] = own[-MAX_TRACKS:]
        self.board.moves = []

    def undo(self, count: int) -> None:
        """Undo the last `count` orders of the turn by replaying the others from its start."""
        state = self._state
        kept = state.orders[: len(state.orders) - count]
        self.board = board_of(state.model_copy(update={"world": state.before}))
        for order in kept:
            apply_order(self.board, state.turn, order)
        self.board.log = self.events
        self._tracks.pop(state.turn, None)
        self._record_tracks()
        self._set(orders=kept)
        self.board.note(Undone, state.turn, orders=len(state.orders) - len(kept))

    def play_turn(self, ai: AiKind) -> None:
        """Let an AI play the turn, or the rest of it, and end it."""
        state = self._state
        self.board.note(Played, state.turn, ai=ai, instead=self.player.ai is None)
        rounds = None if state.setup.rounds is None else state.setup.rounds - state.round + 1
        if state.setup.edition > 1:
            open_way(ai, self.board, state.turn, rounds)
        AIS[ai](self.board, state.turn, self._dice, rounds)
        self._record_tracks()
        self._eliminate()
        if self._state.phase is Phase.PLAYING and self._state.turn == state.turn:
            self.end_turn()

    def end_turn(self) -> None:
        """Begin the next player's turn, or end the game after the last round."""
        state = self._state
        numbers = [player.number for player in state.in_order]
        later = self._first_living(numbers[numbers.index(state.turn) + 1 :])
        if later is not None:
            self._set(turn=later)
            self._start_turn()
        elif state.round == state.setup.rounds:
            self._finish(Ending.ROUND_LIMIT)
        elif self.board.quiet >= QUIET_ROUNDS:
            self._finish(Ending.QUIET)
        else:
            self._start_round()

    def _start_round(self) -> None:
        state = self._state
        if state.setup.edition > 1:
            self.board.quiet += 1
        self._set(turn=self._first_living(player.number for player in state.in_order), round=state.round + 1)
        self._start_turn()

    def _first_living(self, numbers: Iterable[int]) -> int | None:
        return next((number for number in numbers if not self.board.sides[number].out), None)

    def resign(self, number: int) -> None:
        """Let a player resign."""
        self.board.note(Resigned, number)
        self.board.disband(number)
        self._tracks.pop(number, None)
        if self._state.turn != number and self._state.before is not None:
            # An undo past this point would bring the player back.
            self._set(before=self.board.world(), orders=())
        self._eliminate()

    def _eliminate(self) -> None:
        """Eliminate players with nothing left; that may end the turn or the game."""
        for number in self.board.eliminate():
            self.board.note(Out, number)
            self._tracks.pop(number, None)
        living = self.board.living()
        if len(living) <= 1:
            self._finish(Ending.ANNIHILATION if living else Ending.MUTUAL)
        elif self._state.turn not in living:
            self.end_turn()

    def _finish(self, ending: Ending) -> None:
        """End the game: the highest score among the living wins; players with equal scores share the victory."""
        scores = self.board.scores()
        alive = {number: points for number, points in scores if not self.board.sides[number].out}
        best = tuple(number for number, points in alive.items() if points == max(alive.values()))
        winner, sharing = (best[0], ()) if len(best) == 1 else (None, best)
        self._set(phase=Phase.OVER, ending=ending, winner=winner, sharing=sharing, before=None, orders=())
        ranked = sorted(scores, key=lambda score: (-score[1], score[0]))
        ranking = tuple((number, self._state.player(number).name, points) for number, points in ranked)
        self.events.append(
            Ended(ending=ending, winner=winner, sharing=sharing, rounds=self._state.round, scores=ranking)
        )
