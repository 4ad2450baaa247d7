"""What the suite has to know of a game, and its battles played by chance.

A game brings battles to play, and how to fill in what a legal action leaves open. At every step of a play one of the
legal actions is taken, by one of the seats that may take it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

from sim.core.battle import AnySystem, LegalAction, Seat, Step
from sim.core.dice import SeededDice
from sim.jobs import systems
from sim.jobs.battle import Advance
from tests.conformance import examples

Fill = Callable[[Any, LegalAction[Any], Seat, Random], Any]


class NoExampleError(Exception):
    """A system without examples; the sentence tells what to add."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Two steps that differ only in `what`; the seats `seeing` may see it, all others may not."""

    what: str
    steps: tuple[Step[Any, Any], Step[Any, Any]]
    seeing: tuple[Seat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A game's part in the suite.

    `setups` by a name each. `story`: the setup of the playthrough, which takes `story_steps` at most; with `seed`.
    `fill(state, offer, seat, choose)` returns an action for a legal action that has none, None where there is none.
    `weights`: how often a legal action is taken by its name, 1 unless told otherwise. `sizes`: states with an action,
    from small to large. `summary` tells a state in a line. `rare`: types of events that the plays never reach.
    `secrets`: none where everybody sees everything.
    """

    system: AnySystem
    setups: Mapping[str, Any]
    story: Any
    summary: Callable[[Any], str]
    sizes: Sequence[tuple[Any, Any]]
    fill: Fill | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    rare: frozenset[str] = frozenset()
    secrets: Sequence[Secret] = ()
    seed: bytes = b"playthrough"
    story_steps: int = 40

    def action(self, state: object, offer: LegalAction[Any], seat: Seat, choose: Random) -> Any:  # noqa: ANN401 - of any game
        """Return an action that `seat` may take by this offer, None where nothing fits."""
        if offer.action is not None:
            return offer.action
        assert self.fill is not None, f"{offer.name} asks for more, and the example of {self.system.name} has no `fill`"
        return self.fill(state, offer, seat, choose)


def job_of(rules: AnySystem, state: object, action: object, seat: Seat, key: bytes, step: int) -> Advance:
    """Return the job that applies an action to a state."""
    texts = {"state_json": rules.states.write_json(state), "action_json": rules.actions.write_json(action)}
    return Advance(system=rules.name, seat=seat, key=key, step=step, **texts)


def registered() -> tuple[str, ...]:
    """Return the names of all systems of battles."""
    return tuple(sorted(systems()))


def example_of(system: str) -> Example:
    """Return the examples of a system; NoExampleError where there are none."""
    module = system.replace("-", "_")
    if find_spec(f"{examples.__name__}.{module}") is None:
        raise NoExampleError(
            f"The conformance suite has no examples of the system {system!r}: add an `EXAMPLE` in"
            f" tests/conformance/examples/{module}.py and run `python -m tests.conformance.playthroughs`."
        )
    found: Example = import_module(f"{examples.__name__}.{module}").EXAMPLE
    return found


SEEDS = (b"first", b"second")
STEPS = 25

Option = tuple[LegalAction[Any], Seat, Any]
"""A legal action, a seat that may take it, and the action filled in."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A step of a play: the state, what might have been done by whom, what was done, what it led to."""

    state: Any
    options: tuple[Option, ...]
    seat: Seat
    action: Any
    number: int
    step: Step[Any, Any]


@dataclass(frozen=True, slots=True)
class Play:
    """A battle from its setup on."""

    setup: Any
    seed: bytes
    turns: tuple[Turn, ...]

    @property
    def states(self) -> list[Any]:
        """All states, the last one, too."""
        return [*(turn.state for turn in self.turns), *(turn.step.state for turn in self.turns[-1:])]


@cache
def plays(system: str) -> tuple[Play, ...]:
    """Return plays of all setups of a system's examples."""
    example = example_of(system)
    return tuple(
        Play(setup, seed, tuple(play(example, setup, seed))) for setup in example.setups.values() for seed in SEEDS
    )


def play(example: Example, setup: object, seed: bytes, most: int = STEPS) -> Iterator[Turn]:
    """Yield the turns of a play, until the battle is over or `most` steps are taken."""
    system, choose = example.system, Random(seed)
    state = system.begin(setup)
    for number in range(1, most + 1):
        options = tuple(_options(example, state, choose))
        if not options:
            return
        _, seat, action = _chosen(example, options, choose)
        step = system.apply(state, action, seat, SeededDice(seed, number))
        yield Turn(state, options, seat, action, number, step)
        state = step.state


def choice(example: Example, state: object, choose: Random) -> Option | None:
    """Return something that may be done, None where nothing can be."""
    options = tuple(_options(example, state, choose))
    return _chosen(example, options, choose) if options else None


def _chosen(example: Example, options: Sequence[Option], choose: Random) -> Option:
    weights = [example.weights.get(offer.name, 1) / len(offer.seats) for offer, _, _ in options]
    return choose.choices(options, weights)[0]


def _options(example: Example, state: object, choose: Random) -> Iterator[Option]:
    for offer in example.system.legal(state):
        for seat in offer.seats:
            action = example.action(state, offer, seat, choose)
            if action is not None:
                yield offer, seat, action
