"""The columns of a roster: what they are called, and where they stand in a file."""

from collections.abc import Mapping

from sim.core.table import Fault, Table, column_key, unknown_column
from sim.duel.critter import MODIFIERS

NAME, SIDE, HP = "name", "side", "hp"
ARMOUR_CLASS, TO_HIT, DAMAGE, ATTACKS = "armour_class", "to_hit", "damage", "attacks"
GENDER, ALIGNMENT, ARTICLE = "gender", "alignment", "article"
ABILITIES = tuple(MODIFIERS.values())

COLUMNS = (
    *(NAME, SIDE, HP, *ABILITIES, *MODIFIERS),
    *(ARMOUR_CLASS, TO_HIT, DAMAGE, ATTACKS, GENDER, ALIGNMENT, ARTICLE),
)
"""All of them, in the order in which they are written; they are read in any."""

NEEDED = (NAME, HP)

# Other names, without blanks and signs.
_ALSO: Mapping[str, str] = {
    **{short.removesuffix("_mod"): ability for short, ability in MODIFIERS.items()},
    **{f"{ability}modifier": short for short, ability in MODIFIERS.items()},
    **{f"{ability}mod": short for short, ability in MODIFIERS.items()},
    "group": SIDE,
    "team": SIDE,
    "hitpoints": HP,
    "ac": ARMOUR_CLASS,
    "armorclass": ARMOUR_CLASS,
    "armour": ARMOUR_CLASS,
    "thac0": TO_HIT,
    "thaco": TO_HIT,
    "dmg": DAMAGE,
    "damagedice": DAMAGE,
    "attack": ATTACKS,
    "pronoun": GENDER,
}
_MEANINGS = {**{column_key(name): name for name in COLUMNS}, **_ALSO}


def layout(table: Table) -> tuple[dict[str, int], list[Fault]]:
    """Return where each column stands, from 0, and all that is wrong with the header."""
    found: dict[str, int] = {}
    faults = []
    for at, header in enumerate(table.header):
        name = _MEANINGS.get(column_key(header))
        if name is None:
            if header:
                faults.append(unknown_column(table, at, _MEANINGS))
        elif found.setdefault(name, at) != at:
            faults.append(Fault(table.header_row, table.column(at), f"There is more than one column {name}."))
    faults += [Fault(table.header_row, None, f"The column {name} is missing.") for name in NEEDED if name not in found]
    return found, faults
