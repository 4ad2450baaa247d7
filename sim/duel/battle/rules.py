"""The rules of duels as a battle system."""

from collections.abc import Iterable

from sim.core.battle import ANYONE, CLOCK, REFEREE, LegalAction, Outcome, RuleBook, Seat, Step
from sim.core.dice import Dice
from sim.core.luck import Throw
from sim.duel.battle.campaign import DuelCampaign
from sim.duel.battle.log import log
from sim.duel.battle.runner import EVENTS_AT_ONCE, ROUNDS_AT_ONCE, StepRunner, initial_state
from sim.duel.battle.strike_luck import throws
from sim.duel.battle.values import (
    GROUP_1,
    GROUP_2,
    GROUPS,
    Action,
    Continue,
    Event,
    Run,
    Setup,
    State,
)

_SECONDS_PER_TURN = 12e-5  # measured, rounded up
_SECONDS = 0.01


class Duel(RuleBook[Setup, State, Action, Event]):
    """A duel of two critters or two groups, round by round.

    The fighters or a referee turn the pages; anyone if the setup says so. The clock turns one at a time.
    """

    name = "duel"
    rules = 1
    seats = (GROUP_1, GROUP_2, REFEREE, ANYONE, CLOCK)
    campaign = DuelCampaign()

    def begin(self, setup: Setup) -> State:
        """Return the state before the first round; RuleError if the fight could never end."""
        return initial_state(setup)

    def legal(self, state: State) -> tuple[LegalAction[Action], ...]:
        """Return the legal actions."""
        if state.ending is not None:
            return ()
        seats = (GROUP_1, GROUP_2, REFEREE, *((ANYONE,) if state.setup.press == ANYONE else ()))
        return (
            LegalAction("continue", "Begin" if state.is_unopened else "Continue", (*seats, CLOCK), Continue()),
            LegalAction("run", "Fight to the end", seats, Run()),
        )

    def cost(self, state: State, action: Action) -> float:
        """Return a rough upper bound of the seconds that `apply` takes."""
        fighters = sum(map(len, state.living))
        attacks = max(critter.attacks for critter in state.setup.critters)
        rounds = ROUNDS_AT_ONCE if isinstance(action, Run) else 1
        turns = min(rounds * fighters * attacks, EVENTS_AT_ONCE + fighters * attacks)
        return _SECONDS + _SECONDS_PER_TURN * turns

    def step(self, state: State, action: Action, seat: Seat, dice: Dice) -> Step[State, Event]:
        """Open the story, fight one round, or fight to the end."""
        del seat
        runner = StepRunner(state, dice)
        if isinstance(action, Run):
            runner.run()
        else:
            runner.turn_page()
        events = runner.events()
        return Step(runner.state, events, tuple(runner.rounds))

    def why_not(self, state: State, action: Action) -> str:
        """Return why nobody may take `action` now."""
        del state, action
        return "The duel is over."

    def why_not_seat(self, state: State, action: Action, seats: tuple[Seat, ...]) -> str:
        """Return why only `seats` may take `action`."""
        del state, action, seats
        return "Only the fighters or a referee may turn the page."

    def outcome(self, state: State) -> Outcome | None:
        """Return how the duel ended; nobody wins if nobody left can hit."""
        if state.ending is None:
            return None
        return Outcome(ending=state.ending, winner=state.winner, rounds=state.round)

    def lines(self, events: tuple[Event, ...]) -> list[str]:
        """Return the story of `events` as lines."""
        return log(events)

    def throws(self, state: State, events: tuple[Event, ...]) -> Iterable[Throw]:
        """Return the dice of every strike."""
        size = len(state.setup.group1)
        return throws(events, state.setup.critters, lambda who: GROUPS[who >= size], state.round)
