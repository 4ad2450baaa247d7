"""The army that a player has selected in the turn message, and the form that selects one."""

import re
from dataclasses import dataclass, replace
from typing import Self

import discord

from bot.answers.document import EDIT_ACTION
from bot.answers.handler import Query, form
from bot.ui.modals import text_field
from sim.core.errors import RuleError
from sim.csv.table import read_whole
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.values import State
from sim.mad_killer_agents.grid import read_tile

STEP, FORCED = "s", "f"
NO_ARMY = -1

PATTERN = r"(?P<battle>[0-9]{1,18}):(?P<version>[0-9]{1,6}):(?P<at>-1|[0-9]{1,4}):(?P<units>[0-9]{1,13}):(?P<pace>[sf])"


@dataclass(frozen=True, slots=True)
class Selection:
    """The army on tile `at`, or NO_ARMY, of a battle at a version.

    `units`: how many units go, 0 for all. `pace`: STEP, or FORCED for forced marches where possible.
    """

    battle_id: int
    version: int
    at: int = NO_ARMY
    units: int = 0
    pace: str = STEP

    @classmethod
    def of(cls, match: re.Match[str]) -> Self:
        """Return the selection in a custom id that matches PATTERN."""
        return cls(int(match["battle"]), int(match["version"]), int(match["at"]), int(match["units"]), match["pace"])

    def __str__(self) -> str:
        return f"{self.battle_id}:{self.version}:{self.at}:{self.units}:{self.pace}"

    def going(self, board: Board) -> int:
        """Return the number of units that go."""
        return self.units or board.armies[self.at].units

    def refreshed(self, board: Board, player: int, version: int, *preferred: int) -> Self:
        """Return the selection for the current board and version.

        Selects the first `preferred` army with movement points left. Without preferences it keeps its army if that
        still exists. Else it selects an army with movement points, or any; NO_ARMY if the player has none.
        """
        own = board.armies_of(player)
        able = [at for at in own if board.armies[at].mp]
        at = next((at for at in preferred if at in able), None)
        if at is None:
            at = self.at if self.at in own and not preferred else next(iter([*able, *own]), NO_ARMY)
        units = self.units if at == self.at and at != NO_ARMY and self.units < board.armies[at].units else 0
        return replace(self, version=version, at=at, units=units)


MAX_TILE_NAME = 4
"""Characters of a tile's name, and digits of its number."""

_MAX_UNITS_DIGITS = 9


class SelectionQuery(Query):
    """The fields of the form as typed: the army's tile and the number of units. `hand`: the selection before."""

    private: bool = True
    hand: str
    place: str = ""
    units: str = ""


def selection_form(stored_id: str, query: SelectionQuery) -> discord.ui.Modal:
    """Return the form, filled with the query."""
    fields = [
        text_field("place", "Which army?", query.place, max_length=MAX_TILE_NAME, hint="its tile, such as C7"),
        text_field("units", "How many units?", query.units, max_length=_MAX_UNITS_DIGITS, hint="empty for all"),
    ]
    return form("Choose an army", stored_id, EDIT_ACTION, fields)


def apply_selection(query: SelectionQuery, selection: Selection, state: State, board: Board) -> Selection:
    """Return the selection that the form describes; RuleError if there is no such army or not enough units."""
    at = read_tile(query.place.strip(), board.width, board.height)
    army = board.army(state.turn, at)
    typed = query.units.strip()
    if not typed:
        return replace(selection, at=at, units=0)
    try:
        units = read_whole(typed)
    except ValueError as error:
        raise RuleError(f"How many units: {error}.") from None
    if not 1 <= units <= army.units:
        raise RuleError(f"The army on {board.tile_name(at)} has {army.units:,} units, not {units:,}.")
    return replace(selection, at=at, units=units)


def read_selection(text: str) -> Selection:
    """Return the selection in a stored query; RuleError if another version of the bot wrote it."""
    match = re.fullmatch(PATTERN, text)
    if match is None:
        raise RuleError("This form is out of date: press Your turn on the panel again.")
    return Selection.of(match)
