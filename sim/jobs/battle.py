"""Every system of battles by its name, and the jobs that a worker does for any of them."""

from collections.abc import Callable
from typing import Self

from pydantic import JsonValue

from sim.axis_allies.battle import DiceBattle
from sim.boss_fight.battle import BossFight
from sim.core.battle import AnySystem, Outcome, Seat
from sim.core.dice import SeededDice
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.duel.battle import Duel
from sim.duel.dungeon import Dungeon
from sim.mad_killer_agents.battle import MapWar
from sim.marked_for_death.battle import RosterBattle

SYSTEMS: dict[str, Callable[[], AnySystem]] = {
    one.name: one for one in (DiceBattle, RosterBattle, BossFight, Duel, Dungeon, MapWar)
}


_SECONDS_AN_EVENT = 2e-5  # measured; the upper figure is for events that take a dozen lines


def system(name: str) -> AnySystem:
    """Return the system of that name; RuleError when there is none."""
    found = SYSTEMS.get(name)
    if found is None:
        raise RuleError(f"There are no battles of the system {name[:40]!r}.")
    return found()


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
