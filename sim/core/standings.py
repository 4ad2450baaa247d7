"""Who came in where: the teams of a decided battle and their places, for profiles and ladders."""

from collections.abc import Iterable
from typing import Annotated, Protocol, TypeVar, runtime_checkable

from pydantic import Field

from sim.core.battle import REFEREE, AnySystem, Outcome, Seat
from sim.core.values import Frozen

StateT_contra = TypeVar("StateT_contra", contravariant=True)


class Team(Frozen):
    """Seats that win and lose together; teams of the same `place`, from 1, are tied.

    A team without opponents has place 1 if it won, else 2.
    """

    place: Annotated[int, Field(ge=1)]
    seats: tuple[Seat, ...]


@runtime_checkable
class RanksTeams(Protocol[StateT_contra]):
    """Implemented by rules where not every seat fights for itself, or places mean more than who won."""

    def standings(self, state: StateT_contra) -> tuple[Team, ...]:
        """Return the teams; none while nothing is decided."""
        ...


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
