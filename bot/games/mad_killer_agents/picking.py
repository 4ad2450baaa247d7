"""The form that takes another army, or a part of one, in hand."""

import re
from dataclasses import replace

import discord

from bot.answers.document import EDIT_ACTION
from bot.answers.handler import form
from bot.answers.query import Query
from bot.games.mad_killer_agents.hand import PATTERN, Hand
from bot.ui.modals import text_field
from sim.core.csv_cells import read_whole
from sim.core.errors import RuleError
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.values import State
from sim.mad_killer_agents.tile_names import read_place

MOST_PLACE = 4
"""Characters of a tile's name, or digits of its number."""

_MOST_UNITS = 9


class HandQuery(Query):
    """What the form asks for: which army, and how much of it goes; as typed, filled with what was in hand."""

    hand: str
    place: str = ""
    units: str = ""


def hand_form(kept_id: str, query: HandQuery) -> discord.ui.Modal:
    """Make the form, filled with what was typed."""
    fields = [
        text_field("place", "Which army?", query.place, most=MOST_PLACE, hint="its tile, such as C7"),
        text_field("units", "How many of it go?", query.units, most=_MOST_UNITS, hint="empty for all"),
    ]
    return form("Army and number", kept_id, EDIT_ACTION, fields)


def chosen(query: HandQuery, hand: Hand, state: State, board: Board) -> Hand:
    """Return the hand that the form asks for; RuleError for an army or a number that isn't there."""
    at = read_place(query.place.strip(), board.width, board.height)
    army = board.army(state.turn, at)
    typed = query.units.strip()
    if not typed:
        return replace(hand, at=at, units=0)
    try:
        units = read_whole(typed)
    except ValueError as error:
        raise RuleError(f"How many of it go: {error}.") from None
    if not 1 <= units <= army.units:
        raise RuleError(f"The army on {board.place(at)} has {army.units:,} units, not {units:,}.")
    return replace(hand, at=at, units=units)


def read_hand(text: str) -> Hand:
    """Read a hand that a question keeps; RuleError for one of another version."""
    match = re.fullmatch(PATTERN, text)
    if match is None:
        raise RuleError("This form is of an older version; please press the panel's button again.")
    return Hand.of(match)
