"""The form that selects another army, or a part of one."""

import re
from dataclasses import replace

import discord

from bot.answers.document import EDIT_ACTION
from bot.answers.handler import form
from bot.answers.query import Query
from bot.games.mad_killer_agents.selection import PATTERN, Selection
from bot.ui.modals import text_field
from sim.core.csv_cells import read_whole
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.values import State
from sim.mad_killer_agents.tile_names import read_place

MOST_PLACE = 4
"""Characters of a tile's name, or digits of its number."""

_MOST_UNITS = 9


class SelectionQuery(Query):
    """What the form asks for: which army, and how much of it goes; as typed, filled with what was selected."""

    hand: str
    place: str = ""
    units: str = ""


def selection_form(kept_id: str, query: SelectionQuery) -> discord.ui.Modal:
    """Make the form, filled with what was typed."""
    fields = [
        text_field("place", "Which army?", query.place, max_length=MOST_PLACE, hint="its tile, such as C7"),
        text_field("units", "How many of it go?", query.units, max_length=_MOST_UNITS, hint="empty for all"),
    ]
    return form("Army and number", kept_id, EDIT_ACTION, fields)


def chosen(query: SelectionQuery, selection: Selection, state: State, board: Board) -> Selection:
    """Return the selection that the form asks for; RuleError for an army or a number that isn't there."""
    at = read_place(query.place.strip(), board.width, board.height)
    army = board.army(state.turn, at)
    typed = query.units.strip()
    if not typed:
        return replace(selection, at=at, units=0)
    try:
        units = read_whole(typed)
    except ValueError as error:
        raise RuleError(f"How many of it go: {error}.") from None
    if not 1 <= units <= army.units:
        raise RuleError(f"The army on {board.place(at)} has {army.units:,} units, not {units:,}.")
    return replace(selection, at=at, units=units)


def read_selection(text: str) -> Selection:
    """Read a selection from a query; RuleError for one of another version."""
    match = re.fullmatch(PATTERN, text)
    if match is None:
        raise RuleError("This form is of an older version; please press the panel's button again.")
    return Selection.of(match)
