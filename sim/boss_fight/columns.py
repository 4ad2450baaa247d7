"""Columns of the CSV files here: which header means which, and cells as figures, flags and elements."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from sim.boss_fight.values import FIGURES, FLAGS, MAX_FIGURE, MAX_LEVEL, Element
from sim.core.csv_cells import quoted, read_whole
from sim.core.names import name_key
from sim.core.suggestions import nearest
from sim.core.table import Fault, Row, Table, TableError

T = TypeVar("T")

_YES = frozenset({"y", "yes", "1", "true", "x"})
_NO = frozenset({"n", "no", "0", "false", "-"})
_OTHER_NAMES = {"hp": "health", "physical": "physical_damage", "magical": "magical_damage", "deck token": "token"}

FIGHTING = (*FIGURES, *FLAGS)
"""The columns that bosses and traits share."""


class Columns:
    """The columns of a table, found by their headers; TableError with everything wrong with these.

    Case, blanks, hyphens and underscores in a header don't count.
    """

    def __init__(self, table: Table, known: tuple[str, ...], needed: tuple[str, ...]) -> None:
        self._table = table
        self._at: dict[str, int] = {}
        self.faults: list[Fault] = list(table.overlong())
        names = {_key(name): name for name in known} | {_key(a): b for a, b in _OTHER_NAMES.items() if b in known}
        for at, header in enumerate(table.header):
            self._place(at, header, names)
        missing = [name for name in needed if name not in self._at]
        if missing:
            self.faults.append(Fault(table.header_row, None, f"There is no column {' and no column '.join(missing)}."))
        self.check()

    def check(self) -> None:
        """Raise the faults found so far as a TableError, if there are any."""
        if self.faults:
            raise TableError(tuple(self.faults))

    def _place(self, at: int, header: str, names: Mapping[str, str]) -> None:
        if not header:
            return
        name = names.get(_key(header))
        where = self._table.header_row, self._table.column(at)
        if name is None:
            self.faults.append(Fault(*where, "There is no column of this name.", nearest(_key(header), names)))
        elif name in self._at:
            self.faults.append(Fault(*where, f"The column {name} stands twice."))
        else:
            self._at[name] = at

    def text(self, row: Row, name: str) -> str:
        """Return a cell's text, "" where the column isn't there."""
        return row.cells[self._at[name]] if name in self._at else ""

    def fault(self, row: Row, name: str | None, message: str, suggestion: str | None = None) -> None:
        """Note what is wrong with a cell, or with a row."""
        column = None if name is None else self._table.column(self._at[name]) if name in self._at else name
        self.faults.append(Fault(row.number, column, message, suggestion))

    def read(self, row: Row, name: str, reader: Callable[[str], T]) -> T | None:
        """Return a cell as `reader` has it; None where it is blank, or wrong (a ValueError), which is noted."""
        text = self.text(row, name)
        if not text:
            return None
        try:
            return reader(text)
        except ValueError as error:
            self.fault(row, name, f"{str(error)[:1].upper()}{str(error)[1:]}.")
            return None

    def fighting(self, row: Row) -> dict[str, int | bool]:
        """Return the figures and flags that are given."""
        values: dict[str, int | bool | None] = {name: self.read(row, name, figure) for name in FIGURES}
        values |= {name: self.read(row, name, flag) for name in FLAGS}
        return {name: value for name, value in values.items() if value is not None}


def figure(text: str, most: int = MAX_FIGURE) -> int:
    """Return a figure; ValueError with what is wrong."""
    value = read_whole(text)
    if not 0 <= value <= most:
        raise ValueError(f"{quoted(text)} is not from 0 to {most:,}")
    return value


def boss_level(text: str) -> int:
    """Return a boss's level; ValueError with what is wrong."""
    return figure(text, MAX_LEVEL)


def flag(text: str) -> bool:
    """Return a flag; ValueError with what is wrong."""
    word = name_key(text)
    if word not in _YES | _NO:
        raise ValueError(f"{quoted(text)} is neither Y nor N")
    return word in _YES


def element(text: str) -> Element | None:
    """Return an element, None for "none"; ValueError with what is wrong."""
    known = {name_key(value): value for value in Element}
    word = name_key(text)
    if word not in known and word not in {"none", "-"}:
        raise ValueError(f"{quoted(text)} is not one of {', '.join(Element)}")
    return known.get(word)


def written(value: bool) -> str:  # by place, as a cell is
    """Return a flag as a cell."""
    return "Y" if value else "N"


def _key(header: str) -> str:
    return name_key(header.replace("_", " ").replace("-", " "))
