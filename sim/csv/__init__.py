"""Tables as CSV, read as spreadsheets and people write them, and written so that spreadsheets show them unharmed.

Reading is lenient about form (encoding, delimiter, line ends, blanks, quotes) and strict about content: whatever can't
be read for certain is refused with its row and column, everything at once.
"""

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from typing import TypeAlias, TypeVar

from sim.core import Faults, FaultsError
from sim.core.names import describe_hidden, name_key

T = TypeVar("T")

MAX_DIGITS = 15
"""Digits of a number before the point, and behind it: what a spreadsheet keeps exactly, and far more than any rule."""

_MAX_QUOTED = 30  # characters of a wrong cell that a message repeats

_WHOLE = re.compile(r"(?P<sign>[+-]?)(?P<digits>[0-9]+)(?:\.0)?")  # 5000.0 is how some programs write 5000
_DECIMAL = re.compile(r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:(?P<point>[.,])(?P<rest>[0-9]*))?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[.,' ][0-9]{3})+")


def read_whole(text: str) -> int:
    """Return a whole number written in plain digits, a sign before it or not; ValueError with what is wrong.

    The error is a part of a sentence without its full stop: `'1.5' is not a whole number`.
    """
    plain = _plain(text)
    found = _WHOLE.fullmatch(plain)
    if found is None:
        if _THOUSANDS.fullmatch(plain):
            raise ValueError(f"{quote(text)} has a thousands separator: write {re.sub(r'[^0-9+-]', '', plain)}")
        raise ValueError(f"{quote(text)} is not a whole number")
    return int(f"{found['sign']}{_check_digits(text, found['digits'])}")


def read_decimal(text: str, decimal_comma: bool = False) -> Decimal:
    """Return a number such as 0.15, -3 or .5 exactly; ValueError with what is wrong, as `read_whole` has it.

    0,15 is read, too. What could be thousands, such as 1,500, is read as 1.5 only where `decimal_comma` says that the
    whole table writes commas. Exponents, percentages, NaN and infinities are refused.
    """
    plain = _plain(text)
    found = _DECIMAL.fullmatch(plain)
    if found is None or not (found["whole"] or found["rest"]):
        if plain.endswith("%"):
            raise ValueError(f"{quote(text)} is a percentage: write 0.15 for 15%")
        raise ValueError(f"{quote(text)} is not a number such as 0.15")
    if found["point"] == "," and not decimal_comma and _THOUSANDS.fullmatch(plain):
        bare, point = plain.replace(",", ""), plain.replace(",", ".")
        raise ValueError(f"{quote(text)} can mean {bare} or {point}: write it without a comma")
    whole, rest = _check_digits(text, found["whole"] or "0"), (found["rest"] or "").rstrip("0")
    value = Decimal(f"{found['sign']}{whole}.{_check_digits(text, rest)}")
    return value or Decimal(0)  # never minus nothing


def quote(text: str) -> str:
    """Return a cell's text in quotes for a message, cut where it is long, nothing hidden in it."""
    return repr(text if len(text) <= _MAX_QUOTED else f"{text[: _MAX_QUOTED - 1]}…")


def _plain(text: str) -> str:
    return text.strip().replace("\N{MINUS SIGN}", "-")


def _check_digits(text: str, digits: str) -> str:
    if len(digits) > MAX_DIGITS and len(digits.lstrip("0")) > MAX_DIGITS:
        raise ValueError(f"{quote(text)} has more than {MAX_DIGITS} digits")
    return digits


MAX_BYTES = 256 * 1024
"""The largest file."""

MAX_COLUMNS = 64
"""Columns of a table."""

MAX_ROWS = 2000
"""Rows below the header that say anything."""

NO_HEADER = "This cell has no header above it; a cell that holds the delimiter has to be in quotes."
"""What is said of a cell beyond the header."""

Cell: TypeAlias = str | int | Decimal
"""What can be written into a table."""

_SEP = re.compile(r'"?sep=([^\w\s"\'#]|\t)"?[,;\t ]*', re.IGNORECASE)
_COMMENT = re.compile(r"\s*#+(?:\s|$)")  # "#1 Ninja" is a name
# Blanks of every kind are blanks; a tab, too, where it doesn't separate cells.
_BLANKS = dict.fromkeys(
    map(ord, "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"), " "
)
# What spreadsheets take for a formula, in either width, or for the delimiter's line, and this module for a comment;
# behind any apostrophes.
_ACTIVE = re.compile(r"'*(?:[=+\-@＝＋－＠#\t\r\n]|(?i:sep=))")  # noqa: RUF001 - the wide forms are meant
_NEEDS_QUOTES = re.compile(r'[,;\t|"\r\n]|^\s|\s$')


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a table.

    `row`: the line in the file, from 1, as a spreadsheet numbers it; None for the whole table. `column`: its header as
    typed, or its letter where it has none; None for the whole row. `message`: a sentence. `suggestion`: the nearest
    right word.
    """

    row: int | None
    column: str | None
    message: str
    suggestion: str | None = None

    def sentence(self) -> str:
        """Return where and what, such as `Row 3, BonusHP: 'x' is not a whole number.`, in one line."""
        place = ", ".join(part for part in (self.row and f"Row {self.row}", self.column) if part)
        text = self.message if self.suggestion is None else f"{self.message} Did you mean {self.suggestion}?"
        return f"{place}: {text}" if place else text


class TableError(FaultsError):
    """A table that can't be used: the faults found in the order of the rows, and the number of `more`."""

    def __init__(self, faults: Sequence[Fault], more: int = 0) -> None:
        ordered = tuple(sorted(faults, key=lambda fault: fault.row or 0))
        super().__init__(ordered, more, sentences=(fault.sentence() for fault in ordered), more=more)
        self.faults = ordered


class FilesError(FaultsError):
    """Several files of which some can't be used, with the error of each by what the player calls it."""

    def __init__(self, errors: Mapping[str, TableError]) -> None:
        told = (f"{source}: {sentence}" for source, error in errors.items() for sentence in error.sentences)
        super().__init__(errors, sentences=told, more=sum(error.more for error in errors.values()))
        self.errors = errors


def read_files(readers: Mapping[str, Callable[[], T]]) -> list[T]:
    """Return what the readers of several files return, by what the player calls these; FilesError if any can't."""
    found: list[T] = []
    errors: dict[str, TableError] = {}
    for source, read in readers.items():
        try:
            found.append(read())
        except TableError as error:
            errors[source] = error
    if errors:
        raise FilesError(errors)
    return found


def check_table(faults: Faults[Fault]) -> None:
    """Raise TableError if there are faults."""
    if faults:
        raise TableError(faults.told, faults.more)


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its line in the file, from 1, and its cells without the blanks around them.

    There are at least as many cells as the header has; more only where a cell beyond the header isn't blank.
    """

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the names of its columns, where they stand, and the rows that say anything.

    `decimal_comma`: cells are not separated by commas, so that 1,500 is a number with a decimal comma.
    """

    header: tuple[str, ...]
    header_row: int
    rows: tuple[Row, ...]
    decimal_comma: bool

    def column(self, at: int) -> str:
        """Return what to call column number `at` (from 0): its header, with its letter where another one is alike."""
        name = self.header[at] if at < len(self.header) else ""
        if not name:
            return f"column {column_letter(at)}"
        twins = sum(name_key(other) == name_key(name) for other in self.header)
        return f"{name} (column {column_letter(at)})" if twins > 1 else name

    def overlong(self) -> Iterator[Fault]:
        """Yield a fault for each row that has cells beyond the header."""
        width = len(self.header)
        yield from (Fault(row.number, self.column(width), NO_HEADER) for row in self.rows if len(row.cells) > width)


def column_letter(at: int) -> str:
    """Return what a spreadsheet calls column number `at` (from 0): A, B, …, Z, AA and so on."""
    before, last = divmod(at, 26)
    return (column_letter(before - 1) if before else "") + chr(ord("A") + last)


def read_table(data: bytes, most_rows: int = MAX_ROWS) -> Table:
    """Read a CSV file; TableError with what is wrong, as for more than `most_rows` rows below the header.

    UTF-8 or UTF-16, with or without its mark, or Excel's ANSI; cells between commas, semicolons, tabs or bars, or what
    a first line `sep=` says; any line ends. Lines that start with # and a blank, rows without a word, and blanks around
    cells and their quotes are left out. An apostrophe before = + - @ # at the start of a cell is a guard and goes.
    """
    if len(data) > MAX_BYTES:
        raise _table_error(
            f"The file has {len(data):,} bytes; at most {MAX_BYTES:,} ({MAX_BYTES // 1024} KiB) are read."
        )
    lines = re.split(r"\r\n|\r|\n", _text_of(data).translate(_BLANKS))
    found = _SEP.fullmatch(lines[0].strip(" "))
    if found:
        lines[0] = ""
    lines = ["" if _COMMENT.match(line) else line for line in lines]
    # The header's first 4,096 characters tell the delimiter. What stands in quotes splits nothing; of two that split
    # equally, the first one counts.
    head = re.sub(r'"[^"]*"', "", next((line for line in lines if line.strip()), "")[:4096])
    delimiter = found[1] if found else max(",;\t|", key=head.count)
    records = list(_records(lines, delimiter))
    if not records:
        raise _table_error("The file has no header: its first row has to name the columns.")
    first, *rows = records
    if len(rows) > most_rows:
        raise _table_error(f"The table has {len(rows):,} rows; at most {most_rows:,} are read.")
    check_table(Faults(fault for row in records for fault in _row_faults(row, first.cells)))
    width = len(first.cells)
    padded = tuple(Row(row.number, row.cells + ("",) * (width - len(row.cells))) for row in rows)
    return Table(first.cells, first.number, padded, decimal_comma=delimiter != ",")


def write_table(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """Return a CSV file that spreadsheets open as it is meant: commas, CRLF, UTF-8 with its mark.

    Texts that a spreadsheet would take for a formula get an apostrophe before them, which `read_table` takes away;
    numbers stay as they are.
    """
    lines = (",".join(map(_write_cell, row)) for row in (header, *rows))
    return "".join(f"{line}\r\n" for line in lines).encode("utf-8-sig")


def shipped_table(package: str, name: str) -> bytes:
    """Return a table that stands in a package, as spreadsheets want it: CRLF, UTF-8 with its mark."""
    return (files(package) / name).read_text(encoding="utf-8").replace("\n", "\r\n").encode("utf-8-sig")


def _table_error(message: str) -> TableError:
    return TableError((Fault(None, None, message),))


def _records(lines: list[str], delimiter: str) -> Iterator[Row]:
    """Give every row that says anything, guards taken away; TableError at a quote that runs over its line's end."""
    if delimiter != "\t":
        lines = [line.replace("\t", " ") for line in lines]
    number = 0
    # Not strict: blanks between a closing quote and the delimiter are blanks, not an error.
    rows = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, skipinitialspace=True)
    try:
        # A row is a line, for a cell that runs on over the line's end, as its quote isn't closed, stops the reading.
        for number, raw in enumerate(rows, start=1):
            open_at = next((at for at, cell in enumerate(raw) if "\n" in cell), None)
            if open_at is not None:
                raise TableError((_unclosed_quote(number, open_at, raw, len(lines)),))
            cells = [cell.strip() for cell in raw]
            while cells and not cells[-1]:
                cells.pop()
            # A comment with a comma in it is quoted by a spreadsheet that saves the file.
            if cells and not (_COMMENT.match(cells[0]) and not any(cells[1:])):
                plain = (cell[1:] if cell.startswith("'") and _ACTIVE.match(cell) else cell for cell in cells)
                yield Row(number, tuple(plain))
    except csv.Error:  # a cell beyond the module's limit of 131,072 characters
        raise TableError((Fault(number + 1, None, "A cell is far too long; is a quote not closed?"),)) from None


def _unclosed_quote(number: int, at: int, cells: list[str], lines: int) -> Fault:
    if "".join(cells).count("\n") > lines - number:
        message = "A quote opens in this cell and is never closed."
    else:
        message = "A quote opens in this cell and isn't closed on its line; a cell can't hold a line break."
    return Fault(number, f"column {column_letter(at)}", message)


def _row_faults(row: Row, header: tuple[str, ...]) -> Iterator[Fault]:
    if len(row.cells) > MAX_COLUMNS:
        yield Fault(row.number, None, f"The row has {len(row.cells)} columns; at most {MAX_COLUMNS} are read.")
    for at, cell in enumerate(row.cells):
        bad = describe_hidden(cell)
        if bad is not None:
            named = at < len(header) and row.cells is not header and header[at] and describe_hidden(header[at]) is None
            yield Fault(row.number, header[at] if named else f"column {column_letter(at)}", f"The cell holds {bad}.")


def _write_cell(cell: Cell) -> str:
    if not isinstance(cell, str):
        return f"{cell:f}" if isinstance(cell, Decimal) else str(cell)
    text = f"'{cell}" if _ACTIVE.match(cell) else cell
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


_EXPORT = "in your spreadsheet program, save the table as CSV (File > Save as > CSV UTF-8) and use that file."

# What to call files that people take for a table, and their first bytes.
_KINDS: Mapping[str, bytes | tuple[bytes, ...]] = {
    "an old Excel workbook (.xls)": b"\xd0\xcf\x11\xe0",
    "a PDF": b"%PDF",
    "a picture": (b"\x89PNG", b"\xff\xd8\xff", b"GIF8"),
    "a picture or a sound": b"RIFF",
    "a gzip archive": b"\x1f\x8b",
    "a 7z archive": b"7z\xbc\xaf",
    "a RAR archive": b"Rar!\x1a",
    "a bzip2 archive": b"BZh",
    "an xz archive": b"\xfd7zXZ",
    "a database": b"SQLite format 3",
    "a text document": b"{\\rtf",
    "a web page": (b"<!DOCTYPE", b"<html"),
    "an XML file": b"<?xml",
}
# What the first entries of a zip archive tell of it.
_ZIPPED: tuple[tuple[bytes, str], ...] = (
    (b"opendocument.spreadsheet", "a LibreOffice spreadsheet (.ods)"),
    (b"xl/", "an Excel workbook (.xlsx)"),
    (b"[Content_Types].xml", "an Excel workbook (.xlsx) or another Office file"),
)


def _text_of(data: bytes) -> str:
    """Return the text of a file; TableError with why there is none."""
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        kind = next((kind for sign, kind in _ZIPPED if sign in data), "a zip archive")
    else:
        kind = next((kind for kind, start in _KINDS.items() if data.startswith(start)), "")
    if kind:
        raise _table_error(f"This is {kind}, not CSV: {_EXPORT}")
    if not data.strip():
        raise _table_error("The file is empty.")
    for encoding in _encodings(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text.lstrip("\N{ZERO WIDTH NO-BREAK SPACE}")  # programs that add a mark without looking leave two
    raise _table_error(f"That doesn't look like a CSV file: {_EXPORT}")


def _encodings(data: bytes) -> tuple[str, ...]:
    """Return what the file may be written in, likeliest first."""
    if data.startswith(codecs.BOM_UTF8):
        return ("utf-8-sig",)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ("utf-16",)
    # A table starts with a plain letter or sign: in UTF-16 one of its first two bytes is nothing.
    if data[1:2] == b"\0":
        return ("utf-16-le",)
    if data[:1] == b"\0":
        return ("utf-16-be",)
    # Windows' own code for Western Europe is what Excel calls ANSI; it refuses the five bytes that mean nothing in it.
    return ("utf-8", "cp1252")
