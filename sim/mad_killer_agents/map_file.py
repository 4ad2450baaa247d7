"""Maps as CSV: a line for each row of the map, from the top, a tile value in each cell.

Such a file comes out of `map_csv` and goes back in through `read_map`, which also takes maps with column letters above
and row numbers at the left, as a spreadsheet would have them.
"""

import re

from sim.core.table import Fault, Table, TableError, column_letter, read_table, write_table
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.constants import HIGHEST, LEAST_SIDE, LOWEST, MOST_SIDE
from sim.mad_killer_agents.terrain import Terrain
from sim.mad_killer_agents.tile_names import column_name

_VALUES = frozenset(str(value) for value in range(LOWEST, HIGHEST + 1))
_LETTERS = re.compile(r"[A-Za-z]{1,2}", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,2}", re.ASCII)

_Rows = list[tuple[int, tuple[str, ...]]]


def map_csv(terrain: Terrain) -> bytes:
    """Return a map as CSV, without a header: each line is a row of tile values."""
    first, *rest = ([int(digit) for digit in row] for row in terrain.rows)
    return write_table([str(value) for value in first], rest)


def board_csv(board: Board) -> bytes:
    """Return all that is on a board as CSV: a line for each tile, for those who count."""
    header = ("tile", "value", "owner", "army", "units", "city", "size")
    rows = []
    for tile, value in enumerate(board.tiles):
        army, city = board.armies.get(tile), board.cities.get(tile)
        owner = board.owners[tile]
        rows.append(
            (
                board.place(tile),
                value,
                board.sides[owner].name if owner else "",
                "" if army is None else board.sides[army.owner].name,
                "" if army is None else army.units,
                "" if city is None else f"{board.sides[city.owner].name} {city.number}",
                "" if city is None else city.size,
            )
        )
    return write_table(header, rows)


def read_map(data: bytes) -> Terrain:
    """Read a map; TableError with everything that is wrong, or where the map is too small or too large."""
    rows, left = _plain(read_table(data))
    faults = [
        Fault(
            number, f"column {column_letter(at + left)}", f"{cell[:20]!r} is no tile value from {LOWEST} to {HIGHEST}."
        )
        for number, cells in rows
        for at, cell in enumerate(cells)
        if cell not in _VALUES
    ]
    width = len(rows[0][1]) if rows else 0
    faults += [
        Fault(number, None, f"The row has {len(cells)} tiles where the first has {width}.")
        for number, cells in rows
        if len(cells) != width
    ]
    if not (LEAST_SIDE <= width <= MOST_SIDE and LEAST_SIDE <= len(rows) <= MOST_SIDE):
        size = f"{width} x {len(rows)}"
        faults.append(Fault(None, None, f"A map has {LEAST_SIDE} to {MOST_SIDE} tiles each way; this one is {size}."))
    if faults:
        raise TableError(tuple(faults))
    return Terrain(rows=tuple("".join(cells) for _, cells in rows))


def _plain(table: Table) -> tuple[_Rows, int]:
    """Return the rows of tiles with their lines in the file, and how many columns before them were left out."""
    rows: _Rows = [(table.header_row, table.header), *((row.number, row.cells) for row in table.rows)]
    head = table.header
    letters = [cell for cell in head[1:] if _LETTERS.fullmatch(cell)]
    lettered = len(head) > 1 and len(letters) == len(head) - 1
    if not lettered:
        return rows, 0
    rows = rows[1:]
    # Letters from the second column on: the first one numbers the rows, unless it has a letter of its own.
    numbered = head[0].upper() != column_name(0) or head[1].upper() == column_name(0)
    if numbered and all(_NUMBER.fullmatch(cells[0]) for _, cells in rows):
        return [(number, cells[1:]) for number, cells in rows], 1
    return rows, 0
