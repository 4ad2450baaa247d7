"""Tiles as players say them: column letters and a row number from the top, `C7`, `AB12`.

In the code a tile is one number: row x width + column, both from 0.
"""

import re
from functools import lru_cache

from sim.core.errors import RuleError

_LETTERS = 26
_PLACE = re.compile(r"([A-Za-z]{1,2})([0-9]{1,2})", re.ASCII)


def column_name(column: int) -> str:
    """Return the letters of a column (from 0): A to Z, then AA, AB and so on."""
    tens, ones = divmod(column, _LETTERS)
    last = chr(ord("A") + ones)
    return last if not tens else chr(ord("A") + tens - 1) + last


def place_name(tile: int, width: int) -> str:
    """Return what players call a tile of a map of that width."""
    row, column = divmod(tile, width)
    return f"{column_name(column)}{row + 1}"


@lru_cache(maxsize=4096)
def read_place(text: str, width: int, height: int) -> int:
    """Return the tile that players call so; RuleError for what is no place, or not on the map."""
    match = _PLACE.fullmatch(text)
    if match is None:
        raise RuleError(f"A tile is needed here, such as C7, not {text[:20]!r}.")
    column = 0
    for letter in match[1].upper():
        column = column * _LETTERS + ord(letter) - ord("A") + 1
    row = int(match[2])
    if not (column <= width and 1 <= row <= height):
        corner = place_name(width * height - 1, width)
        raise RuleError(f"{match[0].upper()} is not on the map, which goes from A1 to {corner}.")
    return (row - 1) * width + column - 1
