"""Declared columns: find them by a table's headers, read its rows, and tell what is wrong by row and column."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias, TypeVar

from sim.core import Faults, RuleError
from sim.core.names import check_name, name_key, nearest
from sim.csv import Fault, Row, Table, TableError, check_table, quote

T = TypeVar("T")
N = TypeVar("N", int, Decimal)

Reader: TypeAlias = Callable[[str], T]
"""Reads a cell that isn't blank; ValueError with what is wrong, a sentence with or without its full stop."""


def column_key(header: str) -> str:
    """Return the same key for all spellings of a header: case, blanks, hyphens and underscores don't matter."""
    return re.sub(r"[\s_-]+", "", header).casefold()


def within(read: Reader[N], low: N, high: N, told: str) -> Reader[N]:
    """Return a reader of numbers from `low` to `high`; `told`: of others, with {text}, {value}, {low} and {high}."""

    def read_number(text: str) -> N:
        value = read(text)
        if not low <= value <= high:
            raise ValueError(told.format(text=quote(text), value=value, low=low, high=high))
        return value

    return read_number


def one_of(known: Mapping[str, T], told: str) -> Reader[T]:
    """Return a reader of the words in `known`, by their `name_key`; `told`: of others, such as "is neither Y nor N"."""

    def read_word(text: str) -> T:
        if name_key(text) not in known:
            raise ValueError(f"{quote(text)} {told}")
        return known[name_key(text)]

    return read_word


def name_of(most: int, told: str = "The name") -> Reader[str]:
    """Return a reader of names of at most `most` characters; `told`: how the sentence about others begins."""

    def read_name(text: str) -> str:
        if (wrong := check_name(text, most)) is not None:
            raise ValueError(f"{told.format(text=quote(text))} {wrong}")
        return text

    return read_name


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that a table may have, in any order.

    `readers`: of each column, by its name. `needed`: those that may not be missing. `others`: other names of columns.
    `repeated`: those that may stand in a table several times. `unknown`, `twice`, `missing`: what is said of a header,
    with {} for it or its column. `key`: returns the same key for all spellings of a header.
    """

    readers: Mapping[str, Reader[object]]
    needed: tuple[str, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()
    unknown: str = "A roster has no column {}."
    twice: str = "There is more than one column {}."
    missing: str = "The column {} is missing."
    key: Callable[[str], str] = column_key

    def of(self, table: Table) -> "Sheet":
        """Return the columns of a table, and what is wrong with its header."""
        names = {self.key(name): name for name in self.readers} | {self.key(a): b for a, b in self.others.items()}
        sheet = Sheet(self, table, [names.get(self.key(header)) for header in table.header], {}, Faults())
        for at, (header, name) in enumerate(zip(table.header, sheet.named, strict=True)):
            where = table.header_row, table.column(at)
            if name is None:
                if header:
                    near = nearest(self.key(header), names)
                    sheet.faults.add(Fault(*where, self.unknown.format(quote(header)), near))
            elif sheet.at.setdefault(name, at) != at and name not in self.repeated:
                sheet.faults.add(Fault(*where, self.twice.format(name)))
        absent = (name for name in self.needed if name not in sheet.at)
        sheet.faults.extend(Fault(table.header_row, None, self.missing.format(name)) for name in absent)
        return sheet


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table under its columns.

    `named`: the column of each header, None for a blank or an unknown one. `at`: where each column stands first.
    `faults`: what is wrong so far.
    """

    columns: Columns
    table: Table
    named: list[str | None]
    at: dict[str, int]
    faults: Faults[Fault]

    def records(self) -> "list[Record]":
        """Return all rows."""
        return [Record(self, row) for row in self.table.rows]

    def check(self) -> None:
        """Raise TableError if anything is wrong so far."""
        check_table(self.faults)


class Record:
    """A row of a sheet, to whose faults it adds what is wrong with its cells; `right`: nothing is, so far."""

    def __init__(self, sheet: Sheet, row: Row) -> None:
        self.sheet = sheet
        self.row = row
        self.right = True

    def text(self, column: str) -> str:
        """Return the text of a cell, "" if there is no such column."""
        at = self.sheet.at.get(column)
        return "" if at is None else self.row.cells[at]

    def add_fault(self, column: str | int | None, message: str, suggestion: str | None = None) -> None:
        """Add a fault of a cell, by its column or where it stands, or of the whole row (None)."""
        at = self.sheet.at.get(column) if isinstance(column, str) else column
        place = column if isinstance(column, str) else None
        self.right = False
        self.sheet.faults.add(
            Fault(self.row.number, place if at is None else self.sheet.table.column(at), message, suggestion)
        )

    def read(self, column: str | int, reader: Reader[T]) -> T | None:
        """Return a cell, by its column or where it stands, as `reader` reads it; None if it is blank or wrong."""
        text = self.text(column) if isinstance(column, str) else self.row.cells[column]
        return self.read_text(column, text, reader) if text else None

    def read_text(self, column: str | int, text: str, reader: Reader[T]) -> T | None:
        """Return `text`, a part of a cell, as `reader` reads it; None if it is wrong."""
        try:
            return reader(text)
        except (ValueError, RuleError) as error:
            told = str(error).removesuffix(".")
            self.add_fault(column, f"{told[:1].upper()}{told[1:]}.")
            return None

    def values(self, columns: Iterable[str] | None = None) -> dict[str, object]:
        """Return the values of cells that are neither blank nor wrong, of all columns or of some, in their order."""
        readers = self.sheet.columns.readers
        found: dict[str, object] = {}
        for column in columns or readers:
            value = self.read(column, readers[column])
            if value is not None:
                found[column] = value
        return found


def read_form(
    columns: Columns, cells: Mapping[str, str], read: Callable[[Record], T | None], mistakes: Iterable[str] = ()
) -> T:
    """Return what `read` makes of texts by their columns, such as a form's; TableError for faults, `mistakes` first."""
    row = Row(0, tuple(text.strip() for text in cells.values()))
    record = Record(columns.of(Table(tuple(cells), 0, (row,), decimal_comma=True)), row)
    for mistake in mistakes:
        record.add_fault(None, mistake)
    found = read(record)
    if found is None:
        raise TableError(record.sheet.faults.told, record.sheet.faults.more)
    return found


def namesakes(records: Iterable[Record], column: str) -> Iterator[tuple[Record, Record]]:
    """Yield each record whose name in `column` stands in an earlier one, and the first of these."""
    first: dict[str, Record] = {}
    for record in records:
        before = first.setdefault(name_key(record.text(column)), record)
        if record.text(column) and before is not record:
            yield record, before
