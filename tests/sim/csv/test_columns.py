"""Declared columns: what is read, and every fault by row and column."""

import re

import pytest

from sim.csv.columns import Columns, column_key, name_of, namesakes, one_of, within
from sim.csv.table import TableError, read_table, read_whole, write_table

COLUMNS = Columns(
    {
        "name": name_of(8, "The name {text}"),
        "hit_points": within(read_whole, 1, 1000, "{text} is out of range: {low} to {high:,}"),
        "size": one_of({"big": True, "small": False}, "is neither big nor small"),
    },
    needed=("name", "hit_points"),
    others={"hp": "hit_points"},
)


def read(text: str) -> tuple[list[dict[str, object]], list[str]]:
    """Return the values of each row, and every fault, one for each name that stands twice among them."""
    sheet = COLUMNS.of(read_table(text.encode()))
    records = sheet.records()
    values = [record.values() for record in records]
    for record, first in namesakes(records, "name"):
        record.add_fault("name", f"Row {first.row.number} has it.")
    try:
        sheet.check()
    except TableError as error:
        return values, list(error.sentences)
    return values, []


@pytest.mark.parametrize(
    ("text", "values", "faults"),
    [
        ("name,hp\nBo,5", [{"name": "Bo", "hit_points": 5}], []),
        ("SIZE;Hit-Points;NAME\nBIG;1000;Bo", [{"name": "Bo", "hit_points": 1000, "size": True}], []),
        ("name,hit points,size,\nBo,,small,", [{"name": "Bo", "size": False}], []),
        ("name,hp\nBo,0\nBo ,1001", [{"name": "Bo"}] * 2, ["Row 2, hp: '0' is", "Row 3, hp: '1001' is", "Row 3, name"]),
        ("name,hp\n,x", [{}], ["Row 2, hp: 'x' is not a whole number."]),
        ("name,hp\nBo,1.0\nBOB,2", [{"name": "Bo", "hit_points": 1}, {"name": "BOB", "hit_points": 2}], []),
        ("name,hp\nBo,1\nbo,2", None, ["Row 3, name: Row 2 has it."]),
        ("name,hp\nTheodoric,1", None, ["Row 2, name: The name 'Theodoric' has 9 characters; at most 8 are allowed."]),
        ("name,hp,size\nBo,1,huge", None, ["Row 2, size: 'huge' is neither big nor small."]),
        ("nam,hp", [], ["Row 1, nam: A roster has no column 'nam'. Did you mean name?", "Row 1: The column name is"]),
        ("name,hp,HP", [], ["Row 1, HP (column C): There is more than one column hit_points."]),
        (
            "\nname,zzzz\n",
            [],
            ["Row 2, zzzz: A roster has no column 'zzzz'.", "Row 2: The column hit_points is missing."],
        ),
    ],
)
def test_rows_and_faults(text: str, values: list[dict[str, object]] | None, faults: list[str]) -> None:
    found, told = read(text)
    assert values is None or found == values
    assert len(told) == len(faults)
    assert all(map(str.startswith, told, faults))


def test_columns_may_have_words_and_keys_of_their_own() -> None:
    columns = Columns(
        {"a": str, "b": str},
        repeated=("b",),
        unknown="No {}.",
        twice="Twice {}.",
        key=lambda header: re.sub("[0-9]+$", "", column_key(header)),
    )
    sheet = columns.of(read_table(b"b1,b2,a1,a2,c,x y"))
    assert (sheet.named, sheet.at) == (["b", "b", "a", "a", None, None], {"b": 0, "a": 2})
    assert [fault.message for fault in sheet.faults.told] == ["Twice a.", "No 'c'.", "No 'x y'."]


def test_a_fault_of_a_column_that_is_not_there_names_it() -> None:
    sheet = COLUMNS.of(read_table(write_table(["name", "hp"], [["Bo", 1]])))
    (record,) = sheet.records()
    assert record.right
    for column in ("size", "hp", 1, None):
        record.add_fault(column, "No.")
    assert [fault.column for fault in sheet.faults.told] == ["size", "hp", "hp", None]
    assert not record.right
