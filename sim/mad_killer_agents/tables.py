"""Maps as CSV: one line per row of the map, from the top, with a tile value in each cell.

`map_csv` writes such a file, `read_map` reads it; it also accepts column letters above and row numbers at the left, as
in a spreadsheet.
"""

import re

from sim.core.errors import Faults
from sim.csv.table import Fault, Table, check_table, column_letter, read_table, write_table
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.constants import MAX_SIDE, MAX_VALUE, MIN_SIDE, MIN_VALUE
from sim.mad_killer_agents.terrain import Terrain

_VALUES = frozenset(str(value) for value in range(MIN_VALUE, MAX_VALUE + 1))
_LETTERS = re.compile(r"[A-Za-z]{1,2}", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,2}", re.ASCII)

_Rows = list[tuple[int, tuple[str, ...]]]


def map_csv(terrain: Terrain) -> bytes:
    """Return a map as CSV without a header: each line is a row of tile values."""
    first, *rest = ([int(digit) for digit in row] for row in terrain.rows)
    return write_table([str(value) for value in first], rest)


def board_csv(board: Board) -> bytes:
    """Return everything on a board as CSV: one line per tile."""
    header = ("tile", "value", "owner", "army", "units", "city", "size")
    rows = []
    for tile, value in enumerate(board.tiles):
        army, city = board.armies.get(tile), board.cities.get(tile)
        owner = board.owners[tile]
        rows.append(
            (
                board.tile_name(tile),
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
    """Return the map in a file; TableError with what is wrong, the size included."""
    rows, left = _tile_rows(read_table(data))
    faults = Faults[Fault]()
    width = len(rows[0][1]) if rows else 0
    if not (MIN_SIDE <= width <= MAX_SIDE and MIN_SIDE <= len(rows) <= MAX_SIDE):
        size = f"{width} x {len(rows)}"
        faults.add(Fault(None, None, f"A map has {MIN_SIDE} to {MAX_SIDE} tiles each way; this one is {size}."))
    for number, cells in rows:
        if len(cells) != width:
            faults.add(Fault(number, None, f"The row has {len(cells)} tiles where the first has {width}."))
        faults.extend(
            Fault(
                number,
                f"column {column_letter(at + left)}",
                f"{cell[:20]!r} is no tile value from {MIN_VALUE} to {MAX_VALUE}.",
            )
            for at, cell in enumerate(cells)
            if cell not in _VALUES
        )
    check_table(faults)
    return Terrain(rows=tuple("".join(cells) for _, cells in rows))


def _tile_rows(table: Table) -> tuple[_Rows, int]:
    """Return the rows of tiles with their line numbers in the file, and the number of columns skipped before them."""
    rows: _Rows = [(table.header_row, table.header), *((row.number, row.cells) for row in table.rows)]
    head = table.header
    letters = [cell for cell in head[1:] if _LETTERS.fullmatch(cell)]
    lettered = len(head) > 1 and len(letters) == len(head) - 1
    if not lettered:
        return rows, 0
    rows = rows[1:]
    # With letters from the second column on, the first column has row numbers unless it has a letter itself.
    numbered = head[0].upper() != column_letter(0) or head[1].upper() == column_letter(0)
    if numbered and all(_NUMBER.fullmatch(cells[0]) for _, cells in rows):
        return [(number, cells[1:]) for number, cells in rows], 1
    return rows, 0
