"""One step of a game: what an action leads to, and the AIs' turns that follow, until a person has to decide."""

from collections.abc import Iterable, Sequence

from sim.core.battle import IllegalActionError
from sim.core.dice import Dice
from sim.core.errors import RuleError
from sim.core.outcomes import Ending
from sim.mad_killer_agents.battle.ai import play
from sim.mad_killer_agents.battle.apply_order import apply_order
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.events import Ended, Event, Out, Paused, Played, Resigned, Undone
from sim.mad_killer_agents.battle.order_text import apply_order_text
from sim.mad_killer_agents.battle.orders import Order
from sim.mad_killer_agents.battle.values import Phase, Player, State
from sim.mad_killer_agents.constants import AiKind

AT_ONCE_SECONDS = 1.2
"""AIs pause when their turns in one step may have taken so long, by `turn_seconds`."""
AT_ONCE_TURNS = 64
"""AIs pause after so many turns at once."""
MOST_TRACKS = 60
"""Ways of a player that are kept for the picture, the last ones."""
MOST_TURN_ORDERS = 2000
"""Orders of one turn."""

_SECONDS_PER_TILE, _SECONDS_PER_ARMY = 2e-5, 3e-4  # measured; a rough upper figure


def turn_seconds(tiles: int, armies: int) -> float:
    """Return about how many seconds an AI's turn takes at most, with so many armies on the map in all."""
    return tiles * _SECONDS_PER_TILE + armies * _SECONDS_PER_ARMY


class StepRunner:
    """A game under way: `state` changes as the rules demand, `events` tell of it."""

    def __init__(self, state: State, dice: Dice, board: Board | None = None) -> None:
        """Take the state's world, or the board of a game that begins."""
        self._dice = dice
        self._state = state
        self.events: list[Event] = []
        if board is None:
            if state.world is None:
                raise IllegalActionError("The game has not begun yet.")
            board = Board.of(state.world, {player.number: player.name for player in state.players})
        self.board = board
        board.log = self.events
        self._tracks = list(state.tracks)

    @property
    def state(self) -> State:
        """How the game stands now."""
        return self._state.model_copy(update={"world": self.board.world(), "tracks": tuple(self._tracks)})

    @property
    def player(self) -> Player:
        """Whose turn it is."""
        return self._state.player(self._state.turn)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._state.phase is Phase.OVER

    @property
    def round(self) -> int:
        """The number of the round that is being played."""
        return self._state.round

    def set_players(self, players: Sequence[Player]) -> None:
        """Change who plays."""
        self._set(players=tuple(players))

    def _set(self, **changes: object) -> None:
        self._state = self._state.model_copy(update=changes)

    def begin(self) -> None:
        """Begin the first turn of the first round."""
        self._set(phase=Phase.PLAYING, round=1, turn=self.board.living()[0])
        self._start_turn()

    def _start_turn(self) -> None:
        state = self._state
        self._tracks = [track for track in self._tracks if track[0] != state.turn]
        self.board.start_turn(state.turn, state.round)
        person = self.player.played_by is None
        self._set(before=self.board.world() if person else None, orders=())

    def hand_over(self) -> None:
        """Let a person play the turn that waited for an AI; it can be undone up to here."""
        if self._state.before is None:
            self._set(before=self.board.world(), orders=())

    def give(self, orders: Sequence[Order]) -> None:
        """Carry out orders of the player whose turn it is; IllegalActionError for a wrong one."""
        for number, order in enumerate(orders, start=1):
            try:
                apply_order(self.board, self._state.turn, order)
            except RuleError as error:
                which = f"Order {number}: " if len(orders) > 1 else ""
                raise IllegalActionError(f"{which}{error}") from None
        self._remember(orders)

    def write(self, text: str) -> None:
        """Carry out orders as text; TextError at the first that isn't allowed."""
        orders, ends = apply_order_text(self.board, self._state.turn, text)
        self._remember(orders)
        if ends and self._state.phase is Phase.PLAYING:
            self.end_turn()

    def _remember(self, orders: Sequence[Order]) -> None:
        done = (*self._state.orders, *orders)
        if len(done) > MOST_TURN_ORDERS:
            raise IllegalActionError(f"A turn has at most {MOST_TURN_ORDERS:,} orders.")
        self._set(orders=done)
        self._track()
        self._settle()

    def _track(self) -> None:
        turn = self._state.turn
        others = [track for track in self._tracks if track[0] != turn]
        ours = [track for track in self._tracks if track[0] == turn] + self.board.moves
        self.board.moves = []
        self._tracks = others + ours[-MOST_TRACKS:]

    def undo(self, orders: int) -> None:
        """Take the last orders of the turn back, by doing the others again from its start."""
        state = self._state
        if state.before is None or not state.orders:
            raise IllegalActionError("Nothing was ordered in this turn yet.")
        kept = state.orders[: len(state.orders) - orders]
        names = {player.number: player.name for player in state.players}
        self.board = Board.of(state.before, names)
        for order in kept:
            apply_order(self.board, state.turn, order)
        self.board.log = self.events
        self._tracks = [track for track in self._tracks if track[0] != state.turn]
        self._track()
        self._set(orders=kept)
        self.events.append(Undone(by=state.turn, name=self.player.name, orders=len(state.orders) - len(kept)))

    def play_turn(self, ai: AiKind) -> None:
        """Let an AI play the turn, or what is left of it, and end it."""
        state = self._state
        instead = self.player.ai is None
        self.events.append(Played(by=state.turn, name=self.player.name, ai=ai, instead=instead))
        rounds = state.setup.rounds
        play(ai, self.board, state.turn, self._dice, None if rounds is None else rounds - state.round + 1)
        self._track()
        turn = self._state.turn
        self._settle()
        if self._state.phase is Phase.PLAYING and self._state.turn == turn:
            self.end_turn()

    def end_turn(self) -> None:
        """Go on to the next player's turn; after the last round the game is over."""
        state = self._state
        later = [number for number in self.board.living() if number > state.turn]
        if later:
            self._set(turn=later[0])
        elif state.round == state.setup.rounds:
            self._finish(Ending.ROUND_LIMIT, self.board.living())
            return
        else:
            self._set(turn=self.board.living()[0], round=state.round + 1)
        self._start_turn()

    def go_on(self) -> None:
        """Let AIs play as long as it is their turn and they have time."""
        seconds, turns = 0.0, 0
        while self._state.phase is Phase.PLAYING and (ai := self.player.played_by) is not None:
            seconds += turn_seconds(len(self.board.tiles), len(self.board.armies))
            turns += 1
            if turns > 1 and (seconds > AT_ONCE_SECONDS or turns > AT_ONCE_TURNS):
                self.events.append(Paused(round=self._state.round))
                return
            self.play_turn(ai)

    def resign(self, number: int) -> None:
        """Take a player out of the game."""
        self.events.append(Resigned(by=number, name=self._state.player(number).name))
        self.board.disband(number)
        self._tracks = [track for track in self._tracks if track[0] != number]
        if self._state.turn != number and self._state.before is not None:
            # What was undone would bring the player back: the turn can be undone up to here.
            self._set(before=self.board.world(), orders=())
        self._settle()

    def _settle(self) -> None:
        """See who is out, and whether that ends the turn or the game."""
        for number in self.board.fallen():
            self.events.append(Out(by=number, name=self._state.player(number).name))
            self._tracks = [track for track in self._tracks if track[0] != number]
        living = self.board.living()
        if len(living) <= 1:
            self._finish(Ending.ANNIHILATION if living else Ending.MUTUAL, living)
        elif self._state.turn not in living:
            self.end_turn()

    def _finish(self, ending: Ending, living: Iterable[int]) -> None:
        """End the game: the highest score of the living wins; equal ones share the victory."""
        scores = self.board.scores()
        alive = [(points, number) for number, points in scores if number in set(living)]
        most = max(alive, default=(0, 0))[0]
        best = [number for points, number in alive if points == most]
        winner = best[0] if len(best) == 1 else None
        sharing = tuple(best) if len(best) > 1 else ()
        self._set(phase=Phase.OVER, ending=ending, winner=winner, sharing=sharing, before=None, orders=())
        ranked = sorted(scores, key=lambda score: (-score[1], score[0]))
        ranking = tuple((number, self._state.player(number).name, points) for number, points in ranked)
        self.events.append(
            Ended(ending=ending, winner=winner, sharing=sharing, rounds=self._state.round, scores=ranking)
        )
