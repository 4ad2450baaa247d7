"""The columns of a roster: what they are called and where they stand in a file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sim.core.table import Fault, Table, column_key, unknown_column
from sim.marked_for_death.roster import MAX_BUFFS

NAME, XP, BONUS_XP, BONUS_HP, BONUS_TO_HIT, BONUS_TO_DEFEND, AOE, BODYGUARD_FOR, LINKED_TO = FIXED = (
    *("Name", "XP", "BonusXP", "BonusHP", "BonusToHit", "BonusToDefend", "AOE", "BodyguardFor", "LinkedTo"),
)
"""Columns that stand once, in any order."""

BUFF_NAME, BUFF_WHO, BUFF_OFFENSE, BUFF_DEFENSE = BUFF = ("BuffName", "BuffWho", "BuffOffense", "BuffDefense")
"""Columns of a group, any number of groups, always in this order and together."""

NEEDED = (NAME, XP)

_COUNTER = re.compile(r"\.?[0-9]+$")  # some programs number columns of the same name: BuffName.1, BuffName2


_FIXED = {column_key(name): name for name in FIXED}
_BUFF = {column_key(name): name for name in BUFF}


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the columns stand, from 0: `fixed` by name, `groups` as the first column of each group of buff columns."""

    fixed: dict[str, int]
    groups: tuple[int, ...]


def layout(table: Table) -> tuple[Layout, list[Fault]]:
    """Return where the columns of `table` stand, and all that is wrong with the header."""
    names = [_meaning(header) for header in table.header]
    faults = []
    fixed: dict[str, int] = {}
    for at, name in enumerate(names):
        if name in FIXED and fixed.setdefault(name, at) != at:
            faults.append(Fault(table.header_row, table.column(at), f"There is more than one column {name}."))
        elif name is None and table.header[at]:
            faults.append(unknown_column(table, at, _FIXED | _BUFF))
    faults += [Fault(table.header_row, None, f"The column {name} is missing.") for name in NEEDED if name not in fixed]
    groups = tuple(_groups(names))
    if len(groups) > MAX_BUFFS:
        faults.append(Fault(table.header_row, None, f"There are {len(groups)} buffs; at most {MAX_BUFFS} are read."))
    faults += _strays(table, names, groups)
    return Layout(fixed, groups[:MAX_BUFFS]), faults


def _meaning(header: str) -> str | None:
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


def _strays(table: Table, names: Sequence[str | None], groups: Sequence[int]) -> Iterator[Fault]:
    """Give a fault for each stretch of buff columns that is no whole group."""
    grouped = {at for start in groups for at in range(start, start + len(BUFF))}
    stray = [at for at, name in enumerate(names) if name in BUFF and at not in grouped]
    for at in stray:
        if at - 1 not in stray:
            message = f"A buff takes exactly four columns together, in this order: {', '.join(BUFF)}."
            yield Fault(table.header_row, table.column(at), message)
