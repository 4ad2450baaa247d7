"""A roster's file to its fighters, or all that is wrong with it, each with row and column (rules: Roster CSV)."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TypeVar

from sim.core.csv_cells import quoted, read_decimal, read_whole
from sim.core.frozen import Frozen
from sim.core.names import check_name, name_key
from sim.core.table import Fault, Row, Table, TableError, read_table
from sim.marked_for_death import columns
from sim.marked_for_death.columns import Layout, layout
from sim.marked_for_death.roster import (
    BONUS_PLACES,
    MAX_AOE,
    MAX_BONUS,
    MAX_FIGHTERS,
    MAX_HP,
    MAX_NAME,
    MAX_XP,
    Buff,
    Fighter,
    Roster,
)
from sim.marked_for_death.warn import warnings_of

Number = TypeVar("Number", int, Decimal)

_MOST_SHOWN = 200  # characters of a list of names in a message


class Checked(Frozen):
    """A roster as it was read, and what its referee should look at again, a sentence each."""

    roster: Roster
    warnings: tuple[str, ...] = ()


def read_roster(data: bytes) -> Checked:
    """Read a roster's CSV; TableError with everything that is wrong."""
    table = read_table(data)
    places, faults = layout(table)
    notes: list[str] = []
    fighters: list[Fighter] = []
    if columns.NAME in places.fixed:
        at = places.fixed[columns.NAME]
        names = frozenset(name_key(row.cells[at]) for row in table.rows if row.cells[at])
        for row in table.rows:
            reader = _RowReader(table, places, row, names)
            fighter = reader.fighter()
            faults += reader.faults
            notes += reader.notes
            if fighter is not None:
                fighters.append(fighter)
        faults += _twins(table, at)
    if len(table.rows) > MAX_FIGHTERS:
        faults.append(Fault(None, None, f"There are {len(table.rows):,} fighters; at most {MAX_FIGHTERS} take part."))
    elif not table.rows:
        faults.append(Fault(None, None, "The roster has no fighters: below the header, give each one a row."))
    if faults:
        raise TableError(tuple(faults))
    spare = len(places.groups) - max(len(fighter.buffs) for fighter in fighters)
    roster = Roster(fighters=tuple(fighters), spare_buffs=spare)
    return Checked(roster=roster, warnings=(*notes, *warnings_of(roster)))


def read_fighter(cells: Mapping[str, str], buffs: Sequence[Buff] = ()) -> Fighter:
    """Read one fighter from the texts of its columns, such as a form gives them; TableError as for a file's row.

    `cells`: by the columns' names, buffs aside, which come as they are; what is left out counts as blank.
    """
    table = Table(columns.FIXED, 0, (), decimal_comma=True)
    row = Row(0, tuple(cells.get(name, "").strip() for name in columns.FIXED))
    reader = _RowReader(table, Layout({name: at for at, name in enumerate(columns.FIXED)}, ()), row, frozenset())
    fighter = reader.fighter()
    if fighter is None:
        raise TableError(tuple(Fault(None, fault.column, fault.message) for fault in reader.faults))
    return fighter.model_copy(update={"buffs": tuple(buffs)})


class _RowReader:
    """Reads one row; what is wrong is added to `faults`, what is merely odd to `notes`."""

    def __init__(self, table: Table, places: Layout, row: Row, names: frozenset[str]) -> None:
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self._table = table
        self._places = places
        self._row = row
        self._names = names

    def fighter(self) -> Fighter | None:
        """Return the fighter, None where anything is wrong."""
        name = self._name(columns.NAME)
        if name is None and not self._text(columns.NAME):
            self._fault(self._places.fixed[columns.NAME], "The name is missing.")
        xp, bonus_xp = self._whole(columns.XP, MAX_XP), self._whole(columns.BONUS_XP, MAX_XP)
        bonus_hp = self._whole(columns.BONUS_HP, MAX_HP)
        bonus_to_hit, bonus_to_defend = self._bonus_in(columns.BONUS_TO_HIT), self._bonus_in(columns.BONUS_TO_DEFEND)
        aoe = self._aoe(name)
        bodyguard_for, linked_to = self._name(columns.BODYGUARD_FOR), self._name(columns.LINKED_TO)
        buffs = self._buffs()
        xp_at = self._places.fixed.get(columns.XP)
        if xp + bonus_xp <= 0 and xp_at is not None and not self.faults:
            self._fault(xp_at, f"XP and BonusXP add up to {xp + bonus_xp:,}; more than 0 are needed.")
        if self.faults or name is None or xp_at is None:
            return None
        return Fighter(
            name=name,
            xp=xp,
            bonus_xp=bonus_xp,
            bonus_hp=bonus_hp,
            bonus_to_hit=bonus_to_hit,
            bonus_to_defend=bonus_to_defend,
            aoe=aoe,
            bodyguard_for=bodyguard_for,
            linked_to=linked_to,
            buffs=buffs,
        )

    def _fault(self, at: int, message: str) -> None:
        self.faults.append(Fault(self._row.number, self._table.column(at), message))

    def _text(self, column: str) -> str:
        at = self._places.fixed.get(column)
        return "" if at is None else self._row.cells[at]

    def _whole(self, column: str, most: int) -> int:
        at = self._places.fixed.get(column)
        return 0 if at is None else self._number(at, read_whole, most)

    def _bonus_in(self, column: str) -> Decimal:
        at = self._places.fixed.get(column)
        return Decimal(0) if at is None else self._bonus(at)

    def _bonus(self, at: int) -> Decimal:
        value = self._number(at, lambda text: read_decimal(text, self._table.decimal_comma), MAX_BONUS)
        places = value.as_tuple().exponent
        if isinstance(places, int) and -places > BONUS_PLACES:
            self._fault(at, f"{quoted(self._row.cells[at])} has more than {BONUS_PLACES} decimals.")
        return value

    def _number(self, at: int, read: Callable[[str], Number], most: Number) -> Number:
        """Return the number in a cell, 0 for a blank one and where it is wrong."""
        text = self._row.cells[at]
        nothing = type(most)(0)
        if not text:
            return nothing
        try:
            value = read(text)
        except ValueError as error:
            self._fault(at, f"{error}.")
            return nothing
        if abs(value) > most:
            self._fault(at, f"{quoted(text)} is beyond {most:,}, the most either way.")
            return nothing
        return value

    def _aoe(self, name: str | None) -> int:
        given = self._whole(columns.AOE, MAX_AOE)
        if given < 1 and self._text(columns.AOE):
            self.notes.append(f"{name}: AOE {given} counts as 1.")
        return max(1, given)

    def _name(self, column: str) -> str | None:
        at = self._places.fixed.get(column)
        if at is None or not self._row.cells[at]:
            return None
        return self._checked(at, self._row.cells[at])

    def _checked(self, at: int, name: str) -> str | None:
        wrong = check_name(name, MAX_NAME)
        if wrong is not None:
            self._fault(at, f"The name {quoted(name)} {wrong}.")
            return None
        return name

    def _buffs(self) -> tuple[Buff, ...]:
        buffs = []
        for start in self._places.groups:
            cells = self._row.cells[start : start + len(columns.BUFF)]
            if not any(cells):
                continue
            loose = self._loose_names(start + 1)
            if loose:
                names = ",".join(loose)
                names = names if len(names) <= _MOST_SHOWN else f"{names[:_MOST_SHOWN]}…"
                self._fault(start + 1, f'Several names have to stand in quotes: "{names}".')
                return ()  # every cell behind them is in the wrong column
            buffs.append(self._buff(start))
        beyond = self._table.beyond(self._row)
        self.faults += [] if beyond is None else [beyond]
        return tuple(buffs)

    def _buff(self, start: int) -> Buff:
        name = self._row.cells[start]
        if name:
            name = self._checked(start, name) or ""
        parts = [part.strip() for part in self._row.cells[start + 1].split(",")]
        who = tuple(part for part in parts if part and self._checked(start + 1, part) is not None)
        if len(who) > MAX_FIGHTERS:
            self._fault(start + 1, f"There are {len(who):,} names; at most {MAX_FIGHTERS} are read.")
        return Buff.model_construct(name=name, who=who, offense=self._bonus(start + 2), defense=self._bonus(start + 3))

    def _loose_names(self, at: int) -> Sequence[str]:
        """Return the names from BuffWho on where they stand in cells of their own for want of quotes, else nothing."""
        cells = self._row.cells
        if not cells[at + 1] or _is_number(cells[at + 1]):
            return ()
        end = at
        while end < len(cells) and cells[end] and not _is_number(cells[end]):
            end += 1
        names = cells[at:end]
        if len(names) < 2 or names[1][0].isdigit():  # noqa: PLR2004 - one name needs no quotes
            return ()
        numbers_follow = end + 1 < len(cells) and all(map(_is_number, cells[end : end + 2]))
        known = name_key(names[1]) in self._names
        return names if numbers_follow or known or len(cells) > len(self._table.header) else ()


def _is_number(text: str) -> bool:
    try:
        read_decimal(text, decimal_comma=True)
    except ValueError:
        return False
    return True


def _twins(table: Table, at: int) -> list[Fault]:
    """Return a fault for each name that was there before."""
    faults = []
    first: dict[str, Row] = {}
    for row in table.rows:
        name = row.cells[at]
        before = first.setdefault(name_key(name), row)
        if name and before is not row:
            alike = "" if before.cells[at] == name else f" (as {quoted(before.cells[at])})"
            message = f"The name {quoted(name)} already stands in row {before.number}{alike}."
            faults.append(Fault(row.number, table.column(at), message))
    return faults
