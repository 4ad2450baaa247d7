"""The war on a map as a system of battles: who may do what, and what it leads to."""

from collections.abc import Callable
from typing import Any

from sim.core.battle import Choice, Codec, IllegalActionError, Outcome, Seat, Step
from sim.core.dice import Dice
from sim.core.errors import RuleError, TextError
from sim.mad_killer_agents.actions import (
    Action,
    AddAi,
    Away,
    Back,
    Begin,
    Deputy,
    EndTurn,
    Give,
    GoOn,
    Join,
    Leave,
    RemoveAi,
    Replace,
    Resign,
    TimeUp,
    Undo,
    UndoTurn,
    Write,
)
from sim.mad_killer_agents.constants import LEAST_PLAYERS, MOST_PLAYERS
from sim.mad_killer_agents.course import AT_ONCE_SECONDS, Course, turn_seconds
from sim.mad_killer_agents.events import Began, Event, Joined, Kept, Left, Replaced
from sim.mad_killer_agents.lobby import ai_name, check_company, drawn, opened, seated
from sim.mad_killer_agents.log import log
from sim.mad_killer_agents.values import Phase, Player, Setup, State

ANYONE: Seat = "anyone"
"""The seat of everybody: to sit down before the game begins, and to let AIs go on."""
REFEREE: Seat = "referee"
CLOCK: Seat = "clock"

_BASE_SECONDS = 0.1  # reading, writing and checking the largest state, with much to spare


def seat_of(number: int) -> Seat:
    """Return a player's seat."""
    return f"player-{number}"


def number_of(seat: Seat) -> int | None:
    """Return the number of a player's seat; None for another seat."""
    return _NUMBERS.get(seat)


_NUMBERS = {seat_of(number): number for number in range(1, MOST_PLAYERS + 1)}


class MapWar:
    """Mad Killer Agents.

    Anyone sits down before the game begins and gets the seat that the `Joined` event names; players and the referee
    seat AIs and begin. In a turn its player gives orders, takes them back and ends it; AIs that follow play in the same
    step, as long as it takes at most. The clock or the referee calls the time up.
    """

    name = "mka"
    rules = 1
    seats: tuple[Seat, ...] = (*_NUMBERS, REFEREE, CLOCK, ANYONE)
    setups: Codec[Setup] = Codec(Setup)
    states: Codec[State] = Codec(State)
    actions: Codec[Action] = Codec(Action)
    events: Codec[Event] = Codec(Event)

    def begin(self, setup: Setup) -> State:
        """Return the state that waits for players."""
        return opened(setup)

    def legal(self, state: State) -> tuple[Choice[Action], ...]:
        """Return what may be done now."""
        if state.phase is Phase.LOBBY:
            return tuple(_in_lobby(state))
        return tuple(_in_play(state)) if state.phase is Phase.PLAYING else ()

    def cost(self, state: State, action: Action) -> float:
        """Return a rough upper figure for the seconds that `apply` takes."""
        if not isinstance(action, Begin | Write | EndTurn | Resign | Away | Replace | TimeUp | GoOn):
            return _BASE_SECONDS
        drawing = state.setup.drawing
        tiles = drawing.width * drawing.height
        armies = 0
        if state.world is not None:
            tiles, armies = state.world.width * state.world.height, len(state.world.armies)
        # A step begins no AI's turn but the first that may go beyond the limit; the person's own may be played, too.
        return _BASE_SECONDS + max(AT_ONCE_SECONDS, turn_seconds(tiles, armies)) + turn_seconds(tiles, armies)

    def apply(self, state: State, action: Action, seat: Seat, dice: Dice) -> Step[State, Event]:
        """Do what `seat` wants done; TextError for orders as text that can't be read or aren't allowed."""
        self._expect_legal(state, action, seat)
        try:
            return _DOING[type(action)](state, action, seat, dice)
        except (IllegalActionError, TextError):
            raise
        except RuleError as error:
            raise IllegalActionError(str(error)) from None

    def outcome(self, state: State) -> Outcome | None:
        """Return why the game ended; nobody wins alone where a victory is shared."""
        if state.ending is None:
            return None
        winner = None if state.winner is None else seat_of(state.winner)
        return Outcome(ending=state.ending, winner=winner, rounds=state.round)

    def lines(self, events: tuple[Event, ...]) -> list[str]:
        """Return the log of `events`."""
        return log(events)

    def _expect_legal(self, state: State, action: Action, seat: Seat) -> None:
        choice = next((one for one in self.legal(state) if one.name == action.do), None)
        if choice is None:
            raise IllegalActionError(_why_not(state, action))
        if seat not in choice.seats:
            raise IllegalActionError(_why_not_you(state, action))


def _why_not(state: State, action: Action) -> str:
    if state.phase is Phase.OVER:
        return "The game is over."
    if isinstance(action, Join | Leave | AddAi | RemoveAi | Begin) and state.phase is Phase.PLAYING:
        return "The game has begun already."
    if state.phase is Phase.LOBBY:
        return {Begin: f"A game needs {LEAST_PLAYERS} players or more.", RemoveAi: "There is no AI to send away."}.get(
            type(action), "That can't be done before the game begins."
        )
    return _WHY_NOT.get(type(action), "That can't be done now.")


_WHY_NOT: dict[type, str] = {
    Undo: "Nothing was ordered in this turn yet.",
    UndoTurn: "Nothing was ordered in this turn yet.",
    GoOn: "No AI is waiting to play.",
    Back: "Nobody is away.",
}


def _why_not_you(state: State, action: Action) -> str:
    if state.phase is Phase.PLAYING and isinstance(action, Give | Write | Undo | UndoTurn | EndTurn):
        return f"It is {state.player(state.turn).name}'s turn."
    return "That is for others to do."


def _in_lobby(state: State) -> list[Choice[Action]]:
    people = tuple(seat_of(one.number) for one in state.players if one.ai is None)
    hosts = (*people, REFEREE) if people else (REFEREE, ANYONE)
    choices: list[Choice[Action]] = []
    if len(state.players) < MOST_PLAYERS:
        choices += [Choice("join", "Join", (ANYONE,), None), Choice("add-ai", "Add an AI", hosts, None)]
    if people:
        choices.append(Choice("leave", "Leave", people, Leave()))
    if any(one.ai for one in state.players):
        choices.append(Choice("remove-ai", "Send an AI away", hosts, None))
    if len(state.players) >= LEAST_PLAYERS:
        choices.append(Choice("begin", "Begin", hosts, Begin()))
    return choices


def _in_play(state: State) -> list[Choice[Action]]:
    living = [one for one in state.players if not _is_out(state, one.number)]
    people = [one for one in living if one.ai is None]
    on_turn = state.player(state.turn)
    choices: list[Choice[Action]] = []
    if on_turn.played_by is None:
        mine = (seat_of(state.turn),)
        choices += [Choice("give", "Order", mine, None), Choice("write", "Write orders", mine, None)]
        if state.orders:
            choices += [Choice("undo", "Undo", mine, Undo()), Choice("undo-turn", "Undo the turn", mine, UndoTurn())]
        choices += [Choice("end-turn", "End turn", mine, EndTurn())]
        choices += [Choice("time-up", "Time is up", (REFEREE, CLOCK), TimeUp())]
    else:
        everybody = (*(seat_of(one.number) for one in state.players), REFEREE, CLOCK, ANYONE)
        choices.append(Choice("go-on", "Let the AIs go on", everybody, GoOn()))
    here = tuple(seat_of(one.number) for one in people if not one.away)
    gone = tuple(seat_of(one.number) for one in people if one.away)
    if here:
        choices.append(Choice("away", "I am away", here, Away()))
    if gone:
        choices.append(Choice("back", "I am back", gone, Back()))
    if people:
        both = tuple(seat_of(one.number) for one in people)
        choices += [
            Choice("deputy", "Choose who plays for me", both, None),
            Choice("resign", "Resign", both, Resign()),
            Choice("replace", "Put an AI in a place", (*both, REFEREE), None),
        ]
    return choices


def _is_out(state: State, number: int) -> bool:
    return state.world is None or any(agent.out for agent in state.world.agents if agent.number == number)


def _join(state: State, action: Join, seat: Seat, dice: Dice) -> Step[State, Event]:
    del seat, dice
    return _sit(state, seated(state, action.name, None))


def _add_ai(state: State, action: AddAi, seat: Seat, dice: Dice) -> Step[State, Event]:
    del seat, dice
    return _sit(state, seated(state, ai_name(state, action.ai), action.ai))


def _sit(state: State, player: Player) -> Step[State, Event]:
    players = tuple(sorted((*state.players, player), key=lambda one: one.number))
    event = Joined(by=player.number, name=player.name, ai=player.ai)
    return Step(state.model_copy(update={"players": players}), (event,))


def _leave(state: State, action: Leave, seat: Seat, dice: Dice) -> Step[State, Event]:
    del action, dice
    return _stand_up(state, state.player(_NUMBERS[seat]))


def _remove_ai(state: State, action: RemoveAi, seat: Seat, dice: Dice) -> Step[State, Event]:
    del seat, dice
    player = state.player(action.number)
    if player.ai is None:
        raise IllegalActionError(f"{player.name} is no AI.")
    return _stand_up(state, player)


def _stand_up(state: State, player: Player) -> Step[State, Event]:
    players = tuple(one for one in state.players if one.number != player.number)
    return Step(state.model_copy(update={"players": players}), (Left(by=player.number, name=player.name),))


def _begin(state: State, action: Begin, seat: Seat, dice: Dice) -> Step[State, Event]:
    del action, seat
    check_company(player.ai for player in state.players)
    board = drawn(state, dice)
    course = Course(state, dice, board)
    names = tuple((one.number, one.name) for one in state.players)
    course.events.append(Began(world=board.world(), players=names))
    course.begin()
    course.go_on()
    return Step(course.state, tuple(course.events))


def _turn(do: Callable[[Course, Any], None]) -> Callable[..., Step[State, Event]]:
    """Return what does something in a turn, lets the AIs that follow play, and tells of it."""

    def done(state: State, action: Action, seat: Seat, dice: Dice) -> Step[State, Event]:
        del seat
        course = Course(state, dice)
        do(course, action)
        course.go_on()
        return Step(course.state, tuple(course.events))

    return done


def _time_up(course: Course, action: TimeUp) -> None:
    del action
    course.play_turn(course.player.deputy)


def _keep(state: State, action: Away | Back | Deputy, seat: Seat, dice: Dice) -> Step[State, Event]:
    """Settle who plays for a person; where it is that person's turn, who is away has it played at once."""
    player = state.player(_NUMBERS[seat])
    away = player.away if isinstance(action, Deputy) else isinstance(action, Away)
    deputy = player.deputy if isinstance(action, Back) else action.ai or player.deputy
    after = player.model_copy(update={"away": away, "deputy": deputy})
    return _exchange(state, after, Kept(by=player.number, name=player.name, deputy=deputy, away=away), dice)


def _replace(state: State, action: Replace, seat: Seat, dice: Dice) -> Step[State, Event]:
    player = state.player(action.number)
    if seat not in {REFEREE, seat_of(action.number)}:
        raise IllegalActionError("Only the referee puts an AI in another player's place.")
    if player.ai is not None or _is_out(state, player.number):
        raise IllegalActionError(f"{player.name} {'is out of the game' if player.ai is None else 'is an AI already'}.")
    after = player.model_copy(update={"ai": action.ai, "away": False})
    return _exchange(state, after, Replaced(by=player.number, name=player.name, ai=action.ai), dice)


def _exchange(state: State, player: Player, event: Event, dice: Dice) -> Step[State, Event]:
    course = Course(state, dice)
    course.set_players([player if one.number == player.number else one for one in state.players])
    course.events.append(event)
    if state.turn == player.number and state.player(player.number).played_by is None:
        # What waited for the player waits no longer; a turn that an AI pauses in waits for somebody to let it go on.
        course.go_on()
    elif state.turn == player.number and player.played_by is None:
        course.hand_over()
    return Step(course.state, tuple(course.events))


def _resign(state: State, action: Resign, seat: Seat, dice: Dice) -> Step[State, Event]:
    del action
    course = Course(state, dice)
    course.resign(_NUMBERS[seat])
    course.go_on()
    return Step(course.state, tuple(course.events))


_DOING: dict[type, Callable[[State, Any, Seat, Dice], Step[State, Event]]] = {
    Join: _join,
    AddAi: _add_ai,
    Leave: _leave,
    RemoveAi: _remove_ai,
    Begin: _begin,
    Give: _turn(lambda course, action: course.give(action.orders)),
    Write: _turn(lambda course, action: course.write(action.text)),
    Undo: _turn(lambda course, _: course.undo(1)),
    UndoTurn: _turn(lambda course, _: course.undo(len(course.state.orders))),
    EndTurn: _turn(lambda course, _: course.end_turn()),
    TimeUp: _turn(_time_up),
    GoOn: _turn(lambda course, _: None),  # noqa: ARG005  # the AIs play anyway
    Resign: _resign,
    Away: _keep,
    Back: _keep,
    Deputy: _keep,
    Replace: _replace,
}
