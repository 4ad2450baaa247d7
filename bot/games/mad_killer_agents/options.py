"""Options and form fields of Mad Killer Agents: map sizes, map kinds, lists of AIs, numbers."""

import re
from collections.abc import Iterable

from discord import app_commands

from bot.client import Interaction
from bot.ui.options import CompletedOption, text_choices
from bot.ui.text import shorten
from sim.core.errors import RuleError
from sim.core.names import nearest
from sim.csv.table import read_whole
from sim.mad_killer_agents.constants import (
    MAX_PLAYERS,
    MAX_SIDE,
    MAX_VALUE,
    MIN_PLAYERS,
    MIN_SIDE,
    MIN_VALUE,
    AiKind,
    MapKind,
)
from sim.mad_killer_agents.terrain import Drawing

MAX_SIZE_TEXT, MAX_AIS_TEXT = 10, 120
"""Characters of the options for a size and for AIs."""

SIZES = ("12x12", "16x16", "20x20", "24x16", "30x30", "40x40")
"""Sizes suggested while a player types."""

_SIZE = re.compile(r"(?P<width>[0-9]{1,4})(?:\s*[xX×*]\s*(?P<height>[0-9]{1,4}))?", re.ASCII)
_PIECES = re.compile(r"[\s,;+&]+|\bvs\b\.?|\band\b")
_TIMES = re.compile(r"(?P<count>[1-9])x?|x(?P<after>[1-9])", re.ASCII)


class MapSize(CompletedOption):
    """An option for the size of a map."""

    def __init__(self) -> None:
        super().__init__(MAX_SIZE_TEXT)

    async def complete(self, _interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Suggest the usual sizes that begin with `typed`."""
        return text_choices(size for size in SIZES if size.startswith(typed.strip()))


def read_size(text: str) -> tuple[int, int]:
    """Return width and height from `20x16`, or `20` for a square; RuleError for anything else."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise RuleError(f"Size: write columns x rows, such as 20x16, not {shorten(text, 20)}.")
    width = int(found["width"])
    height = int(found["height"] or width)
    if not (MIN_SIDE <= width <= MAX_SIDE and MIN_SIDE <= height <= MAX_SIDE):
        raise RuleError(f"Size: a map has {MIN_SIDE} to {MAX_SIDE} tiles each way, not {width} x {height}.")
    return width, height


def read_drawing(size: str, kind: str, without: int | None) -> Drawing:
    """Return how to draw a map; RuleError if an option is wrong."""
    width, height = read_size(size)
    known = next((map_kind for map_kind in MapKind if map_kind == kind.strip().lower()), None)
    if known is None:
        raise RuleError(f"Map: there is no kind {shorten(kind, 20)}; there are {', '.join(MapKind)}.")
    if without is not None and not MIN_VALUE < without < MAX_VALUE:
        raise RuleError(f"Without: plateaus leave out a value from {MIN_VALUE + 1} to {MAX_VALUE - 1}.")
    if without is not None and known is not MapKind.PLATEAUS:
        raise RuleError("Without: only plateaus leave a value out.")
    return Drawing(width=width, height=height, kind=known, omitted=without)


def read_ais(text: str) -> tuple[AiKind, ...]:
    """Return the AIs in `marshal vs pillager`, `2 marshal, random` or `marshal x2, random`.

    RuleError, with a suggestion where possible, for anything else.
    """
    found: list[AiKind] = []
    times: int | None = None
    for word in filter(None, _PIECES.split(text.strip().lower())):
        count = _TIMES.fullmatch(word)
        if count is None:
            found += [_ai(word)] * (times or 1)
            times = None
        elif times is not None:
            raise RuleError(f"Players: how many {shorten(word, 20)}? Write a number and an AI, such as: 2 pillager.")
        elif count["after"] and found:
            found += found[-1:] * (int(count["after"]) - 1)
        else:
            times = int(count["count"] or count["after"])
    if times is not None:
        raise RuleError(f"Players: {times} of which AI? There are {', '.join(AiKind)}.")
    if not MIN_PLAYERS <= len(found) <= MAX_PLAYERS:
        raise RuleError(
            f"Players: {MIN_PLAYERS} to {MAX_PLAYERS} AIs are needed, such as: marshal, 2 pillager; "
            f"there are {', '.join(AiKind)}."
        )
    return tuple(found)


def read_number(text: str, what: str, minimum: int, maximum: int) -> int:
    """Return a whole number; RuleError, which names the field `what`, if it isn't one or is out of range."""
    try:
        number = read_whole(text.strip())
    except ValueError as error:
        raise RuleError(f"{what}: {error}.") from None
    if not minimum <= number <= maximum:
        raise RuleError(f"{what}: from {minimum:,} to {maximum:,}.")
    return number


def _ai(word: str) -> AiKind:
    names = {name: kind for kind in AiKind for name in _names(kind)}
    if word in names:
        return names[word]
    near = nearest(word, names)
    hint = f" Did you mean {near}?" if near else f" There are {', '.join(AiKind)}."
    raise RuleError(f"Players: there is no AI {shorten(word, 20)}.{hint}")


def _names(kind: AiKind) -> Iterable[str]:
    return kind.value, f"{kind.value}s"
