"""Runs one step of a game: an action, and the AIs' turns that follow until a person has to decide."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, groupby
from operator import attrgetter, itemgetter

from typing_extensions import override

from sim.core import Faults, NotAllowedError, Problem, RuleError, flaw
from sim.core.battle import REFEREE, IllegalActionError, Step, StepRunner
from sim.core.dice import shuffled
from sim.core.values import Ending
from sim.mad_killer_agents import battle as v
from sim.mad_killer_agents.battle import events as e
from sim.mad_killer_agents.battle.ai import Ai, Barbarian, Pillager, Random
from sim.mad_killer_agents.battle.board import Board, board_of
from sim.mad_killer_agents.battle.events import Event
from sim.mad_killer_agents.battle.marshal import Marshal, open_way
from sim.mad_killer_agents.battle.order_input import read_orders
from sim.mad_killer_agents.battle.orders import Commander
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


AIS: Mapping[AiKind, type[Ai]] = {
    AiKind.RANDOM: Random,
    AiKind.PILLAGER: Pillager,
    AiKind.BARBARIAN: Barbarian,
    AiKind.MARSHAL: Marshal,
}


class WarRunner(StepRunner[v.State, Event]):
    """Runs a step of a game; the world of its `state` is that before the step, `board` has what stands there now.

    `waits`: no AI plays in this step.
    """

    waits = False

    @cached_property
    def board(self) -> Board:
        """The board, which logs what happens to it."""
        board = board_of(self.state)
        board.log = self.events
        return board

    @cached_property
    def _tracks(self) -> dict[int, list[v.Track]]:
        return {number: list(tracks) for number, tracks in groupby(self.state.tracks, itemgetter(0))}

    @property
    def now(self) -> v.State:
        """The state with what stands on the board."""
        if self.state.phase is v.Phase.LOBBY:
            return self.state
        tracks = tuple(chain(*self._tracks.values()))
        return self.state.model_copy(update={"world": self.board.world(), "tracks": tracks})

    @property
    def player(self) -> v.Player:
        """The player on turn."""
        return self.state.player(self.state.turn)

    @override
    def step(self) -> Step[v.State, Event]:
        """Let AIs play while it is their turn and there is time left in this step, and return it."""
        seconds, turns = 0.0, 0
        while not self.waits and self.state.phase is v.Phase.PLAYING and (ai := self.player.played_by) is not None:
            seconds += turn_seconds(len(self.board.tiles), len(self.board.armies))
            turns += 1
            if turns > 1 and (seconds > MAX_AI_SECONDS or turns > MAX_AI_TURNS):
                self.events.append(e.Paused(round=self.state.round))
                break
            self.play_turn(ai)
        return Step(self.now, tuple(self.events))

    def add(self, player: v.Player) -> None:
        """Add a player."""
        self.change(players=tuple(sorted((*self.state.players, player), key=attrgetter("number"))))
        self.events.append(e.Joined(by=player.number, name=player.name, ai=player.ai))

    def remove(self, player: v.Player) -> None:
        """Remove a player before the game begins."""
        self.change(players=tuple(other for other in self.state.players if other.number != player.number))
        self.events.append(e.Left(by=player.number, name=player.name))

    def remove_ai(self, number: int) -> None:
        """Remove an AI before the game begins."""
        player = self.state.player(number)
        if player.ai is None:
            raise IllegalActionError(f"{player.name} isn't an AI.")
        self.remove(player)

    def begin(self) -> None:
        """Start if the players can play with each other; RuleError if they can't."""
        v.check_players(player.ai for player in self.state.players)
        self.start()

    def start(self) -> None:
        """Draw the order and the board, begin the first turn; RuleError if the map has no room for the players."""
        setup, dice = self.state.setup, self.dice
        players = {player.number: player.name for player in self.state.players}
        version = setup.edition
        order = () if version == 1 else tuple(shuffled(players, dice))
        terrain = setup.terrain or setup.drawing.draw(dice, version)
        choose = spread_tiles if version == 1 else starting_tiles
        self.board = Board.new(terrain, choose(terrain, len(players), dice), players, version)
        for place, number in enumerate(order):
            (tile,) = self.board.armies_of(number)
            self.board.armies[tile].units += LATER_UNITS * place // len(order)
        if setup.settled:
            self.board.settle()
        self.board.log = self.events
        self.change(order=order, phase=v.Phase.PLAYING)
        names = tuple((player.number, player.name) for player in self.state.in_order)
        self.events.append(e.Began(world=self.board.world(), players=names))
        self._start_round()

    def choose_deputy(self, action: v.Away | v.Deputy | v.PlainAction) -> None:
        """Change who plays for a person; if an away person is on turn, the deputy plays at once."""
        player = self.state.seated(self.seat)
        away = player.away if isinstance(action, v.Deputy) else isinstance(action, v.Away)
        deputy = player.deputy if isinstance(action, v.PlainAction) else action.ai or player.deputy
        event = e.DeputyChanged(by=player.number, name=player.name, deputy=deputy, away=away)
        self._change_player(player.model_copy(update={"away": away, "deputy": deputy}), event)

    def replace(self, action: v.Replace) -> None:
        """Replace a person by an AI."""
        player = self.state.player(action.number)
        if self.seat not in {REFEREE, v.seat_of(action.number)}:
            raise IllegalActionError("Only the referee can replace another player.")
        if player.ai is not None or self.state.is_out(player.number):
            why = "is out of the game" if player.ai is None else "is already an AI"
            raise IllegalActionError(f"{player.name} {why}.")
        event = e.Replaced(by=player.number, name=player.name, ai=action.ai)
        self._change_player(player.model_copy(update={"ai": action.ai, "away": False}), event)

    def take_over(self, action: v.TakeOver) -> None:
        """Let a person play in place of an AI."""
        player = self.state.player(action.number)
        if player.ai is None or self.state.is_out(player.number):
            raise IllegalActionError(f"{player.name} {'is no AI' if player.ai is None else 'is out of the game'}.")
        now = "" if action.name is None else self.state.available_name(action.name)
        taken = {"name": now or player.name, "ai": None, "deputy": player.ai, "was_ai": True}
        event = e.TakenOver(by=player.number, name=player.name, now=now)
        self._change_player(player.model_copy(update=taken), event)

    def _change_player(self, player: v.Player, event: Event) -> None:
        """Change a player; `event` says why."""
        state = self.state
        self.change(players=tuple(player if other.number == player.number else other for other in state.players))
        self.events.append(event)
        on_turn = state.turn == player.number
        # If the game waited for this player it goes on; a turn in which an AI paused waits for somebody to resume it.
        self.waits = not (on_turn and state.player(player.number).played_by is None)
        if self.waits and on_turn and player.played_by is None and state.before is None:
            self.change(before=self.board.world(), orders=())  # undo goes back to this point

    def _start_turn(self) -> None:
        state = self.state
        self._tracks.pop(state.turn, None)
        self.board.start_turn(state.turn, state.round)
        person = self.player.played_by is None
        self.change(before=self.board.world() if person else None, orders=())

    def give_orders(self, orders: Sequence[v.Order]) -> None:
        """Carry out orders of the player on turn; IllegalActionError if one isn't allowed."""
        commander = Commander(self.board, self.state.turn)
        for number, order in enumerate(orders, start=1):
            try:
                commander.obey(order)
            except RuleError as error:
                prefix = f"Order {number}: " if len(orders) > 1 else ""
                raise IllegalActionError(f"{prefix}{error}") from None
        self._record(orders)

    def write_orders(self, text: str) -> None:
        """Carry out the orders of a text that are allowed; TextError if one can't be read or none is allowed.

        The turn doesn't end if an order was left out.
        """
        board, number = self.board, self.state.turn
        parsed, commander = read_orders(text, board.width, board.height), Commander(board, number)
        orders: list[v.Order] = []
        refused = Faults[Problem]()
        for order, span in parsed:
            if order is None:
                continue
            if (why := flaw(partial(commander.obey, order))) is None:
                orders.append(order)
            else:
                refused.add(Problem(span, why))
        if refused and not orders:
            raise NotAllowedError(text, refused.told, refused.more)
        for problem in refused.told:
            written = text[problem.span.start : problem.span.end]
            board.note(e.Refused, number, order=written, why=problem.message)
        self._record(orders)
        if not refused and parsed[-1][0] is None and self.state.phase is v.Phase.PLAYING:
            self.end_turn()

    def _record(self, orders: Sequence[v.Order]) -> None:
        given = (*self.state.orders, *orders)
        if len(given) > MAX_TURN_ORDERS:
            raise IllegalActionError(f"A turn has at most {MAX_TURN_ORDERS:,} orders.")
        self.change(orders=given)
        self._record_tracks()
        self._eliminate()

    def _record_tracks(self) -> None:
        own = self._tracks.pop(self.state.turn, []) + self.board.moves
        self._tracks[self.state.turn] = own[-MAX_TRACKS:]
        self.board.moves = []

    def undo(self, count: int) -> None:
        """Undo the last `count` orders of the turn by replaying the others from its start."""
        state = self.state
        kept = state.orders[: len(state.orders) - count]
        self.board = board_of(state.model_copy(update={"world": state.before}))
        commander = Commander(self.board, state.turn)
        for order in kept:
            commander.obey(order)
        self.board.log = self.events
        self._tracks.pop(state.turn, None)
        self._record_tracks()
        self.change(orders=kept)
        self.board.note(e.Undone, state.turn, orders=len(state.orders) - len(kept))

    def play_turn(self, ai: AiKind) -> None:
        """Let an AI play the turn, or the rest of it, and end it."""
        state = self.state
        self.board.note(e.Played, state.turn, ai=ai, instead=self.player.ai is None)
        rounds = None if state.setup.rounds is None else state.setup.rounds - state.round + 1
        if state.setup.edition > 1:
            open_way(ai, self.board, state.turn, rounds)
        AIS[ai](self.board, state.turn, rounds).play(self.dice)
        self._record_tracks()
        self._eliminate()
        if self.state.phase is v.Phase.PLAYING and self.state.turn == state.turn:
            self.end_turn()

    def end_turn(self) -> None:
        """Begin the next player's turn, or end the game after the last round."""
        state = self.state
        numbers = [player.number for player in state.in_order]
        later = self._first_living(numbers[numbers.index(state.turn) + 1 :])
        if later is not None:
            self.change(turn=later)
            self._start_turn()
        elif state.round == state.setup.rounds:
            self._finish(Ending.ROUND_LIMIT)
        elif self.board.quiet >= QUIET_ROUNDS:
            self._finish(Ending.QUIET)
        else:
            self._start_round()

    def _start_round(self) -> None:
        state = self.state
        if state.setup.edition > 1:
            self.board.quiet += 1
        self.change(turn=self._first_living(player.number for player in state.in_order), round=state.round + 1)
        self._start_turn()

    def _first_living(self, numbers: Iterable[int]) -> int | None:
        return next((number for number in numbers if not self.board.sides[number].out), None)

    def resign(self) -> None:
        """Let the player of the seat resign."""
        number = self.state.seated(self.seat).number
        self.board.note(e.Resigned, number)
        self.board.disband(number)
        self._tracks.pop(number, None)
        if self.state.turn != number and self.state.before is not None:
            # An undo past this point would bring the player back.
            self.change(before=self.board.world(), orders=())
        self._eliminate()

    def _eliminate(self) -> None:
        """Eliminate players with nothing left; that may end the turn or the game."""
        for number in self.board.eliminate():
            self.board.note(e.Out, number)
            self._tracks.pop(number, None)
        living = self.board.living()
        if len(living) <= 1:
            self._finish(Ending.ANNIHILATION if living else Ending.MUTUAL)
        elif self.state.turn not in living:
            self.end_turn()

    def _finish(self, ending: Ending) -> None:
        """End the game: the highest score among the living wins; players with equal scores share the victory."""
        scores = self.board.scores()
        alive = {number: points for number, points in scores if not self.board.sides[number].out}
        best = tuple(number for number, points in alive.items() if points == max(alive.values()))
        winner, sharing = (best[0], ()) if len(best) == 1 else (None, best)
        self.change(phase=v.Phase.OVER, ending=ending, winner=winner, sharing=sharing, before=None, orders=())
        ranked = sorted(scores, key=lambda score: (-score[1], score[0]))
        ranking = tuple((number, self.state.player(number).name, points) for number, points in ranked)
        self.events.append(
            e.Ended(ending=ending, winner=winner, sharing=sharing, rounds=self.state.round, scores=ranking)
        )
