"""Why a battle is over with a pair of armies, and lists of such pairs with their chances.

A side's `standing` is its totals, see `Armies`, with four rows more: `FIRES` and `SUFFERS`, the hit groups, as bit
masks, that an army fires in and that it has targets for; `ENDS`, whether the attacker leaves because of it; and
`FIGHTS`, whether with it, if the enemy fights, too, the battle goes on as long as anybody can hit.
"""

from typing import NamedTuple

import numpy as np

from sim.axis_allies.odds.layout import (
    AIR,
    ATTACKER,
    DEFENDER,
    DESTROYERS,
    EXPOSED,
    GOES_ON,
    IPC,
    REST,
    RETREAT,
    STALEMATE,
    SUBMARINES,
    TIE,
    UNITS,
    Codes,
    Flags,
    Floats,
    Ints,
)
from sim.core.kernels import copy, kernel, woven

FIRES, SUFFERS, ENDS, FIGHTS = range(IPC + 1, IPC + 5)


class Pairs(NamedTuple):
    """Pairs of armies, in the order of the attacker's: both numbers, the chance of each, and its code."""

    rows: Ints
    columns: Ints
    chances: Floats
    codes: Codes

    def sum_of(self, code: int) -> float:
        """Return the sum of the chances with a code."""
        return float(self.chances[self.codes == code].sum())


Results = tuple[Ints, Ints, Floats, Codes, float]
"""The fields of `Pairs`, and the mean number of rounds."""


@kernel
def standing(dice: Ints, totals: Ints, ends: Flags) -> Ints:
    """Return a side's standing from its dice; `ends[s]`: whether the attacker leaves with, or before, army s."""
    table = np.empty((FIGHTS + 1, len(dice)), np.int64)
    for row in range(len(totals)):
        copy(totals[row], table[row])
    for army in range(len(dice)):
        fires, units = 0, totals[UNITS, army]
        for group in range(dice.shape[1]):
            for kind in range(dice.shape[2]):
                if dice[army, group, kind] > 0:
                    fires |= 1 << (REST if group == AIR and totals[DESTROYERS, army] > 0 else group)
        suffers = 1 << SUBMARINES if units > totals[AIR, army] else 0
        suffers |= 1 << AIR if units > totals[SUBMARINES, army] else 0
        suffers |= 1 << REST if units > 0 else 0
        table[FIRES, army], table[SUFFERS, army], table[ENDS, army] = fires, suffers, ends[army]
        special = totals[EXPOSED, army] == units or totals[AIR, army] == units or _is_bare(totals, army)
        table[FIGHTS, army] = units > 0 and not (ends[army] or special)
    return table


@woven
def code_of(here: Ints, a: int, there: Ints, d: int) -> int:
    """Return the code of the attacking army a and the defending army d."""
    own, enemy = here[UNITS, a], there[UNITS, d]
    if own == 0 or enemy == 0:
        return ATTACKER if own > 0 else DEFENDER if enemy > 0 else TIE
    hits, is_hit = here[FIRES, a] & there[SUFFERS, d] != 0, there[FIRES, d] & here[SUFFERS, a] != 0
    if hits and there[EXPOSED, d] == enemy:
        return ATTACKER
    if is_hit and here[EXPOSED, a] == own:
        return DEFENDER
    if here[ENDS, a] or there[ENDS, d]:
        return RETREAT
    in_vain = here[FIRES, a] >> AIR & 1 and here[AIR, a] == own and _is_bare(there, d)
    return STALEMATE if in_vain or not (hits or is_hit) else GOES_ON


@woven
def _is_bare(totals: Ints, army: int) -> bool:
    """Return whether transports beside nothing but submarines, under planes alone, leave nothing to hit for anybody."""
    below, exposed = totals[SUBMARINES, army], totals[EXPOSED, army]
    return bool(below > 0 and exposed > 0 and below + exposed == totals[UNITS, army])


@kernel
def codes_of(here: Ints, there: Ints, rows: Ints, columns: Ints) -> Codes:
    """Return the codes of pairs of armies."""
    codes = np.empty(len(rows), np.int8)
    for at in range(len(rows)):
        codes[at] = code_of(here, rows[at], there, columns[at])
    return codes


@kernel
def code_table(here: Ints, there: Ints) -> Codes:
    """Return the codes of all pairs of armies."""
    codes = np.full((here.shape[1], there.shape[1]), np.int8(GOES_ON))
    for a in range(len(codes)):
        for d in range(codes.shape[1]):
            somebody = (here[FIRES, a] & there[SUFFERS, d]) | (there[FIRES, d] & here[SUFFERS, a])
            if not (somebody and here[FIGHTS, a] & there[FIGHTS, d]):  # most pairs go on
                codes[a, d] = code_of(here, a, there, d)
    return codes


@woven
def _sinks(here: Ints, a: int, there: Ints, d: int, code: int) -> bool:
    """Return whether planes that end a battle alone sink the defender's transports, beside nothing but submarines."""
    undecided = (code == STALEMATE) | (code == RETREAT)
    alone = (here[UNITS, a] > 0) & (here[AIR, a] == here[UNITS, a])
    return bool(undecided & alone & _is_bare(there, d))


@kernel
def unprotected(here: Ints, there: Ints, rows: Ints, columns: Ints, codes: Codes) -> tuple[Flags, Flags]:
    """Return in which results the attacker's and the defender's defenceless units are lost without dice.

    `here`, `there`: both sides' totals.
    """
    lost_a, lost_d = np.empty(len(rows), np.bool_), np.empty(len(rows), np.bool_)
    for at in range(len(rows)):
        a, d, code = rows[at], columns[at], codes[at]
        alone_a = here[EXPOSED, a] > 0 and here[EXPOSED, a] == here[UNITS, a]
        alone_d = there[EXPOSED, d] > 0 and there[EXPOSED, d] == there[UNITS, d]
        lost_a[at] = code == DEFENDER and alone_a
        lost_d[at] = (code == ATTACKER and alone_d) or _sinks(here, a, there, d, code)
    return lost_a, lost_d


@kernel
def course_row(here: Ints, there: Ints, rows: Ints, columns: Ints, chances: Floats, codes: Codes) -> Floats:
    """Return the chance that the battle goes on, and the attacker's and the defender's mean number of units.

    `here`, `there`: both sides' totals. Where a side has won, the other has at most units that are lost without dice.
    """
    row = np.zeros(3)
    for at in range(len(rows)):
        a, d, chance, code = rows[at], columns[at], chances[at], codes[at]
        row[0] += chance if code == GOES_ON else 0.0
        row[1] += chance * here[UNITS, a] if code != DEFENDER else 0.0
        if code != ATTACKER:
            sunk = there[EXPOSED, d] if _sinks(here, a, there, d, code) else 0
            row[2] += chance * (there[UNITS, d] - sunk)
    return row


@kernel
def listed(table: Floats, over: Codes, settle: bool) -> Results:
    """Return the fields of `Pairs` of a table of chances, with `settle` only those with which the battle is over.

    Last comes the sum of the others, the rounds that begin.
    """
    rounds, size = 0.0, 0
    for a in range(len(table)):
        for d in range(table.shape[1]):
            if table[a, d] != 0.0:
                if settle and over[a, d] == GOES_ON:
                    rounds += table[a, d]
                else:
                    size += 1
    rows, columns = np.empty(size, np.int64), np.empty(size, np.int64)
    chances, codes = np.empty(size), np.empty(size, np.int8)
    found = 0
    for a in range(len(table)):
        for d in range(table.shape[1]):
            if table[a, d] != 0.0 and not (settle and over[a, d] == GOES_ON):
                rows[found], columns[found], chances[found], codes[found] = a, d, table[a, d], over[a, d]
                found += 1
    return rows, columns, chances, codes, rounds
