"""Maps as CSV, out and in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.dice import SeededDice
from sim.csv.table import TableError, read_table
from sim.mad_killer_agents.grid import column_name
from sim.mad_killer_agents.tables import board_csv, map_csv, read_map
from sim.mad_killer_agents.terrain import Drawing, Terrain
from tests.sim.mad_killer_agents.builders import board, terrain

maps = st.builds(
    lambda width, height, seed: Drawing(width=width, height=height).draw(SeededDice(seed)),
    st.integers(8, 40),
    st.integers(8, 40),
    st.binary(min_size=1, max_size=4),
)


@given(maps)
def test_a_map_comes_back_as_it_went(ground: Terrain) -> None:
    assert read_map(map_csv(ground)) == ground


@given(maps, st.booleans(), st.sampled_from(",;\t"), st.sampled_from(["", "row", " "]))
def test_spreadsheets_may_add_letters_and_numbers(ground: Terrain, numbers: bool, comma: str, corner: str) -> None:
    letters = [column_name(column) for column in range(ground.width)]
    lines = [[corner, *letters] if numbers else letters]
    for number, row in enumerate(ground.rows, start=1):
        lines.append([str(number), *row] if numbers else list(row))
    if numbers and comma == "\t" and not corner.strip():
        lines[0][0] = "#1".removeprefix("#")
    text = "\r\n".join(comma.join(line) for line in lines)
    assert read_map(text.encode("utf-8-sig")) == ground


def test_a_file_has_a_line_for_each_row() -> None:
    lines = map_csv(terrain(2, B1=6)).decode("utf-8-sig").splitlines()
    assert lines == ["2,6,2,2,2,2,2,2", *["2,2,2,2,2,2,2,2"] * 7]


def changed(old: str, new: str) -> bytes:
    return map_csv(terrain(2, A1=1, C3=5)).decode("utf-8-sig").replace(old, new, 1).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (changed("5", "7"), "Row 3, column C: '7' is no tile value from 1 to 6."),
        (changed("5", "５"), "Row 3, column C: '５' is no tile value"),
        (changed("1", ""), "Row 1, column A: '' is no tile value"),
        (changed("5", "5,2"), "Row 3, .* header|Row 3: The row has 9 tiles where the first has 8"),
        (changed("1,2,2,2,2,2,2,2\r\n", ""), "this one is 8 x 7"),
        (b"", "empty|no header"),
        (b"PK\x03\x04 more", "xlsx|Excel|CSV"),
    ],
)
def test_files_that_are_no_map(data: bytes, message: str) -> None:
    with pytest.raises(TableError, match=message):
        read_map(data)


def test_all_wrong_tiles_are_told_at_once() -> None:
    with pytest.raises(TableError) as caught:
        read_map(changed("5", "x").replace(b"1", b"0"))
    assert [fault.row for fault in caught.value.faults] == [1, 3]


def test_everything_on_a_map_as_a_table() -> None:
    on = board({"C3": (1, 9), "D4": (2, 4)}, {"D4": (2, 3)})
    on.sides[2].name = "=Anna"
    table = read_table(board_csv(on))
    rows = {row.cells[0]: row.cells[1:] for row in table.rows}
    assert len(rows) == 64
    assert rows["C3"] == ("2", "P1", "P1", "9", "", "")
    assert rows["D4"] == ("2", "=Anna", "=Anna", "4", "=Anna 1", "3")
    assert rows["A1"] == ("2", "", "", "", "", "")
    assert b"'=Anna" in board_csv(on)
