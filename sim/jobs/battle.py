"""Jobs for battles of any system: begin, advance, write the log."""

from typing import Self

from pydantic import JsonValue
from typing_extensions import override

from sim.core.battle import AnySystem, Outcome, Seat
from sim.core.canonical_json import canonical, text_digest
from sim.core.dice import SeededDice
from sim.core.values import Frozen, Request
from sim.jobs.discovery import system
from sim.workers import CostError, PoolLimits

_SECONDS = 0.05
_SECONDS_A_CHARACTER = 1e-6  # measured: read, applied and written, the state takes a third of it
_SECONDS_AN_EVENT = 2e-5  # measured; the upper figure is for events that take a dozen lines


class BeginResult(Frozen):
    """The setup and first state as canonical JSON; `outcome` is None unless the battle is already over."""

    setup_json: str
    state_json: str
    outcome: Outcome | None = None


class Begin(Request):
    """Begin a battle from a setup as JSON; RuleError for an invalid one."""

    system: str
    setup_json: str

    @override
    def cost(self) -> float:
        return _SECONDS + _SECONDS_A_CHARACTER * len(self.setup_json)

    def run(self) -> BeginResult:
        """Return the first state."""
        rules = system(self.system)
        setup = rules.setups.read_json(self.setup_json)
        state = rules.begin(setup)
        return BeginResult(
            setup_json=canonical(rules.setups.write(setup)),
            state_json=canonical(rules.states.write(state)),
            outcome=rules.outcome(state),
        )


class StepResult(Frozen):
    """The result of an action as canonical JSON, and the state's `digest`; `outcome` is None while the battle goes on.

    The bot stores these texts as they are: parsing large ones would block its event loop.
    """

    action_json: str
    events_json: str
    state_json: str
    state_hash: str
    outcome: Outcome | None = None


class Narrate(Request):
    """Write the log of steps of a battle: `steps` has the events of each, as JSON."""

    system: str
    steps: tuple[tuple[JsonValue, ...], ...]

    @override
    def cost(self) -> float:
        return 0.02 + _SECONDS_AN_EVENT * sum(map(len, self.steps))

    def run(self) -> tuple[tuple[str, ...], ...]:
        """Return the log's lines of each step."""
        rules = system(self.system)
        return tuple(tuple(rules.lines(tuple(map(rules.events.read, events)))) for events in self.steps)


class Advance(Request):
    """Apply an action as JSON to a state as JSON, with the dice of step number `step` of the battle's seed."""

    system: str
    state_json: str
    action_json: str
    seat: Seat
    seed: bytes
    step: int

    @classmethod
    def of(cls, rules: AnySystem, state: object, action: object, seat: Seat, seed: bytes, step: int) -> Self:
        """Make the job from values of the system."""
        return cls(
            system=rules.name,
            state_json=rules.states.write_json(state),
            action_json=rules.actions.write_json(action),
            seat=seat,
            seed=seed,
            step=step,
        )

    @override
    def cost(self) -> float:  # the rules' own figure needs the state, which only a worker reads
        return _SECONDS + _SECONDS_A_CHARACTER * (len(self.state_json) + len(self.action_json))

    def run(self) -> StepResult:
        """Return what the action leads to; IllegalActionError when it isn't allowed, CostError when it is too much."""
        rules = system(self.system)
        state, action = rules.states.read_json(self.state_json), rules.actions.read_json(self.action_json)
        cost, limit = rules.cost(state, action), PoolLimits().cost_seconds
        if not cost <= limit:
            raise CostError(cost, limit)
        step = rules.apply(state, action, self.seat, SeededDice(self.seed, self.step))
        state_json = canonical(rules.states.write(step.state))
        return StepResult(
            action_json=canonical(rules.actions.write(action)),
            events_json=canonical([rules.events.write(event) for event in step.events]),
            state_json=state_json,
            state_hash=text_digest(state_json),
            outcome=rules.outcome(step.state),
        )
