"""The rules of dungeons as a battle system."""

from collections.abc import Iterable

from sim.core.battle import CLOCK, REFEREE, LegalAction, Outcome, RuleBook, Seat, Step
from sim.core.dice import Dice
from sim.core.lobby import JOIN
from sim.core.luck import Throw
from sim.core.standings import Team
from sim.core.values import Ending
from sim.duel.battle.strike_luck import throws
from sim.duel.dungeon.campaign import DungeonCampaign
from sim.duel.dungeon.log import log
from sim.duel.dungeon.runner import ROUNDS_AT_ONCE, StepRunner, initial_state
from sim.duel.dungeon.values import (
    PARTY,
    SEATS,
    Action,
    Continue,
    Enter,
    Event,
    Join,
    Leave,
    Phase,
    Run,
    Setup,
    State,
    StepOut,
)
from sim.duel.monsters import MAX_PARTY

_SECONDS_PER_TURN = 12e-5  # measured, rounded up
_SECONDS = 0.01

MONSTERS: Seat = "monsters"
"""Whose dice those of all monsters are; nobody has the seat."""


class Dungeon(RuleBook[Setup, State, Action, Event]):
    """A small dungeon on rails: random rooms, one after the other, for one to four heroes.

    Anyone may join before the first room, and step out again; then any hero or a referee may act. The clock goes on,
    and never leaves.
    """

    name = "dungeon"
    rules = 1
    seats = SEATS
    campaign = DungeonCampaign()

    def begin(self, setup: Setup) -> State:
        """Return the state before the first room."""
        return initial_state(setup)

    def legal(self, state: State) -> tuple[LegalAction[Action], ...]:
        """Return the legal actions."""
        party = (*state.seats, REFEREE)
        timed = (*party, CLOCK)
        enter: LegalAction[Action] = LegalAction("enter", f"Enter room {state.room + 1}", timed, Enter())
        actions: list[LegalAction[Action]] = []
        match state.phase:
            case Phase.GATHERING:
                if len(state.heroes) < MAX_PARTY:
                    actions.append(JOIN)
                if state.heroes:
                    actions.append(enter)
                if state.joined:
                    actions.append(LegalAction("step-out", "Step out", state.joined, StepOut()))
            case Phase.FIGHT:
                actions.append(LegalAction("continue", f"Fight round {state.round + 1}", timed, Continue()))
                actions.append(LegalAction("run", "Fight it out", party, Run()))
            case Phase.CLEARED:
                actions += [enter, LegalAction("leave", "Leave", party, Leave())]
            case Phase.OVER:
                pass
        return tuple(actions)

    def cost(self, state: State, action: Action) -> float:
        """Return a rough upper bound of the seconds that `apply` takes."""
        critters = [hero.critter for hero in state.heroes] + list(state.foes.met.critters if state.foes else ())
        turns = sum(critter.attacks for critter in critters) * (ROUNDS_AT_ONCE if isinstance(action, Run) else 1)
        return _SECONDS + _SECONDS_PER_TURN * turns

    def step(self, state: State, action: Action, seat: Seat, dice: Dice) -> Step[State, Event]:
        """Join, step out, enter the next room, fight or leave."""
        runner = StepRunner(state, dice)
        match action:
            case Join():
                runner.join(action.critter)
            case StepOut():
                runner.step_out(seat)
            case Enter():
                runner.enter()
            case Continue():
                runner.fight()
            case Run():
                runner.fight(ROUNDS_AT_ONCE)
            case Leave():
                runner.leave()
        events = runner.events()
        return Step(runner.state, events, tuple(runner.rounds))

    def why_not(self, state: State, action: Action) -> str:
        """Return why nobody may take `action` now."""
        gathering = state.phase is Phase.GATHERING
        if state.phase is Phase.OVER:
            return "The dungeon is over."
        if isinstance(action, Join):
            return f"A party has at most {MAX_PARTY} heroes." if gathering else "The heroes are already inside."
        if isinstance(action, StepOut):
            return "Nobody has joined yet." if gathering else "The heroes are already inside."
        if isinstance(action, Enter):
            return "A hero is needed first." if gathering else "The fight in this room comes first."
        if isinstance(action, Leave):
            return "Heroes can leave only between rooms."
        return "There is nobody to fight now."

    def why_not_seat(self, state: State, action: Action, seats: tuple[Seat, ...]) -> str:
        """Return why only `seats` may take `action`."""
        del state, seats
        if isinstance(action, StepOut):
            return "Only heroes who joined can step out."
        return "Only this dungeon's heroes or a referee may do that."

    def outcome(self, state: State) -> Outcome | None:
        """Return how the dungeon ended; the heroes win with the last room."""
        if state.ending is None:
            return None
        won = state.ending is Ending.ANNIHILATION and bool(state.alive)
        return Outcome(ending=state.ending, winner=PARTY if won else None, rounds=state.rounds)

    def lines(self, events: tuple[Event, ...]) -> list[str]:
        """Return the story of `events` as lines."""
        return log(events)

    def throws(self, state: State, events: tuple[Event, ...]) -> Iterable[Throw]:
        """Return the dice of every strike, the monsters' among them."""
        heroes = [hero.critter for hero in state.heroes]
        foes = list(state.foes.met.critters) if state.foes else []
        seats = (*state.seats, *(MONSTERS for _ in foes))
        for throw in throws(events, heroes + foes, seats.__getitem__, state.round):
            yield throw.model_copy(update={"moment": f"room {state.room}, {throw.moment}"})

    def standings(self, state: State) -> tuple[Team, ...]:
        """Return the heroes as one team: first if they cleared the last room."""
        outcome = self.outcome(state)
        if outcome is None:
            return ()
        return (Team(place=1 if outcome.winner == PARTY else 2, seats=state.seats),)
