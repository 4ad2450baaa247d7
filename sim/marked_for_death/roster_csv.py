"""Rosters as CSV files: their columns, reading with every error located, and writing.

Source: .docs/rules/marked_for_death.md, "Roster CSV".
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from sim.core.errors import Faults
from sim.core.names import check_name, name_key
from sim.core.table import (
    Cell,
    Fault,
    Row,
    Table,
    TableError,
    check_table,
    column_key,
    quote,
    read_decimal,
    read_table,
    read_whole,
    unknown_column,
    write_table,
)
from sim.core.values import Frozen
from sim.marked_for_death.roster import (
    BONUS_PLACES,
    MAX_AOE,
    MAX_BONUS,
    MAX_BUFFS,
    MAX_FIGHTERS,
    MAX_HP,
    MAX_NAME,
    MAX_XP,
    Buff,
    Fighter,
    Roster,
    trimmed,
)
from sim.marked_for_death.roster_warnings import roster_warnings

NAME, XP, BONUS_XP, BONUS_HP, BONUS_TO_HIT, BONUS_TO_DEFEND, AOE, BODYGUARD_FOR, LINKED_TO = FIXED = (
    *("Name", "XP", "BonusXP", "BonusHP", "BonusToHit", "BonusToDefend", "AOE", "BodyguardFor", "LinkedTo"),
)
"""Columns that appear once, in any order."""

BUFF_NAME, BUFF_WHO, BUFF_OFFENSE, BUFF_DEFENSE = BUFF = ("BuffName", "BuffWho", "BuffOffense", "BuffDefense")
"""Columns of one buff, always together and in this order; a file has any number of these groups."""

REQUIRED = (NAME, XP)
_COUNTER = re.compile(r"\.?[0-9]+$")  # some programs number columns of the same name: BuffName.1, BuffName2
_FIXED = {column_key(name): name for name in FIXED}
_BUFF = {column_key(name): name for name in BUFF}


@dataclass(frozen=True, slots=True)
class Layout:
    """Column indices: `fixed` by name, `groups` the first column of each group of buff columns."""

    fixed: dict[str, int]
    groups: tuple[int, ...]


def read_layout(table: Table) -> tuple[Layout, Faults[Fault]]:
    """Return the column layout of `table`, and everything wrong with its header."""
    names = [_column_named(header) for header in table.header]
    faults = Faults[Fault]()
    fixed: dict[str, int] = {}
    for at, name in enumerate(names):
        if name in FIXED and fixed.setdefault(name, at) != at:
            faults.add(Fault(table.header_row, table.column(at), f"The column {name} appears more than once."))
        elif name is None and table.header[at]:
            faults.add(unknown_column(table, at, _FIXED | _BUFF))
    missing = [name for name in REQUIRED if name not in fixed]
    faults.extend(Fault(table.header_row, None, f"The column {name} is missing.") for name in missing)
    groups = tuple(_groups(names))
    if len(groups) > MAX_BUFFS:
        faults.add(Fault(table.header_row, None, f"There are {len(groups)} buffs; at most {MAX_BUFFS} are read."))
    faults.extend(_stray_columns(table, names, groups))
    return Layout(fixed, groups[:MAX_BUFFS]), faults


def _column_named(header: str) -> str | None:
    key = column_key(header)
    return _FIXED.get(key) or _BUFF.get(_COUNTER.sub("", key))


def _groups(names: Sequence[str | None]) -> Iterator[int]:
    at = 0
    while at < len(names):
        if tuple(names[at : at + len(BUFF)]) == BUFF:
            yield at
            at += len(BUFF)
        else:
            at += 1


def _stray_columns(table: Table, names: Sequence[str | None], groups: Sequence[int]) -> Iterator[Fault]:
    """Yield a fault for each run of buff columns that is not a whole group."""
    grouped = {at for start in groups for at in range(start, start + len(BUFF))}
    stray = [at for at, name in enumerate(names) if name in BUFF and at not in grouped]
    for at in stray:
        if at - 1 not in stray:
            message = f"A buff takes exactly four columns together, in this order: {', '.join(BUFF)}."
            yield Fault(table.header_row, table.column(at), message)


Number = TypeVar("Number", int, Decimal)
_MAX_LISTED = 200  # characters of a list of names in a message


class CheckedRoster(Frozen):
    """A roster read from a file, and a sentence for each thing that its referee should look at again."""

    roster: Roster
    warnings: tuple[str, ...] = ()


def read_roster(data: bytes) -> CheckedRoster:
    """Read a roster's CSV file; TableError with what is wrong with it."""
    table = read_table(data)
    layout, faults = read_layout(table)
    if len(table.rows) > MAX_FIGHTERS:
        faults.add(Fault(None, None, f"There are {len(table.rows):,} fighters; at most {MAX_FIGHTERS} take part."))
    elif not table.rows:
        faults.add(Fault(None, None, "The roster has no fighters: below the header, add a row for each one."))
    notes: list[str] = []
    fighters: list[Fighter] = []
    if NAME in layout.fixed:
        at = layout.fixed[NAME]
        names = frozenset(name_key(row.cells[at]) for row in table.rows if row.cells[at])
        for row in table.rows:
            reader = _RowReader(table, layout, row, names, faults)
            fighter = reader.fighter()
            notes += reader.notes
            if fighter is not None:
                fighters.append(fighter)
        faults.extend(_duplicate_names(table, at))
    check_table(faults)
    spare = len(layout.groups) - max(len(fighter.buffs) for fighter in fighters)
    roster = Roster(fighters=tuple(fighters), spare_buffs=spare)
    return CheckedRoster(roster=roster, warnings=(*notes, *roster_warnings(roster)))


def read_fighter(cells: Mapping[str, str], buffs: Sequence[Buff] = ()) -> Fighter:
    """Read one fighter from the texts of its columns, such as a form's fields; TableError with what is wrong.

    `cells`: text by column name, without the buffs; missing columns count as blank.
    """
    table = Table(FIXED, 0, (), decimal_comma=True)
    row = Row(0, tuple(cells.get(name, "").strip() for name in FIXED))
    layout = Layout({name: at for at, name in enumerate(FIXED)}, ())
    faults = Faults[Fault]()
    fighter = _RowReader(table, layout, row, frozenset(), faults).fighter()
    if fighter is None:
        raise TableError([Fault(None, fault.column, fault.message) for fault in faults.told], faults.more)
    return fighter.model_copy(update={"buffs": tuple(buffs)})


class _RowReader:
    """Reads one row; adds what is wrong to `faults`, and collects its oddities in `notes`."""

    def __init__(self, table: Table, layout: Layout, row: Row, names: frozenset[str], faults: Faults[Fault]) -> None:
        self._faults = faults
        self._already = len(faults)
        self.notes: list[str] = []
        self._table = table
        self._layout = layout
        self._row = row
        self._names = names

    def fighter(self) -> Fighter | None:
        """Return the fighter, or None if anything is wrong."""
        name = self._name(NAME)
        if name is None and not self._text(NAME):
            self._fault(self._layout.fixed[NAME], "The name is missing.")
        xp, bonus_xp = self._whole(XP, MAX_XP), self._whole(BONUS_XP, MAX_XP)
        bonus_hp = self._whole(BONUS_HP, MAX_HP)
        bonus_to_hit, bonus_to_defend = self._bonus_of(BONUS_TO_HIT), self._bonus_of(BONUS_TO_DEFEND)
        aoe = self._aoe(name)
        bodyguard_for, linked_to = self._name(BODYGUARD_FOR), self._name(LINKED_TO)
        buffs = self._buffs()
        xp_at = self._layout.fixed.get(XP)
        if xp + bonus_xp <= 0 and xp_at is not None and self._right:
            self._fault(xp_at, f"XP and BonusXP add up to {xp + bonus_xp:,}: the total must be above 0.")
        if not self._right or name is None or xp_at is None:
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

    @property
    def _right(self) -> bool:
        return len(self._faults) == self._already

    def _fault(self, at: int, message: str) -> None:
        self._faults.add(Fault(self._row.number, self._table.column(at), message))

    def _text(self, column: str) -> str:
        at = self._layout.fixed.get(column)
        return "" if at is None else self._row.cells[at]

    def _whole(self, column: str, limit: int) -> int:
        at = self._layout.fixed.get(column)
        return 0 if at is None else self._number(at, read_whole, limit)

    def _bonus_of(self, column: str) -> Decimal:
        at = self._layout.fixed.get(column)
        return Decimal(0) if at is None else self._bonus(at)

    def _bonus(self, at: int) -> Decimal:
        value = self._number(at, lambda text: read_decimal(text, self._table.decimal_comma), MAX_BONUS)
        exponent = value.as_tuple().exponent
        if isinstance(exponent, int) and -exponent > BONUS_PLACES:
            self._fault(at, f"{quote(self._row.cells[at])} has more than {BONUS_PLACES} decimals.")
        return value

    def _number(self, at: int, read: Callable[[str], Number], limit: Number) -> Number:
        """Return the number in a cell, 0 if it is blank or wrong."""
        text = self._row.cells[at]
        nothing = type(limit)(0)
        if not text:
            return nothing
        try:
            value = read(text)
        except ValueError as error:
            self._fault(at, f"{error}.")
            return nothing
        if abs(value) > limit:
            self._fault(at, f"{quote(text)} is out of range: the limit is {limit:,} either way.")
            return nothing
        return value

    def _aoe(self, name: str | None) -> int:
        given = self._whole(AOE, MAX_AOE)
        if given < 1 and self._text(AOE):
            self.notes.append(f"{name}: AOE {given} counts as 1.")
        return max(1, given)

    def _name(self, column: str) -> str | None:
        at = self._layout.fixed.get(column)
        if at is None or not self._row.cells[at]:
            return None
        return self._valid_name(at, self._row.cells[at])

    def _valid_name(self, at: int, name: str) -> str | None:
        wrong = check_name(name, MAX_NAME)
        if wrong is not None:
            self._fault(at, f"The name {quote(name)} {wrong}.")
            return None
        return name

    def _buffs(self) -> tuple[Buff, ...]:
        buffs = []
        for start in self._layout.groups:
            cells = self._row.cells[start : start + len(BUFF)]
            if not any(cells):
                continue
            loose = self._unquoted_names(start + 1)
            if loose:
                names = ",".join(loose)
                names = names if len(names) <= _MAX_LISTED else f"{names[:_MAX_LISTED]}…"
                self._fault(start + 1, f'Put several names in quotes: "{names}".')
                return ()  # all later cells are in the wrong columns
            buffs.append(self._buff(start))
        if (beyond := self._table.beyond(self._row)) is not None:
            self._faults.add(beyond)
        return tuple(buffs)

    def _buff(self, start: int) -> Buff:
        name = self._row.cells[start]
        if name:
            name = self._valid_name(start, name) or ""
        parts = [part.strip() for part in self._row.cells[start + 1].split(",")]
        who = tuple(part for part in parts if part and self._valid_name(start + 1, part) is not None)
        if len(who) > MAX_FIGHTERS:
            self._fault(start + 1, f"There are {len(who):,} names; at most {MAX_FIGHTERS} are read.")
        return Buff.model_construct(name=name, who=who, offense=self._bonus(start + 2), defense=self._bonus(start + 3))

    def _unquoted_names(self, at: int) -> Sequence[str]:
        """Return the names in BuffWho and the cells after it if they lack quotes, else nothing."""
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


def _duplicate_names(table: Table, at: int) -> Iterator[Fault]:
    """Yield a fault for each repeated name."""
    first: dict[str, Row] = {}
    for row in table.rows:
        name = row.cells[at]
        before = first.setdefault(name_key(name), row)
        if name and before is not row:
            alike = "" if before.cells[at] == name else f" (as {quote(before.cells[at])})"
            message = f"The name {quote(name)} already stands in row {before.number}{alike}."
            yield Fault(row.number, table.column(at), message)


_COMMENTS = """\
# A roster for Marked for Death. Lines that start with # and a blank are comments.
# Write your fighters below the headers, a row each.
# Name: no two fighters can have the same one, whether in upper or lower case.
# XP and BonusXP: a fighter rolls one die for every 1000 of both together, rounded up. The total must be above 0.
# BonusHP: a fighter has 2 + BonusHP hit points (HP). At 0 or less, the fighter sits out.
# BonusToHit and BonusToDefend: each die has a 30% chance; 0.15 adds 15 points.
# AOE: how many opponents the fighter attacks in a round. Blank is 1.
# BodyguardFor: the fighter steps in when somebody attacks this one.
# LinkedTo: the fighter falls when this one falls.
# Each buff takes four columns; add as many buffs as you like, side by side. Everybody named in BuffWho gets
# BuffOffense on ToHit and BuffDefense on ToDefend while the fighter stands. Put several names in quotes.
# Here a dragon carries its summoner and her bodyguard: if it falls, they fall with it; if she falls, it vanishes.
"""


def roster_csv(roster: Roster) -> bytes:
    """Return a roster as a file that `read_roster` reads back exactly, including its blank columns."""
    groups = roster.buff_groups
    return write_table(FIXED + BUFF * groups, (tuple(_cells(fighter, groups)) for fighter in roster.fighters))


def fighter_cells(fighter: Fighter) -> dict[str, str]:
    """Return the text of a fighter's columns, without buffs, for a form; `read_fighter` reads them back."""
    return dict(zip(FIXED, map(str, _cells(fighter, 0)), strict=False))  # leaves out the buffs after them


def example() -> bytes:
    """Return the commented file to start from."""
    rows = (
        'Dragon,13000,1500,-1,0.6,0.1,,,Summoner,Mythic,"Dragon,Summoner,Tom",0.06,0.02',
        "Summoner,5800,-1000,1,0.15,,,,Dragon,,,,",
        'Tom,7001,,,0.11,0.01,,Summoner,Dragon,Teamwork,"Tom,Summoner",0.1,0.12',
    )
    text = f"{_COMMENTS}{','.join(FIXED + BUFF)}\n" + "".join(f"{row}\n" for row in rows)
    return text.replace("\n", "\r\n").encode("utf-8-sig")


def _cells(fighter: Fighter, groups: int) -> Iterator[Cell]:
    """Yield a row's cells; numbers are never left blank, so that other programs can read them."""
    yield fighter.name
    yield from (fighter.xp, fighter.bonus_xp, fighter.bonus_hp)
    yield from map(trimmed, (fighter.bonus_to_hit, fighter.bonus_to_defend))
    yield fighter.aoe
    yield fighter.bodyguard_for or ""
    yield fighter.linked_to or ""
    for buff in fighter.buffs:
        yield from (buff.name, ",".join(buff.who), trimmed(buff.offense), trimmed(buff.defense))
    yield from [""] * (len(BUFF) * (groups - len(fighter.buffs)))
