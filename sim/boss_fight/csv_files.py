"""Bosses and decks as CSV files.

A file of bosses has a row for each, in the columns `BOSS_COLUMNS`; blank figures are 0, blank flags "no", a blank level
is 1. A deck has a row for each trait, in the columns `DECK_COLUMNS`. Rows with the same `token` are one token; a blank
one continues the row above. Blank figures and flags are those of the game's table for the trait and the token's kind; a
trait that the table doesn't have needs its figures, and its blank flags are "no". The element is in any row of its
token.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from sim.boss_fight.traits import TABLE, find_trait, kind_of, kinds_with, nearest_trait
from sim.boss_fight.values import (
    ELEMENT_NAMES,
    FIGURES,
    FLAGS,
    MAX_FIGURE,
    MAX_LEVEL,
    MAX_NAME,
    MAX_TOKENS,
    MAX_TRAITS,
    MAX_WORDS,
    MOMENTS,
    SEPARATORS,
    Boss,
    Deck,
    Element,
    Stats,
    Token,
    Trait,
)
from sim.core.errors import Faults
from sim.core.names import check_name, name_key, nearest
from sim.core.table import Fault, Row, Table, TableError, check_table, quote, read_table, read_whole, write_table

T = TypeVar("T")

STATS = (*FIGURES, *FLAGS)
BOSS_COLUMNS = ("name", "level", "element", *STATS, *MOMENTS)
"""The columns of bosses; name and health are needed."""

DECK_COLUMNS = ("token", "trait", "element", *STATS)
"""The columns of a deck; the first two are needed."""

MAX_BOSSES = 50
"""Bosses in one file."""

MAX_ROWS = 5_000
"""Rows of a deck below the header: the traits of all tokens."""

_YES = frozenset({"y", "yes", "1", "true", "x"})
_NO = frozenset({"n", "no", "0", "false", "-"})
_OTHER_NAMES = {"hp": "health", "physical": "physical_damage", "magical": "magical_damage", "deck token": "token"}


class _Columns:
    """The columns of a table, found by their headers; TableError with what is wrong in these.

    Case, blanks, hyphens and underscores in a header don't matter.
    """

    def __init__(self, table: Table, known: tuple[str, ...], needed: tuple[str, ...]) -> None:
        self._table = table
        self._at: dict[str, int] = {}
        self.faults = Faults[Fault]()
        names = {_key(name): name for name in known} | {_key(a): b for a, b in _OTHER_NAMES.items() if b in known}
        for at, header in enumerate(table.header):
            self._assign_header(at, header, names)
        missing = [name for name in needed if name not in self._at]
        if missing:
            self.faults.add(Fault(table.header_row, None, f"There is no column {' and no column '.join(missing)}."))
        self.faults.extend(table.overlong())
        self.check()

    def check(self) -> None:
        """Raise TableError if there are any faults so far."""
        check_table(self.faults)

    def _assign_header(self, at: int, header: str, names: Mapping[str, str]) -> None:
        if not header:
            return
        name = names.get(_key(header))
        where = self._table.header_row, self._table.column(at)
        if name is None:
            self.faults.add(Fault(*where, "There is no column of this name.", nearest(_key(header), names)))
        elif name in self._at:
            self.faults.add(Fault(*where, f"The column {name} is there twice."))
        else:
            self._at[name] = at

    def text(self, row: Row, name: str) -> str:
        """Return a cell's text, "" if there is no such column."""
        return row.cells[self._at[name]] if name in self._at else ""

    def fault(self, row: Row, name: str | None, message: str, suggestion: str | None = None) -> None:
        """Add a fault of a cell, or of a whole row."""
        column = None if name is None else self._table.column(self._at[name]) if name in self._at else name
        self.faults.add(Fault(row.number, column, message, suggestion))

    def read(self, row: Row, name: str, reader: Callable[[str], T]) -> T | None:
        """Return a cell as `reader` reads it; None if it is blank or wrong (a ValueError), which adds a fault."""
        text = self.text(row, name)
        if not text:
            return None
        try:
            return reader(text)
        except ValueError as error:
            self.fault(row, name, f"{str(error)[:1].upper()}{str(error)[1:]}.")
            return None

    def stats(self, row: Row) -> dict[str, int | bool]:
        """Return the figures and flags that aren't blank."""
        values: dict[str, int | bool | None] = {name: self.read(row, name, read_figure) for name in FIGURES}
        values |= {name: self.read(row, name, _read_flag) for name in FLAGS}
        return {name: value for name, value in values.items() if value is not None}


def _key(header: str) -> str:
    return name_key(header.replace("_", " ").replace("-", " "))


def read_figure(text: str, most: int = MAX_FIGURE) -> int:
    """Return a figure; ValueError with what is wrong."""
    value = read_whole(text)
    if not 0 <= value <= most:
        raise ValueError(f"{quote(text)} is not from 0 to {most:,}")
    return value


def read_level(text: str) -> int:
    """Return a boss's level; ValueError with what is wrong."""
    return read_figure(text, MAX_LEVEL)


def read_element(text: str) -> Element | None:
    """Return an element, None for "none"; ValueError with what is wrong."""
    key = name_key(text)
    if key not in ELEMENT_NAMES and key not in {"none", "-"}:
        raise ValueError(f"{quote(text)} is not one of {', '.join(Element)}")
    return ELEMENT_NAMES.get(key)


def _read_flag(text: str) -> bool:
    key = name_key(text)
    if key not in _YES | _NO:
        raise ValueError(f"{quote(text)} is neither Y nor N")
    return key in _YES


def _read_words(moment: str, text: str) -> str:
    if len(text) > MAX_WORDS:
        raise ValueError(f"the words for {moment} have {len(text):,} characters; at most {MAX_WORDS} are allowed")
    return text


def _stat_cells(stats: Stats) -> list[str | int]:
    flags = ["Y" if getattr(stats, name) else "N" for name in FLAGS]
    return [*(getattr(stats, name) for name in FIGURES), *flags]


def read_bosses(data: bytes) -> tuple[Boss, ...]:
    """Read bosses from a CSV file; TableError with every row that is wrong."""
    table = read_table(data)
    columns = _Columns(table, BOSS_COLUMNS, ("name", "health"))
    if not 0 < len(table.rows) <= MAX_BOSSES:
        message = f"The file has {len(table.rows):,} bosses; it may have 1 to {MAX_BOSSES}."
        raise TableError((Fault(None, None, message),))
    bosses: dict[str, Boss] = {}
    for row in table.rows:
        boss = _read_boss(columns, row)
        if boss is None:
            continue
        if name_key(boss.name) in bosses:
            columns.fault(row, "name", f"A row above has a boss called {boss.name} already.")
        bosses[name_key(boss.name)] = boss
    columns.check()
    return tuple(bosses.values())


def _read_boss(columns: _Columns, row: Row) -> Boss | None:
    already = len(columns.faults)
    name = columns.text(row, "name")
    wrong = check_name(name, MAX_NAME)
    if wrong is not None:
        columns.fault(row, "name", f"The name {wrong}.")
    values: dict[str, object] = dict(columns.stats(row))
    if not values.get("health") and len(columns.faults) == already:
        columns.fault(row, "health", "A boss needs a health of 1 or more.")
    level = columns.read(row, "level", read_level)
    element = columns.read(row, "element", read_element)
    values |= {"name": name, "level": 1 if level is None else level, "element": element}
    values |= {moment: columns.read(row, moment, partial(_read_words, moment)) for moment in MOMENTS}
    return Boss.model_validate(values) if len(columns.faults) == already else None


def write_bosses(bosses: tuple[Boss, ...]) -> bytes:
    """Return a CSV file that `read_bosses` reads back as the same bosses."""
    return write_table(BOSS_COLUMNS, map(_boss_cells, bosses))


def _boss_cells(boss: Boss) -> list[str | int]:
    words = [getattr(boss, moment) or "" for moment in MOMENTS]
    return [boss.name, boss.level, boss.element or "", *_stat_cells(boss), *words]


class _TokenDraft:
    """A token while its rows are read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.element: Element | None = None
        self.has_element = False
        self.traits: list[Trait] = []


def read_deck(data: bytes) -> Deck:
    """Read a deck from a CSV file; TableError with every row that is wrong."""
    table = read_table(data, MAX_ROWS)
    columns = _Columns(table, DECK_COLUMNS, ("token", "trait"))
    drafts: dict[str, _TokenDraft] = {}
    current = ""
    for row in table.rows:
        label = columns.text(row, "token")
        if label:
            current = name_key(label)
            wrong = _name_error(label)
            if wrong is not None:
                columns.fault(row, "token", f"The name {wrong}.")
            drafts.setdefault(current, _TokenDraft(" ".join(label.split())))
        if current in drafts:
            _read_trait_row(columns, row, drafts[current])
        else:
            columns.fault(row, "token", "The first row must name its token.")
    if not table.rows:
        columns.faults.add(Fault(None, None, "The deck has no tokens: add rows below the header."))
    columns.check()
    if len(drafts) > MAX_TOKENS:
        raise TableError((Fault(None, None, f"A deck has at most {MAX_TOKENS} tokens; here are {len(drafts):,}."),))
    return Deck(
        tokens=tuple(Token(name=draft.name, element=draft.element, traits=draft.traits) for draft in drafts.values())
    )


def _read_trait_row(columns: _Columns, row: Row, draft: _TokenDraft) -> None:
    already = len(columns.faults)
    element = columns.read(row, "element", read_element)
    if columns.text(row, "element") and len(columns.faults) == already:
        if draft.has_element and draft.element is not element:
            columns.fault(row, "element", f"The token {draft.name} has another element in a row above.")
        draft.element, draft.has_element = element, True
    if len(draft.traits) == MAX_TRAITS:
        columns.fault(row, None, f"The token {draft.name} has more than {MAX_TRAITS} traits.")
    trait = _read_trait(columns, row, draft)
    if trait is not None:
        draft.traits.append(trait)


def _read_trait(columns: _Columns, row: Row, draft: _TokenDraft) -> Trait | None:
    name = columns.text(row, "trait")
    already = len(columns.faults)
    wrong = _name_error(name) if name else "is missing"
    if wrong is not None:
        columns.fault(row, "trait", f"The trait's name {wrong}.")
    given = columns.stats(row)
    blank = [field for field in STATS if field not in given]
    known = (
        _find_trait(columns, row, draft, needed=any(field in FIGURES for field in blank)) if blank and name else None
    )
    if len(columns.faults) > already:
        return None
    values = {} if known is None else {field: getattr(known, field) for field in blank}
    return Trait.model_validate({"name": name if known is None else known.name, **given, **values})


def _find_trait(columns: _Columns, row: Row, draft: _TokenDraft, *, needed: bool) -> Trait | None:
    """Return the trait of the game's table; if there is none but it is needed, add a fault."""
    name, kind = columns.text(row, "trait"), kind_of(draft.name)
    known = find_trait(name, kind)
    if known is None and needed:
        if kinds := kinds_with(name, kind):
            columns.fault(row, "token", f"{name} differs between tokens ({kinds}): name the token by its kind.")
        else:
            message = "The game's table has no such trait for this token: fill in its health and damage."
            columns.fault(row, "trait", message, None if columns.faults.full else nearest_trait(name, kind))
    return known


def _name_error(name: str) -> str | None:
    if any(mark in name for mark in SEPARATORS):
        return f"has one of {' '.join(SEPARATORS)} in it"
    return check_name(name, MAX_NAME)


def write_deck(deck: Deck) -> bytes:
    """Return a CSV file that `read_deck` reads back as the same deck, with every figure."""
    return write_table(DECK_COLUMNS, _trait_rows(deck))


def write_traits() -> bytes:
    """Return a CSV file of the game's traits, each as a row of a deck."""
    return write_table(DECK_COLUMNS, ([row.kind, row.trait.name, "", *_stat_cells(row.trait)] for row in TABLE))


def _trait_rows(deck: Deck) -> Iterator[list[str | int]]:
    for token in deck.tokens:
        for trait in token.traits:
            yield [token.name, trait.name, token.element or "", *_stat_cells(trait)]
