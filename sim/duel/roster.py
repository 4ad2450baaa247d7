"""Rosters of one or two sides as CSV files."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, TypeVar

from pydantic import Field

from sim.core.errors import Faults, RuleError
from sim.core.names import check_name, name_key
from sim.core.table import (
    Cell,
    Fault,
    Row,
    Table,
    check_table,
    column_key,
    quote,
    read_table,
    read_whole,
    unknown_column,
    write_table,
)
from sim.core.values import Frozen
from sim.duel.critter import (
    MAX_ARMOUR,
    MAX_ATTACKS,
    MAX_GROUP,
    MAX_HP,
    MAX_MODIFIER,
    MAX_MORALE,
    MAX_NAME,
    MAX_SCORE,
    MAX_TO_HIT,
    MIN_ARMOUR,
    MIN_MORALE,
    MIN_SCORE,
    MIN_TO_HIT,
    MODIFIERS,
    Alignment,
    Critter,
    Gender,
    Group,
    fighter_name,
    modifier,
)
from sim.duel.damage import Damage, parse_damage

DEFAULT_SIDE = "1"
"""The side of rows that name none."""


class RosterSide(Frozen):
    """A side of a roster."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    critters: Group


class Roster(Frozen):
    """One side, or the two sides of a fight, group 1 first."""

    sides: Annotated[tuple[RosterSide, ...], Field(min_length=1, max_length=2)]

    def groups(self) -> tuple[Group, Group]:
        """Return both groups; RuleError if there is only one side."""
        if len(self.sides) == 1:
            raise RuleError(f"Everybody in this roster is on one side, {self.sides[0].name}: a fight needs two.")
        return self.sides[0].critters, self.sides[1].critters


NAME, SIDE, HP = "name", "side", "hp"
ARMOUR_CLASS, TO_HIT, DAMAGE, ATTACKS, MORALE = "armour_class", "to_hit", "damage", "attacks", "morale"
GENDER, ALIGNMENT, ARTICLE = "gender", "alignment", "article"
ABILITIES = tuple(MODIFIERS.values())

COLUMNS = (
    *(NAME, SIDE, HP, *ABILITIES, *MODIFIERS),
    *(ARMOUR_CLASS, TO_HIT, DAMAGE, ATTACKS, MORALE, GENDER, ALIGNMENT, ARTICLE),
)
"""All columns in the order of a written file; a file to read may have any order."""

_REQUIRED = (NAME, HP)

# Other names of columns, by their keys.
_ALIASES: Mapping[str, str] = {
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
_MEANINGS = {**{column_key(name): name for name in COLUMNS}, **_ALIASES}


def _columns(table: Table) -> tuple[dict[str, int], Faults[Fault]]:
    """Return the index of each column, and the header's faults."""
    found: dict[str, int] = {}
    faults = Faults[Fault]()
    for at, header in enumerate(table.header):
        name = _MEANINGS.get(column_key(header))
        if name is None:
            if header:
                faults.add(unknown_column(table, at, _MEANINGS))
        elif found.setdefault(name, at) != at:
            faults.add(Fault(table.header_row, table.column(at), f"There is more than one column {name}."))
    missing = [name for name in _REQUIRED if name not in found]
    faults.extend(Fault(table.header_row, None, f"The column {name} is missing.") for name in missing)
    return found, faults


# Columns of whole numbers and their ranges.
_RANGES: Mapping[str, tuple[int, int]] = {
    HP: (1, MAX_HP),
    **dict.fromkeys(ABILITIES, (MIN_SCORE, MAX_SCORE)),
    **dict.fromkeys(MODIFIERS, (-MAX_MODIFIER, MAX_MODIFIER)),
    ARMOUR_CLASS: (MIN_ARMOUR, MAX_ARMOUR),
    TO_HIT: (MIN_TO_HIT, MAX_TO_HIT),
    ATTACKS: (1, MAX_ATTACKS),
    MORALE: (MIN_MORALE, MAX_MORALE),
}
_GENDERS = {gender.value: gender for gender in Gender} | {
    **dict.fromkeys(("m", "male", "him", "his"), Gender.HE),
    **dict.fromkeys(("f", "female", "her", "hers"), Gender.SHE),
    **dict.fromkeys(("n", "its"), Gender.IT),
}
_ALIGNMENTS = {alignment.value: alignment for alignment in Alignment} | {
    "l": Alignment.LAWFUL,
    "n": Alignment.NEUTRAL,
    "c": Alignment.CHAOTIC,
    "law": Alignment.LAWFUL,
    "chaos": Alignment.CHAOTIC,
}
# Whether a name is proper: it takes no article.
_ARTICLES = {"": True, "no": True, "none": True, "-": True, "the": False, "yes": False}
# Names of sides that imply an order.
_SIDE_ORDER = {
    **dict.fromkeys(("1", "group 1", "group1", "side 1", "side1", "first", "one", "a"), 0),
    **dict.fromkeys(("2", "group 2", "group2", "side 2", "side2", "second", "two", "b"), 1),
}
_MAX_SIDES = 2

Word = TypeVar("Word")


def read_roster(data: bytes) -> Roster:
    """Parse a roster's CSV file; TableError with what is wrong.

    Only name and hp are required; the rest has the rules' defaults. The six abilities may be scores or modifiers. A
    file has at most two sides; fighters without one are on the side "1".
    """
    table = read_table(data)
    columns, faults = _columns(table)
    rows = [_RowReader(table, columns, row, faults) for row in table.rows]
    sides = _sides(rows)
    faults.extend(_check_sizes(rows, sides))
    faults.extend(table.overlong())
    critters = [(row.side_key, row.critter()) for row in rows]
    _check_duplicate_names(rows)
    _check_side_names(rows, sides)
    check_table(faults)
    return Roster(
        sides=tuple(
            RosterSide(name=name, critters=tuple(critter for side, critter in critters if side == key and critter))
            for key, name in sides.items()
        )
    )


class _RowReader:
    """Reads one row and adds what is wrong to `faults`."""

    def __init__(self, table: Table, columns: Mapping[str, int], row: Row, faults: Faults[Fault]) -> None:
        self._faults = faults
        self.number = row.number
        self._cells = row.cells
        self._table = table
        self._columns = columns
        self.name = self._text(NAME)
        self.side = self._text(SIDE) or DEFAULT_SIDE
        self.side_key = name_key(self.side)

    def critter(self) -> Critter | None:
        """Return the critter, or None if anything is wrong."""
        already = len(self._faults)
        values: dict[str, object] = {name: self._number(name) for name in _RANGES if self._text(name)}
        values |= self._texts()
        name = self._checked_name()
        if HP in self._columns and not self._text(HP):
            self.add_fault(HP, "The hit points are missing.")
        self._check_modifiers(values)
        if len(self._faults) > already or name is None or HP not in values:
            return None
        scores = {ability: values.pop(ability) for ability in ABILITIES if ability in values}
        if len(scores) == len(ABILITIES):
            values["abilities"] = scores
        for short, ability in MODIFIERS.items():
            score = scores.get(ability)
            if isinstance(score, int):
                values[short] = modifier(score)
        return Critter.model_validate({"name": name, **values})

    def _check_modifiers(self, values: Mapping[str, object]) -> None:
        """Report modifiers that contradict their abilities."""
        for short, ability in MODIFIERS.items():
            score, given = values.get(ability), values.get(short)
            if isinstance(score, int) and isinstance(given, int) and modifier(score) != given:
                self.add_fault(short, f"A {ability} of {score} gives {modifier(score):+d}, not {given:+d}.")

    def _texts(self) -> dict[str, object]:
        """Return the values of the columns that are not whole numbers, without blank ones."""
        found: dict[str, object] = {}
        for column, known in ((GENDER, _GENDERS), (ALIGNMENT, _ALIGNMENTS)):
            if self._text(column):
                found[column] = self._word(column, known)
        if self._text(ARTICLE):
            found["proper"] = self._word(ARTICLE, _ARTICLES)
        if self._text(DAMAGE):
            try:
                found[DAMAGE] = parse_damage(self._text(DAMAGE))
            except RuleError as error:
                self.add_fault(DAMAGE, f"{quote(self._text(DAMAGE))}: {error}")
        return found

    def _checked_name(self) -> str | None:
        if NAME not in self._columns:
            return None
        error = check_name(self.name, MAX_NAME)
        if not self.name:
            self.add_fault(NAME, "The name is missing.")
        elif error is not None:
            self.add_fault(NAME, f"The name {error}.")
        else:
            return fighter_name(self.name)
        return None

    def _number(self, column: str) -> int | None:
        low, high = _RANGES[column]
        try:
            value = read_whole(self._text(column))
        except ValueError as error:
            self.add_fault(column, f"{error}.")
            return None
        if not low <= value <= high:
            self.add_fault(column, f"{value} is out of range: {low} to {high:,} are allowed.")
        return value

    def _word(self, column: str, known: Mapping[str, Word]) -> Word | None:
        text = self._text(column)
        if name_key(text) not in known:
            listed = ", ".join(dict.fromkeys(str(word) for word in known if len(word) > 1 or word == "-"))
            self.add_fault(column, f"{quote(text)} isn't one of {listed}.")
        return known.get(name_key(text))

    def _text(self, column: str) -> str:
        at = self._columns.get(column)
        return "" if at is None else self._cells[at]

    def add_fault(self, column: str, message: str) -> None:
        """Add a fault of a column that the file has."""
        self._faults.add(Fault(self.number, self._table.column(self._columns[column]), message))


def _check_duplicate_names(rows: Sequence[_RowReader]) -> None:
    seen: dict[str, int] = {}
    for row in rows:
        key = name_key(row.name)
        if key and seen.setdefault(key, row.number) != row.number:
            message = f"{quote(row.name)} is in row {seen[key]} already: give each fighter a different name."
            row.add_fault(NAME, message)


def _sides(rows: Sequence[_RowReader]) -> dict[str, str]:
    """Return the sides' names by key, in the order of the file, but group 1 before group 2."""
    sides: dict[str, str] = {}
    for row in rows:
        sides.setdefault(row.side_key, row.side)
    if sides.keys() <= _SIDE_ORDER.keys():
        return dict(sorted(sides.items(), key=lambda side: _SIDE_ORDER[side[0]]))
    return sides


def _first_sides(rows: Sequence[_RowReader]) -> list[str]:
    return list(dict.fromkeys(row.side_key for row in rows))[:_MAX_SIDES]


def _check_side_names(rows: Sequence[_RowReader], sides: Mapping[str, str]) -> None:
    first_two = _first_sides(rows)
    for row in rows:
        error = check_name(row.side, MAX_NAME)
        if error is not None:
            row.add_fault(SIDE, f"The side's name {error}.")
        if row.side_key not in first_two:
            names = " and ".join(quote(sides[key]) for key in first_two)
            row.add_fault(SIDE, f"This is a third side; there are {names} already.")


def _check_sizes(rows: Sequence[_RowReader], sides: Mapping[str, str]) -> Iterator[Fault]:
    """Yield the faults of the whole roster."""
    if not rows:
        yield Fault(None, None, "The roster is empty: below the header, give each fighter a row.")
    sizes = Counter(row.side_key for row in rows)
    for key in _first_sides(rows):
        if sizes[key] > MAX_GROUP:
            yield Fault(None, None, f"There are {sizes[key]:,} on side {quote(sides[key])}; at most {MAX_GROUP} fight.")


def write_roster(roster: Roster) -> bytes:
    """Return a CSV file with all columns; abilities are scores if known, else modifiers."""
    return write_table(COLUMNS, (tuple(_cells(side, critter)) for side in roster.sides for critter in side.critters))


def _cells(side: RosterSide, critter: Critter) -> Iterator[Cell]:
    yield from (critter.name, side.name, critter.hp)
    scores = critter.abilities
    for ability in MODIFIERS.values():
        yield "" if scores is None else int(getattr(scores, ability))
    for short in MODIFIERS:
        yield int(getattr(critter, short)) if scores is None else ""
    yield from (critter.armour_class, critter.to_hit, str(critter.damage), critter.attacks)
    yield "" if critter.morale is None else critter.morale
    yield from (critter.gender.value, critter.alignment.value, "" if critter.proper else "the")


EXAMPLE = Roster(
    sides=(
        RosterSide(
            name="The Watch",
            critters=(
                Critter(name="Brenna", hp=8, gender=Gender.SHE, alignment=Alignment.LAWFUL, str_mod=1, armour_class=4),
                Critter(name="Old Njal", hp=5, gender=Gender.HE, alignment=Alignment.LAWFUL, damage=Damage(sides=6)),
            ),
        ),
        RosterSide(
            name="Night",
            critters=(
                Critter(
                    name="ghoul",
                    hp=9,
                    proper=False,
                    alignment=Alignment.CHAOTIC,
                    armour_class=6,
                    attacks=2,
                    morale=9,
                ),
                Critter(
                    name="Icemaw",
                    hp=12,
                    alignment=Alignment.CHAOTIC,
                    dex_mod=-1,
                    to_hit=17,
                    damage=Damage(count=2, sides=4, plus=1),
                ),
            ),
        ),
    )
)
"""An example that shows the columns."""


def example() -> bytes:
    """Return the example as a file."""
    return write_roster(EXAMPLE)
