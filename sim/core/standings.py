"""Who came in where: the teams of a decided battle and their places, for profiles and ladders."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Protocol, TypeVar, runtime_checkable

from pydantic import Field

from sim.core.battle import REFEREE, AnySystem, Outcome, Seat
from sim.core.outlook import BATTLES, outlook
from sim.core.values import Frozen

StateT_contra = TypeVar("StateT_contra", contravariant=True)


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
