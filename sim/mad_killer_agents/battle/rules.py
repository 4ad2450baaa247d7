"""Rules of the war on a map: who may do what, and what it leads to."""

from sim.core.battle import ANYONE, CLOCK, REFEREE, IllegalActionError, LegalAction, Outcome, RuleBook, Seat, Step
from sim.core.dice import Dice
from sim.core.errors import RuleError, TextError
from sim.mad_killer_agents.battle.actions import (
    Action,
    AddAi,
    Away,
    Back,
    Begin,
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
from sim.mad_killer_agents.battle.events import Event
from sim.mad_killer_agents.battle.lobby import initial_state
from sim.mad_killer_agents.battle.log import log
from sim.mad_killer_agents.battle.runner import AT_ONCE_SECONDS, turn_seconds
from sim.mad_killer_agents.battle.steps import STEPS, is_out
from sim.mad_killer_agents.battle.values import PLAYER_SEATS, Phase, Setup, State, seat_of
from sim.mad_killer_agents.constants import LEAST_PLAYERS, MOST_PLAYERS

_BASE_SECONDS = 0.1  # reading, writing and checking the largest state, with much to spare


class MapWar(RuleBook[Setup, State, Action, Event]):
    """Mad Killer Agents.

    Anyone sits down before the game begins and gets the seat that the `Joined` event names; players and the referee
    seat AIs and begin. In a turn its player gives orders, takes them back and ends it; AIs that follow play in the same
    step, as long as it takes at most. The clock or the referee calls the time up.
    """

    name = "mka"
    rules = 1
    seats = (*PLAYER_SEATS, REFEREE, CLOCK, ANYONE)

    def begin(self, setup: Setup) -> State:
        """Return the state that waits for players."""
        return initial_state(setup)

    def legal(self, state: State) -> tuple[LegalAction[Action], ...]:
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

    def step(self, state: State, action: Action, seat: Seat, dice: Dice) -> Step[State, Event]:
        """Return what a legal action leads to; TextError for orders as text that can't be read or aren't allowed."""
        try:
            return STEPS[type(action)](state, action, seat, dice)
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

    def why_not(self, state: State, action: Action) -> str:
        """Return why nobody may take `action` now."""
        if state.phase is Phase.OVER:
            return "The game is over."
        if isinstance(action, Join | Leave | AddAi | RemoveAi | Begin) and state.phase is Phase.PLAYING:
            return "The game has begun already."
        if state.phase is Phase.LOBBY:
            return _WHY_NOT_IN_LOBBY.get(type(action), "That can't be done before the game begins.")
        return _WHY_NOT.get(type(action), "That can't be done now.")

    def why_not_seat(self, state: State, action: Action, seats: tuple[Seat, ...]) -> str:
        """Return why only `seats` may take `action`."""
        del seats
        if state.phase is Phase.PLAYING and isinstance(action, Give | Write | Undo | UndoTurn | EndTurn):
            return f"It is {state.player(state.turn).name}'s turn."
        return "That is for others to do."


_WHY_NOT_IN_LOBBY: dict[type, str] = {
    Begin: f"A game needs {LEAST_PLAYERS} players or more.",
    RemoveAi: "There is no AI to send away.",
}
_WHY_NOT: dict[type, str] = {
    Undo: "Nothing was ordered in this turn yet.",
    UndoTurn: "Nothing was ordered in this turn yet.",
    GoOn: "No AI is waiting to play.",
    Back: "Nobody is away.",
}


def _in_lobby(state: State) -> list[LegalAction[Action]]:
    people = tuple(seat_of(player.number) for player in state.players if player.ai is None)
    hosts = (*people, REFEREE) if people else (REFEREE, ANYONE)
    choices: list[LegalAction[Action]] = []
    if len(state.players) < MOST_PLAYERS:
        choices += [LegalAction("join", "Join", (ANYONE,), None), LegalAction("add-ai", "Add an AI", hosts, None)]
    if people:
        choices.append(LegalAction("leave", "Leave", people, Leave()))
    if any(player.ai for player in state.players):
        choices.append(LegalAction("remove-ai", "Send an AI away", hosts, None))
    if len(state.players) >= LEAST_PLAYERS:
        choices.append(LegalAction("begin", "Begin", hosts, Begin()))
    return choices


def _in_play(state: State) -> list[LegalAction[Action]]:
    living = [player for player in state.players if not is_out(state, player.number)]
    people = [player for player in living if player.ai is None]
    on_turn = state.player(state.turn)
    choices: list[LegalAction[Action]] = []
    if on_turn.played_by is None:
        mine = (seat_of(state.turn),)
        choices += [LegalAction("give", "Order", mine, None), LegalAction("write", "Write orders", mine, None)]
        if state.orders:
            choices += [
                LegalAction("undo", "Undo", mine, Undo()),
                LegalAction("undo-turn", "Undo the turn", mine, UndoTurn()),
            ]
        choices += [LegalAction("end-turn", "End turn", mine, EndTurn())]
        choices += [LegalAction("time-up", "Time is up", (REFEREE, CLOCK), TimeUp())]
    else:
        everybody = (*(seat_of(player.number) for player in state.players), REFEREE, CLOCK, ANYONE)
        choices.append(LegalAction("go-on", "Let the AIs go on", everybody, GoOn()))
    here = tuple(seat_of(player.number) for player in people if not player.away)
    gone = tuple(seat_of(player.number) for player in people if player.away)
    if here:
        choices.append(LegalAction("away", "I am away", here, Away()))
    if gone:
        choices.append(LegalAction("back", "I am back", gone, Back()))
    if people:
        both = tuple(seat_of(player.number) for player in people)
        choices += [
            LegalAction("deputy", "Choose who plays for me", both, None),
            LegalAction("resign", "Resign", both, Resign()),
            # A referee who plays, too, speaks as the referee.
            LegalAction("replace", "Put an AI in a place", (REFEREE, *both), None),
        ]
    return choices
