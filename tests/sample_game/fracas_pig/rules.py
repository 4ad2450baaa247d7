"""The rules of Pig: a roll adds to the turn's points, holding keeps them, and a 1 loses them and the turn."""

from typing import Annotated, Literal

from pydantic import Field

from sim.core.battle import LegalAction, Outcome, RuleBook, Seat, Step
from sim.core.dice import Dice
from sim.core.values import Frozen

SEATS: tuple[Seat, ...] = ("first", "second")
FACES = 6


class Setup(Frozen):
    """`goal`: the points that win."""

    goal: Annotated[int, Field(ge=10, le=1000)] = 100


class State(Frozen):
    """`scores` in the order of the seats, `pot`: the points of this turn, `turn`: how many turns there were before."""

    setup: Setup
    scores: tuple[int, int] = (0, 0)
    pot: int = 0
    turn: int = 0

    @property
    def player(self) -> int:
        """The place in `SEATS` of the player whose turn it is."""
        return self.turn % 2


class Roll(Frozen):
    """Roll the die."""

    do: Literal["roll"] = "roll"


class Hold(Frozen):
    """Keep the points of the turn."""

    do: Literal["hold"] = "hold"


class Rolled(Frozen):
    """A player rolled; a 1 ends the turn."""

    event: Literal["rolled"] = "rolled"
    seat: Seat
    face: int


class Held(Frozen):
    """A player kept `points` and has `score` now."""

    event: Literal["held"] = "held"
    seat: Seat
    points: int
    score: int


Action = Annotated[Roll | Hold, Field(discriminator="do")]
Event = Annotated[Rolled | Held, Field(discriminator="event")]


class Pig(RuleBook[Setup, State, Action, Event]):
    """Pig for two players."""

    name = "pig"
    rules = 1
    seats = SEATS
    max_seconds = 0.001

    def begin(self, setup: Setup) -> State:
        """Return the state before the first roll."""
        return State(setup=setup)

    def legal(self, state: State) -> tuple[LegalAction[Action], ...]:
        """Return what the player whose turn it is may do."""
        if self.outcome(state) is not None:
            return ()
        seats = (SEATS[state.player],)
        roll: LegalAction[Action] = LegalAction("roll", "Roll", seats, Roll())
        return (roll, LegalAction("hold", f"Hold {state.pot}", seats, Hold())) if state.pot else (roll,)

    def step(self, state: State, action: Action, seat: Seat, dice: Dice) -> Step[State, Event]:
        """Roll, or hold."""
        if isinstance(action, Hold):
            scores = list(state.scores)
            scores[state.player] += state.pot
            held = Held(seat=seat, points=state.pot, score=scores[state.player])
            return Step(State(setup=state.setup, scores=(scores[0], scores[1]), turn=state.turn + 1), (held,))
        face = dice.roll(FACES)
        after = {"pot": 0, "turn": state.turn + 1} if face == 1 else {"pot": state.pot + face}
        return Step(state.model_copy(update=after), (Rolled(seat=seat, face=face),))

    def outcome(self, state: State) -> Outcome | None:
        """Return who reached the goal."""
        best = max(state.scores)
        if best < state.setup.goal:
            return None
        winner = SEATS[state.scores.index(best)]
        return Outcome(ending="the goal was reached", winner=winner, rounds=(state.turn + 1) // 2)

    def lines(self, events: tuple[Event, ...]) -> list[str]:
        """Return the log of `events`."""
        return list(map(_line, events))


def _line(event: Event) -> str:
    if isinstance(event, Held):
        return f"The {event.seat} holds {event.points} and has {event.score}."
    return f"The {event.seat} rolls {event.face}{' and loses the turn.' if event.face == 1 else '.'}"
