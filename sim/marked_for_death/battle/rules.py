"""Rules of the battle: a referee fights it round by round and may change the sides in between."""

from sim.core.battle import REFEREE, LegalAction, Outcome, RuleBook, Seat, Step
from sim.core.dice import Dice
from sim.marked_for_death.battle.changes import amended, pulled_out, reinforced
from sim.marked_for_death.battle.load import Load, expect_bearable, load
from sim.marked_for_death.battle.log import log
from sim.marked_for_death.battle.runner import (
    DICE_AT_ONCE,
    RECORDS_AT_ONCE,
    ROUNDS_AT_ONCE,
    StepRunner,
    combatants,
    ended_event,
    with_ending,
)
from sim.marked_for_death.battle.values import (
    Action,
    Amend,
    Changed,
    Event,
    NextRound,
    PulledOut,
    PullOut,
    Reinforce,
    Run,
    Setup,
    State,
)


class RosterBattle(RuleBook[Setup, State, Action, Event]):
    """The battle of two rosters of Marked for Death, in the hands of a referee."""

    name = "mfd-battle"
    rules = 1
    seats = (REFEREE,)

    def begin(self, setup: Setup) -> State:
        """Return the state before the first round, already over where nobody of a side stands."""
        state = State(
            heroes=combatants(setup.heroes),
            villains=combatants(setup.villains),
            heroes_spare=setup.heroes.spare_buffs,
            villains_spare=setup.villains.spare_buffs,
            max_rounds=setup.max_rounds,
        )
        expect_bearable(state)
        return with_ending(state)

    def legal(self, state: State) -> tuple[LegalAction[Action], ...]:
        """Return what may be done now."""
        if state.ending is not None:
            return ()
        seats = (REFEREE,)
        return (
            LegalAction("next-round", f"Fight round {state.round + 1}", seats, NextRound()),
            LegalAction("run-out", "Fight to the end", seats, Run()),
            LegalAction("run", "Fight some rounds", seats, None),
            LegalAction("reinforce", "Change a roster", seats, None),
            LegalAction("amend", "Change a fighter", seats, None),
            LegalAction("pull-out", "Pull a fighter out", seats, None),
        )

    def cost(self, state: State, action: Action) -> float:
        """Return a rough upper figure for the seconds that `apply` takes."""
        found = load(state)
        if isinstance(action, NextRound):
            return found.seconds
        if not isinstance(action, Run):
            return Load(found.fighters, 0, 0).seconds
        rounds = min(action.rounds or ROUNDS_AT_ONCE, ROUNDS_AT_ONCE)
        most = (
            Load(RECORDS_AT_ONCE, RECORDS_AT_ONCE, DICE_AT_ONCE).seconds + found.seconds
        )  # the last round may go beyond
        return min(rounds * found.seconds, most)

    def step(self, state: State, action: Action, seat: Seat, dice: Dice) -> Step[State, Event]:
        """Fight rounds, or change a side."""
        del seat
        if isinstance(action, NextRound | Run):
            runner = StepRunner(state, dice)
            if isinstance(action, NextRound):
                runner.fight()
            else:
                runner.run(action.rounds)
            return Step(runner.state, tuple(runner.events))
        return _changed(state, action)

    def why_not(self, state: State, action: Action) -> str:
        """Return why nobody may take `action` now."""
        del state, action
        return "The battle is over."

    def outcome(self, state: State) -> Outcome | None:
        """Return why the battle ended; nobody wins when both sides are gone or the limit is reached."""
        if state.ending is None:
            return None
        return Outcome(ending=state.ending, winner=state.winner and state.winner.value, rounds=state.round)

    def lines(self, events: tuple[Event, ...]) -> list[str]:
        """Return the log of `events`."""
        return log(events)


def _changed(state: State, action: Reinforce | Amend | PullOut) -> Step[State, Event]:
    event: Event
    if isinstance(action, PullOut):
        after, gone = pulled_out(state, action)
        event = PulledOut(camp=action.camp, name=gone.fighter.name, hp=gone.hp)
    else:
        after, changes = reinforced(state, action) if isinstance(action, Reinforce) else amended(state, action)
        event = Changed(camp=action.camp, changes=changes)
    end = ended_event(after)
    return Step(after, (event,) if end is None else (event, end))
