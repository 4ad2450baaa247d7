"""Battles played by chance: at every step one of the legal actions, by one of the seats that may take it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from sim.core.battle import LegalAction, Seat, Step
from sim.core.dice import SeededDice
from tests.conformance.example import Example, example_of

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
