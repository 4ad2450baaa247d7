"""What a player has selected in the private message: an army, a part of it, and how it is to go."""

import re
from dataclasses import dataclass, replace
from typing import Self

from sim.mad_killer_agents.battle.board import Board

STEP, FORCED = "s", "f"
NOBODY = -1

PATTERN = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6}):(?P<at>-1|[0-9]{1,4}):(?P<units>[0-9]{1,13}):(?P<pace>[sf])"


@dataclass(frozen=True, slots=True)
class Selection:
    """The army on tile `at` (NOBODY for none) of a battle at a version.

    `units`: how many of it go, 0 for all. `pace`: STEP, or FORCED for forced marches where they are possible.
    """

    battle_id: int
    version: int
    at: int = NOBODY
    units: int = 0
    pace: str = STEP

    @classmethod
    def of(cls, match: re.Match[str]) -> Self:
        """Read it from an id."""
        return cls(int(match["battle"]), int(match["version"]), int(match["at"]), int(match["units"]), match["pace"])

    def __str__(self) -> str:
        return f"{self.battle_id}:{self.version}:{self.at}:{self.units}:{self.pace}"

    def going(self, board: Board) -> int:
        """Return how many units go."""
        return self.units or board.armies[self.at].units

    def fitting(self, board: Board, player: int, version: int, *wanted: int) -> Self:
        """Return the selection for the board as it stands now.

        It keeps its army, if that is still there and no other is `wanted` more: the first of those with
        movement points left. Else the next one with movement points, else any; NOBODY where there is none.
        """
        mine = board.armies_of(player)
        able = [at for at in mine if board.armies[at].mp]
        at = next((at for at in wanted if at in able), None)
        if at is None:
            at = self.at if self.at in mine and not wanted else next(iter([*able, *mine]), NOBODY)
        units = self.units if at == self.at and at != NOBODY and self.units < board.armies[at].units else 0
        return replace(self, version=version, at=at, units=units)
