"""What the suite has to know of a game: battles to play, and how to fill in what a legal action leaves open."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

from sim.core.battle import AnySystem, LegalAction, Seat, Step
from sim.jobs.discovery import systems
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
