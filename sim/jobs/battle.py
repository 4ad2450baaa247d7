"""The jobs of a battle of any system: to begin it, to advance it, to tell what happened."""

from typing import Self

from pydantic import JsonValue

from sim.core.battle import AnySystem, Outcome, Seat
from sim.core.dice import SeededDice
from sim.core.frozen import Frozen
from sim.jobs.registry import system

_SECONDS_AN_EVENT = 2e-5  # measured; the upper figure is for events that take a dozen lines


class StepResult(Frozen):
    """How a battle stands after a job, all values as JSON.

    `events` and their log `lines`: what happened. `outcome` is None while the battle goes on.
    """

    state: JsonValue
    events: tuple[JsonValue, ...] = ()
    lines: tuple[str, ...] = ()
    outcome: Outcome | None = None


class Begin(Frozen):
    """Begin a battle from a setup as JSON; RuleError for one that makes no sense."""

    system: str
    setup: JsonValue

    def cost(self) -> float:
        """Return about how many seconds it takes: next to none."""
        return 0.01

    def run(self) -> StepResult:
        """Return the first state."""
        rules = system(self.system)
        state = rules.begin(rules.setups.read(self.setup))
        return StepResult(state=rules.states.write(state), outcome=rules.outcome(state))


class Tell(Frozen):
    """Tell what happened in steps of a battle: `steps` has the events of each, as JSON."""

    system: str
    steps: tuple[tuple[JsonValue, ...], ...]

    def cost(self) -> float:
        """Return a rough upper figure for its seconds."""
        return 0.02 + _SECONDS_AN_EVENT * sum(map(len, self.steps))

    def run(self) -> tuple[tuple[str, ...], ...]:
        """Return the log's lines of each step."""
        rules = system(self.system)
        return tuple(tuple(rules.lines(tuple(map(rules.events.read, events)))) for events in self.steps)


class Advance(Frozen):
    """Apply an action as JSON to a state as JSON, with the dice of step number `step` of the battle's seed."""

    system: str
    state: JsonValue
    action: JsonValue
    seat: Seat
    seed: bytes
    step: int

    @classmethod
    def of(cls, rules: AnySystem, state: object, action: object, seat: Seat, seed: bytes, step: int) -> Self:
        """Make the job from values of the system."""
        return cls(
            system=rules.name,
            state=rules.states.write(state),
            action=rules.actions.write(action),
            seat=seat,
            seed=seed,
            step=step,
        )

    def cost(self) -> float:
        """Return a rough upper figure for its seconds; RuleError for an action that can't be read."""
        rules = system(self.system)
        return rules.cost(rules.states.read(self.state), rules.actions.read(self.action))

    def run(self) -> StepResult:
        """Return what the action leads to; IllegalActionError when it isn't allowed."""
        rules = system(self.system)
        dice = SeededDice(self.seed, self.step)
        step = rules.apply(rules.states.read(self.state), rules.actions.read(self.action), self.seat, dice)
        return StepResult(
            state=rules.states.write(step.state),
            events=tuple(rules.events.write(event) for event in step.events),
            lines=tuple(rules.lines(step.events)),
            outcome=rules.outcome(step.state),
        )
