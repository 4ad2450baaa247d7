"""Tells who came in where: the teams of a decided battle and their places, for profiles and ladders.

And chances from a state on, estimated in plain Python.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Protocol, runtime_checkable

from pydantic import Field

from sim.core.battle import REFEREE, AnySystem, LegalAction, Outcome, Seat, StateT_contra
from sim.core.dice import SeededDice
from sim.core.values import Frozen

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


class Team(Frozen):
    """Seats that win and lose together; teams of the same `place`, from 1, are tied.

    A team without opponents has place 1 if it won, else 2. `chance`: to win, before the first roll; None if nobody
    knows.
    """

    place: Annotated[int, Field(ge=1)]
    seats: tuple[Seat, ...]
    chance: Annotated[float, Field(gt=0, lt=1)] | None = None


@runtime_checkable
class RanksTeams(Protocol[StateT_contra]):
    """Implemented by rules where not every seat fights for itself, or places mean more than who won."""

    def standings(self, state: StateT_contra) -> tuple[Team, ...]:
        """Return the teams; none while nothing is decided."""


def standings(rules: AnySystem, state: object, seats: Iterable[Seat]) -> tuple[Team, ...]:
    """Return the teams of a battle with these seats, none while nothing is decided.

    Rules that don't tell have no teams: the winner's seat has place 1, the others 2; all are tied if nobody won.
    """
    if isinstance(rules, RanksTeams):
        return rules.standings(state)
    outcome: Outcome | None = rules.outcome(state)
    if outcome is None:
        return ()
    fighters = [seat for seat in seats if seat != REFEREE]
    return tuple(Team(place=1 if outcome.winner in {None, seat} else 2, seats=(seat,)) for seat in fighters)


def with_chances(rules: AnySystem, state: object, teams: Sequence[Team]) -> tuple[Team, ...]:
    """Return the teams with their chances to win from `state`; they add up to 1, a tie being a part for each team.

    They are estimates, as of `outlook`, and nothing is sure: a team that never won is taken to win a part of one battle
    more. Where players decide how it goes, the chances stay unknown.
    """
    wins = outlook(rules, state) if len(teams) > 1 else None
    if wins is None:
        return tuple(teams)
    part = 1 / len(teams)
    tied = 1 - sum(wins.values())
    return tuple(
        team.model_copy(
            update={
                "chance": (BATTLES * (sum(wins.get(seat, 0) for seat in team.seats) + tied * part) + part)
                / (BATTLES + 1)
            }
        )
        for team in teams
    )
