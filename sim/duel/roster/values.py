"""A roster: one or two sides of critters."""

from typing import Annotated

from pydantic import Field

from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.duel.battle.values import Group
from sim.duel.names import MAX_NAME

DEFAULT_SIDE = "1"
"""The side of those whose row names none."""


class RosterSide(Frozen):
    """A side: what it is called, and who is on it."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    critters: Group


class Roster(Frozen):
    """What a file holds: a side, or the two sides of a fight, group 1 first."""

    sides: Annotated[tuple[RosterSide, ...], Field(min_length=1, max_length=2)]

    def groups(self) -> tuple[Group, Group]:
        """Return both groups; RuleError where there is only one side."""
        if len(self.sides) == 1:
            raise RuleError(f"All in this roster are on one side, {self.sides[0].name}: a fight needs two.")
        return self.sides[0].critters, self.sides[1].critters
