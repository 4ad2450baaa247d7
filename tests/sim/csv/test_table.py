"""Tables as CSV, numbers in them as people type them; declared columns, and every fault by row and column."""

import codecs
import io
import pickle
import re
import zipfile
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sim.csv as t
from sim.core import MAX_FAULTS, Faults
from sim.core.names import describe_hidden
from sim.csv import TableError, read_table, read_whole, write_table
from sim.csv.columns import Columns, column_key, name_of, namesakes, one_of, within
from tests.tables import kept_table


@pytest.mark.parametrize(("text", "value"), kept_table(__file__, "whole_numbers"))
def test_whole_numbers(text: str, value: int) -> None:
    assert t.read_whole(text) == value


@pytest.mark.parametrize(("text", "told"), kept_table(__file__, "no_whole_numbers"))
def test_what_is_no_whole_number_is_told(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        t.read_whole(text)


@pytest.mark.parametrize(("text", "value"), kept_table(__file__, "decimals"))
def test_decimals_with_a_point_or_a_comma(text: str, value: str) -> None:
    assert t.read_decimal(text) == Decimal(value)
    assert t.read_decimal(text, decimal_comma=True) == Decimal(value)


def test_what_could_be_thousands_is_read_only_where_the_table_writes_decimal_commas() -> None:
    assert t.read_decimal("1,500", decimal_comma=True) == Decimal("1.5")
    with pytest.raises(ValueError, match=r"'1,500' can mean 1500 or 1\.500: write it without a comma"):
        t.read_decimal("1,500")


@pytest.mark.parametrize(("text", "told"), kept_table(__file__, "no_decimals"))
def test_what_is_no_decimal_is_told(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        t.read_decimal(text)


def test_nothing_has_no_sign() -> None:
    assert str(t.read_decimal("-0")) == "0"


@given(st.decimals(-1_000_000, 1_000_000, places=6))
def test_every_decimal_reads_back(value: Decimal) -> None:
    assert t.read_decimal(f"{value:f}") == value
    assert t.read_decimal(f"{value:f}".replace(".", ","), decimal_comma=True) == value


HEADER = ("Name", "XP", "BuffWho")
ALICE = ("Alice", "5", "Alice,Bill")


def read(text: str, encoding: str = "utf-8") -> t.Table:
    return t.read_table(text.encode(encoding))


def rows(text: str) -> list[tuple[str, ...]]:
    return [row.cells for row in read(text).rows]


def faults(data: bytes) -> tuple[t.Fault, ...]:
    with pytest.raises(t.TableError) as caught:
        t.read_table(data)
    return caught.value.faults


def refusal(data: bytes) -> str:
    (fault,) = faults(data)
    return fault.sentence()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"], ids=lambda name: name
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_every_encoding_and_line_end_reads_the_same(encoding: str, end: str) -> None:
    table = read(end.join(["Name,XP,BuffWho", "Zoë,5,“é”", ""]), encoding)
    assert (table.header, [row.cells for row in table.rows]) == (HEADER, [("Zoë", "5", "“é”")])


@pytest.mark.parametrize(
    "data", [codecs.BOM_UTF8 * 2 + "Name\nZoë".encode(), b"\xfe\xff" + "Name\nZoë".encode("utf-16-be")]
)
def test_two_marks_are_as_good_as_one_and_big_endian_has_one(data: bytes) -> None:
    assert [t.read_table(data).header, t.read_table(data).rows[0].cells] == [("Name",), ("Zoë",)]


@pytest.mark.parametrize(("text", "decimal_comma"), kept_table(__file__, "delimiters"))
def test_the_delimiter_is_what_splits_the_header_or_what_the_first_line_says(text: str, decimal_comma: bool) -> None:
    table = read(text)
    assert (table.header, table.rows[0].cells, table.decimal_comma) == (HEADER, ALICE, decimal_comma)


@pytest.mark.parametrize("line", kept_table(__file__, "blanks"))
def test_blanks_around_cells_and_quotes_and_trailing_commas_say_nothing(line: str) -> None:
    assert rows(f"Name,XP,BuffWho,,\n{line}") == [ALICE]


@pytest.mark.parametrize(("text", "cells"), kept_table(__file__, "cells"))
def test_quotes_guards_of_formulas_comments_and_marks(text: str, cells: list[list[str]]) -> None:
    assert [list(row) for row in rows(text)] == cells


def test_rows_are_numbered_as_the_file_has_them() -> None:
    """Blank lines, rows of delimiters, comments and the line that names the delimiter count, but aren't rows."""
    table = read('sep=,\n# a comment, "half quoted\n\nName,XP\n,,\nTom,1\n"# saved by a spreadsheet, too",,\n\nBo,2\n')
    assert (table.header_row, [(row.number, row.cells[0]) for row in table.rows]) == (4, [(6, "Tom"), (9, "Bo")])


def test_a_short_row_is_filled_up_and_a_long_one_is_kept_for_the_reader_to_judge() -> None:
    table = read("A,B\n1\n1,2,3\n1,2,")
    assert [row.cells for row in table.rows] == [("1", ""), ("1", "2", "3"), ("1", "2")]
    assert [fault.sentence()[:17] for fault in table.overlong()] == ["Row 3, column C: "]


def test_the_name_of_a_column_tells_twins_apart() -> None:
    table = read("Name,BuffWho,,buffwho\n")
    assert [table.column(at) for at in range(5)] == [
        *("Name", "BuffWho (column B)", "column C", "buffwho (column D)", "column E")
    ]


@pytest.mark.parametrize(("at", "letter"), [(0, "A"), (25, "Z"), (26, "AA"), (63, "BL"), (702, "AAA")])
def test_letters_of_columns(at: int, letter: str) -> None:
    assert t.column_letter(at) == letter


def zipped(name: str, content: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (zipped("xl/workbook.xml"), "This is an Excel workbook (.xlsx), not CSV: in your spreadsheet program, save"),
        (zipped("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), "This is a LibreOffice spreadsheet"),
        (zipped("notes.txt"), "This is a zip archive, not CSV"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "This is an old Excel workbook (.xls), not CSV"),
        (b"%PDF-1.7", "This is a PDF, not CSV"),
        (b"\x89PNG\r\n\x1a\n", "This is a picture, not CSV"),
        (b"\x1f\x8b\x08", "This is a gzip archive, not CSV"),
        (b"Name,XP\nTom,\0\n", "That doesn't look like a CSV file"),
        (b"\x7fELF\x02\x01\x01\0\0", "That doesn't look like a CSV file"),
        (b"Name,XP\nTom\x81,1\n", "That doesn't look like a CSV file"),
        (b"N\0a\0m", "That doesn't look like a CSV file"),
        (b"", "The file is empty."),
        (b" \r\n\t", "The file is empty."),
        (b"# nothing\n,,\n", "The file has no header"),
        (b"x" * (t.MAX_BYTES + 1), "The file has 262,145 bytes; at most 262,144 (256 KiB) are read."),
        (b"Name\n" + b"x\n" * (t.MAX_ROWS + 1), "The table has 2,001 rows; at most 2,000 are read."),
        (b"Name\n" + b"," * t.MAX_COLUMNS + b"x", "Row 2: The row has 65 columns; at most 64 are read."),
        (b'Name,XP\nTom,1\n"Bo,2\nX,3\n', "Row 3, column A: A quote opens in this cell and is never closed."),
        (b'Name,XP\nTom,"1\n2"\nBo,2\nX,3\n', "Row 2, column B: A quote opens in this cell and isn't closed on its"),
        (b'Name,XP\nTom,"1\n2"', "Row 2, column B: A quote opens in this cell and isn't closed on its line"),
        (b'Name,XP\n"' + b"x\n" * 100_000, "Row 2: A cell is far too long; is a quote not closed?"),
        (b'"Name' + b"x" * 200_000, "Row 1: A cell is far too long; is a quote not closed?"),
    ],
)
def test_what_is_no_table_is_refused_with_what_to_do(data: bytes, told: str) -> None:
    assert refusal(data).startswith(told)


def test_as_much_as_the_limits_allow_is_read() -> None:
    table = t.read_table(b"x," * (t.MAX_COLUMNS - 1) + b"x\n" + b"y\n" * t.MAX_ROWS)
    assert (len(table.header), len(table.rows)) == (t.MAX_COLUMNS, t.MAX_ROWS)


def test_hidden_characters_are_refused_all_at_once_with_their_places() -> None:
    data = "Name,XP\nT\u200bom,1\x07\nBo,2,\u202e\n".encode()
    assert [fault.sentence() for fault in faults(data)] == [
        "Row 2, Name: The cell holds an invisible or unknown character (U+200B).",
        "Row 2, XP: The cell holds a control character (U+0007).",
        "Row 3, column C: The cell holds an invisible or unknown character (U+202E).",
    ]


def test_a_header_with_a_hidden_character_is_not_repeated() -> None:
    assert refusal("Na\u200bme\nTom".encode()) == (
        "Row 1, column A: The cell holds an invisible or unknown character (U+200B)."
    )


def test_faults_come_in_the_order_of_the_rows_and_read_as_sentences() -> None:
    error = t.TableError(
        (t.Fault(3, "XP", "Third.", "Max"), t.Fault(None, None, "First."), t.Fault(2, None, "Second."))
    )
    assert str(error) == "First. Row 2: Second. Row 3, XP: Third. Did you mean Max?"


def test_too_many_faults_to_read_are_counted() -> None:
    with pytest.raises(t.TableError) as caught:
        t.check_table(Faults(t.Fault(row, None, "No.") for row in range(1, 1061)))
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error).endswith("Row 50: No. … and 1,010 more.")
    assert (len(error.faults), len(error.sentences), error.more) == (MAX_FAULTS, MAX_FAULTS, 1010)


def test_an_error_without_a_fault_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="at least one fault"):
        t.TableError(())


def test_a_file_for_spreadsheets() -> None:
    data = t.write_table(
        ["Name", "XP", "BonusToHit"], [["=1+1", -5, Decimal("-0.10")], ['Al "A", B', 0, Decimal("1E+2")]]
    )
    assert data.decode("utf-8") == '\ufeffName,XP,BonusToHit\r\n\'=1+1,-5,-0.10\r\n"Al ""A"", B",0,100\r\n'


FORMULAS = ["=1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "＝1", "＋1", "－1", "＠x", "#1", "sep=;", "Sep=,"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_is_written_as_a_formula_a_comment_or_a_delimiter(text: str) -> None:
    assert t.write_table([text], []).decode("utf-8-sig").strip('"')[0] == "'"


@st.composite
def cells(draw: st.DrawFn) -> str:
    """Draw a cell that can be read: nothing hidden, no blanks around it, only plain ones in it."""
    text = draw(st.text(st.sampled_from("'\"=+-@#,;\t|a é0") | st.characters(codec="utf-8"), max_size=8))
    visible = "".join(char for char in text if char == " " or (not char.isspace() and describe_hidden(char) is None))
    return visible.strip()


TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(cells(), min_size=width, max_size=width).filter(lambda row: row[-1]), min_size=1, max_size=5
    )
)


@given(TABLES)
@example([["", "||"]])
def test_what_is_written_reads_back(table: list[list[str]]) -> None:
    back = t.read_table(t.write_table(table[0], table[1:]))
    assert [list(back.header), *(list(row.cells) for row in back.rows)] == table


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_file_is_read_or_refused(data: bytes) -> None:
    try:
        table = t.read_table(data)
    except t.TableError as error:
        assert error.faults
    else:
        assert all(describe_hidden(cell) is None for row in table.rows for cell in row.cells)


COLUMNS = Columns(
    {
        "name": name_of(8, "The name {text}"),
        "hit_points": within(read_whole, 1, 1000, "{text} is out of range: {low} to {high:,}"),
        "size": one_of({"big": True, "small": False}, "is neither big nor small"),
    },
    needed=("name", "hit_points"),
    others={"hp": "hit_points"},
)


def values_of(text: str) -> tuple[list[dict[str, object]], list[str]]:
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
    found, told = values_of(text)
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
