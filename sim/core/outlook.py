"""Chances from here, estimated in plain Python: a battle is fought on by its own rules, with other dice each time."""

from collections import Counter
from collections.abc import Mapping

from sim.core.battle import AnySystem, LegalAction, Outcome
from sim.core.dice import SeededDice

BATTLES = 100
"""Battles fought for an estimate, which is then rarely off by more than 10%."""

_ENOUGH = 50  # steps to the end of a battle; each may be many rounds
_MAX_COST = 0.35  # seconds that one step is said to take at most; most take a tenth of that, or less
_ON = ("run-out", "run")
"""Names of the actions that fight on to the end, as far as a step goes."""


def outlook(system: AnySystem, state: object) -> Mapping[str, float] | None:
    """Return how often each seat wins from here; None where a player would have to choose, or if it takes long.

    It always takes the same dice, so the same state has the same chances.
    """
    outcome = system.outcome(state)
    if outcome is not None:
        return {} if outcome.winner is None else {outcome.winner: 1.0}
    offer = _on(system, state)
    if offer is None or system.cost(state, offer.action) > _MAX_COST:
        return None
    ends = [_end(system, state, number) for number in range(BATTLES)]
    wins = Counter(end.winner for end in ends if end is not None and end.winner is not None)
    return None if None in ends else {seat: count / BATTLES for seat, count in sorted(wins.items())}


def _on(system: AnySystem, state: object) -> LegalAction[object] | None:
    offers: dict[str, LegalAction[object]] = {offer.name: offer for offer in system.legal(state)}
    return next((offers[name] for name in _ON if name in offers and offers[name].action is not None), None)


def _end(system: AnySystem, state: object, number: int) -> Outcome | None:
    """Return how a battle ends that is fought on; None if a player would have to choose."""
    for step in range(_ENOUGH):
        offer = _on(system, state)
        if offer is None:
            break
        dice = SeededDice(b"chances from here %d" % number, step)
        state = system.apply(state, offer.action, offer.seats[0], dice).state
    return system.outcome(state)
