"""Rosters as CSV files: their columns, reading with every error located, and writing.

Source: .docs/rules/marked_for_death.md, "Roster CSV".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

import sim.csv as t
from sim.core.names import name_key
from sim.core.values import Frozen
from sim.csv.columns import Columns, Reader, Record, column_key, name_of, namesakes, read_form, within
from sim.marked_for_death import roster as r
from sim.marked_for_death.stats import roster_warnings

FIELDS: Mapping[str, str] = {
    "Name": "name",
    "XP": "xp",
    "BonusXP": "bonus_xp",
    "BonusHP": "bonus_hp",
    "BonusToHit": "bonus_to_hit",
    "BonusToDefend": "bonus_to_defend",
    "AOE": "aoe",
    "BodyguardFor": "bodyguard_for",
    "LinkedTo": "linked_to",
}
"""A fighter's field of each column that appears once, in any order."""

NAME, XP, BONUS_XP, BONUS_HP, BONUS_TO_HIT, BONUS_TO_DEFEND, AOE, BODYGUARD_FOR, LINKED_TO = FIXED = tuple(FIELDS)

BUFF_NAME, BUFF_WHO, BUFF_OFFENSE, BUFF_DEFENSE = BUFF = ("BuffName", "BuffWho", "BuffOffense", "BuffDefense")
"""Columns of one buff, always together and in this order; a file has any number of these groups."""


# Some programs number columns of the same name: BuffName.1, BuffName2.
_COUNTED = re.compile(rf"^({'|'.join(map(column_key, BUFF))})\.?[0-9]+$")
_RANGE = "{text} is out of range: the limit is {high:,} either way"
_MAX_LISTED = 200  # characters of a list of names in a message

_read_name = name_of(r.MAX_NAME, "The name {text}")


def _columns(*, decimal_comma: bool) -> Columns:
    number = within(partial(t.read_decimal, decimal_comma=decimal_comma), -r.MAX_BONUS, r.MAX_BONUS, _RANGE)

    def bonus(text: str) -> Decimal:
        value = number(text)
        exponent = value.as_tuple().exponent
        if isinstance(exponent, int) and -exponent > r.BONUS_PLACES:
            raise ValueError(f"{t.quote(text)} has more than {r.BONUS_PLACES} decimals")
        return value

    readers: dict[str, Reader[object]] = {
        **dict.fromkeys((NAME, BODYGUARD_FOR, LINKED_TO, BUFF_NAME), _read_name),
        **dict.fromkeys((XP, BONUS_XP), within(t.read_whole, -r.MAX_XP, r.MAX_XP, _RANGE)),
        **dict.fromkeys((BONUS_TO_HIT, BONUS_TO_DEFEND, BUFF_OFFENSE, BUFF_DEFENSE), bonus),
        BONUS_HP: within(t.read_whole, -r.MAX_HP, r.MAX_HP, _RANGE),
        AOE: within(t.read_whole, -r.MAX_AOE, r.MAX_AOE, _RANGE),
        BUFF_WHO: str,
    }
    return Columns(
        {column: readers[column] for column in (*FIXED, *BUFF)},
        needed=(NAME, XP),
        repeated=BUFF,
        twice="The column {} appears more than once.",
        key=lambda header: _COUNTED.sub(r"\1", column_key(header)),
    )


class CheckedRoster(Frozen):
    """A roster read from a file, and a sentence for each thing that its referee should look at again."""

    roster: r.Roster
    warnings: tuple[str, ...] = ()


def read_roster(data: bytes) -> CheckedRoster:
    """Read a roster's CSV file; TableError with what is wrong with it."""
    table = t.read_table(data)
    sheet = _columns(decimal_comma=table.decimal_comma).of(table)
    groups = [at for at in range(len(sheet.named)) if tuple(sheet.named[at : at + len(BUFF)]) == BUFF]
    if len(groups) > r.MAX_BUFFS:
        message = f"There are {len(groups)} buffs; at most {r.MAX_BUFFS} are read."
        sheet.faults.add(t.Fault(table.header_row, None, message))
    grouped = {at for start in groups for at in range(start, start + len(BUFF))}
    stray = [at for at, name in enumerate(sheet.named) if name in BUFF and at not in grouped]
    for at in stray:
        if at - 1 not in stray:  # one fault for a run of columns that is not a whole group
            message = f"A buff takes exactly four columns together, in this order: {', '.join(BUFF)}."
            sheet.faults.add(t.Fault(table.header_row, table.column(at), message))
    if len(table.rows) > r.MAX_FIGHTERS:
        sheet.faults.add(
            t.Fault(None, None, f"There are {len(table.rows):,} fighters; at most {r.MAX_FIGHTERS} take part.")
        )
    elif not table.rows:
        sheet.faults.add(t.Fault(None, None, "The roster has no fighters: below the header, add a row for each one."))
    rows = sheet.records() if NAME in sheet.at else []
    names = frozenset(name_key(row.text(NAME)) for row in rows if row.text(NAME))
    notes: list[str] = []
    read = [_read_fighter(row, groups[: r.MAX_BUFFS], names, notes) for row in rows]
    for row, first in namesakes(rows, NAME):
        name, before = row.text(NAME), first.text(NAME)
        alike = "" if before == name else f" (as {t.quote(before)})"
        row.add_fault(NAME, f"{t.quote(name)} is already used in row {first.row.number}{alike}.")
    sheet.check()
    fighters = tuple(fighter for fighter in read if fighter is not None)
    spare = len(groups) - max(len(fighter.buffs) for fighter in fighters)
    roster = r.Roster(fighters=fighters, spare_buffs=spare)
    return CheckedRoster(roster=roster, warnings=(*notes, *roster_warnings(roster)))


def read_fighter(cells: Mapping[str, str], buffs: Sequence[r.Buff] = ()) -> r.Fighter:
    """Read one fighter from the texts of its columns, such as a form's fields; TableError with what is wrong.

    `cells`: text by column name, without the buffs; missing columns count as blank.
    """
    texts = {name: cells.get(name, "") for name in FIXED}
    columns = _columns(decimal_comma=True)
    fighter = read_form(columns, texts, lambda row: _read_fighter(row, (), frozenset(), []))
    return fighter.model_copy(update={"buffs": tuple(buffs)})


def _read_fighter(row: Record, groups: Sequence[int], names: frozenset[str], notes: list[str]) -> r.Fighter | None:
    """Return the fighter of a row, None if anything is wrong; its oddities are added to `notes`.

    `groups`: the first columns of its buffs. `names`: everybody in the file.
    """
    values = row.values((NAME,))
    if not row.text(NAME):
        row.add_fault(NAME, "The name is missing.")
    values |= row.values(FIXED[1:])
    aoe = values.get(AOE)
    if isinstance(aoe, int) and aoe < 1:
        notes.append(f"{row.text(NAME)}: AOE {aoe} counts as 1.")
        values[AOE] = 1
    buffs = _read_buffs(row, groups, names)
    xp = sum(value for column in (XP, BONUS_XP) if isinstance(value := values.get(column), int))
    if xp <= 0 and row.right and XP in row.sheet.at:
        row.add_fault(XP, f"XP and BonusXP add up to {xp:,}: the total must be above 0.")
    if not row.right or XP not in row.sheet.at:
        return None
    fields = {FIELDS[column]: value for column, value in values.items()}
    return r.Fighter.model_validate({"xp": 0, **fields, "buffs": buffs})


def _read_buffs(row: Record, groups: Sequence[int], names: frozenset[str]) -> tuple[r.Buff, ...]:
    buffs = []
    for start in groups:
        if not any(row.row.cells[start : start + len(BUFF)]):
            continue
        loose = _unquoted_names(row, start + 1, names)
        if loose:
            listed = ",".join(loose)
            listed = listed if len(listed) <= _MAX_LISTED else f"{listed[:_MAX_LISTED]}…"
            row.add_fault(start + 1, f'Put several names in quotes: "{listed}".')
            return ()  # all later cells are in the wrong columns
        buffs.append(_read_buff(row, start))
    if len(row.row.cells) > len(row.sheet.table.header):
        row.add_fault(len(row.sheet.table.header), t.NO_HEADER)
    return tuple(buffs)


def _read_buff(row: Record, start: int) -> r.Buff:
    name = row.read(start, _read_name) or ""
    parts = [part.strip() for part in row.row.cells[start + 1].split(",")]
    who = tuple(part for part in parts if part and row.read_text(start + 1, part, _read_name) is not None)
    if len(who) > r.MAX_FIGHTERS:
        row.add_fault(start + 1, f"There are {len(who):,} names; at most {r.MAX_FIGHTERS} are read.")
    readers: Mapping[str, Reader[Any]] = row.sheet.columns.readers
    offense, defense = (row.read(start + at, readers[BUFF[at]]) or Decimal(0) for at in (2, 3))
    return r.Buff.model_construct(name=name, who=who, offense=offense, defense=defense)


def _unquoted_names(row: Record, at: int, known: frozenset[str]) -> Sequence[str]:
    """Return the names in BuffWho and the cells after it if they lack quotes, else nothing."""
    cells = row.row.cells
    if not cells[at + 1] or _is_number(cells[at + 1]):
        return ()
    end = at
    while end < len(cells) and cells[end] and not _is_number(cells[end]):
        end += 1
    names = cells[at:end]
    if len(names) < 2 or names[1][0].isdigit():  # noqa: PLR2004 - one name needs no quotes
        return ()
    numbers_follow = end + 1 < len(cells) and all(map(_is_number, cells[end : end + 2]))
    overlong = len(cells) > len(row.sheet.table.header)
    return names if numbers_follow or name_key(names[1]) in known or overlong else ()


def _is_number(text: str) -> bool:
    try:
        t.read_decimal(text, decimal_comma=True)
    except ValueError:
        return False
    return True


def roster_csv(roster: r.Roster) -> bytes:
    """Return a roster as a file that `read_roster` reads back exactly, including its blank columns."""
    groups = min(r.MAX_BUFFS, max(len(fighter.buffs) for fighter in roster.fighters) + roster.spare_buffs)
    return t.write_table(FIXED + BUFF * groups, (tuple(_cells(fighter, groups)) for fighter in roster.fighters))


def fighter_cells(fighter: r.Fighter) -> dict[str, str]:
    """Return the text of a fighter's columns, without buffs, for a form; `read_fighter` reads them back."""
    return dict(zip(FIXED, map(str, _cells(fighter, 0)), strict=False))  # leaves out the buffs after them


def example() -> bytes:
    """Return the commented file to start from."""
    return t.shipped_table("sim.marked_for_death", "example.csv")


def sample(side: str) -> bytes:
    """Return the army of a side to try the game with; against the other one it is an even fight of 5 to 8 rounds."""
    return t.shipped_table("sim.marked_for_death", f"sample-{side}.csv")


def _cells(fighter: r.Fighter, groups: int) -> Iterator[t.Cell]:
    """Yield a row's cells; numbers are never left blank, so that other programs can read them."""
    for field in FIELDS.values():
        value = getattr(fighter, field)
        yield r.trimmed(value) if isinstance(value, Decimal) else "" if value is None else value
    for buff in fighter.buffs:
        yield from (buff.name, ",".join(buff.who), r.trimmed(buff.offense), r.trimmed(buff.defense))
    yield from [""] * (len(BUFF) * (groups - len(fighter.buffs)))
