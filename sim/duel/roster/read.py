"""A roster's file to its critters, or all that is wrong with it, each with row and column."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from sim.core.csv_cells import quoted, read_whole
from sim.core.errors import RuleError
from sim.core.names import check_name, name_key
from sim.core.table import Fault, Row, Table, TableError, read_table
from sim.duel.battle.values import MAX_GROUP
from sim.duel.critter import (
    LEAST_ARMOUR,
    LEAST_SCORE,
    LEAST_TO_HIT,
    MAX_ATTACKS,
    MAX_HP,
    MAX_MODIFIER,
    MODIFIERS,
    MOST_ARMOUR,
    MOST_SCORE,
    MOST_TO_HIT,
    Alignment,
    Critter,
    modifier,
)
from sim.duel.damage import parse_damage
from sim.duel.names import MAX_NAME, Gender, fighter_name
from sim.duel.roster import columns
from sim.duel.roster.columns import layout
from sim.duel.roster.values import DEFAULT_SIDE, Roster, RosterSide

Word = TypeVar("Word")

# Columns of whole numbers, and what they may hold.
_RANGES: Mapping[str, tuple[int, int]] = {
    columns.HP: (1, MAX_HP),
    **dict.fromkeys(columns.ABILITIES, (LEAST_SCORE, MOST_SCORE)),
    **dict.fromkeys(MODIFIERS, (-MAX_MODIFIER, MAX_MODIFIER)),
    columns.ARMOUR_CLASS: (LEAST_ARMOUR, MOST_ARMOUR),
    columns.TO_HIT: (LEAST_TO_HIT, MOST_TO_HIT),
    columns.ATTACKS: (1, MAX_ATTACKS),
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
# Whether a name stands alone.
_ARTICLES = {"": True, "no": True, "none": True, "-": True, "the": False, "yes": False}
# Names of sides that say which one comes first.
_PLACES = {
    **dict.fromkeys(("1", "group 1", "group1", "side 1", "side1", "first", "one", "a"), 0),
    **dict.fromkeys(("2", "group 2", "group2", "side 2", "side2", "second", "two", "b"), 1),
}
_SIDES = 2


def read_roster(data: bytes) -> Roster:
    """Read a roster's CSV; TableError with everything that is wrong.

    Only name and hp are needed; what is left out or blank has the rules' defaults. The six abilities may stand as
    scores or as modifiers. There are at most two sides; in a file with one, or none named, all are on the same.
    """
    table = read_table(data)
    places, faults = layout(table)
    rows = [_RowReader(table, places, row) for row in table.rows]
    critters = [reader.critter() for reader in rows]
    faults += [*table.overlong(), *(fault for reader in rows for fault in reader.faults)]
    faults += _twins(table, places)
    sides = _sides(table, places)
    faults += _side_faults(table, places, sides)
    if faults:
        raise TableError(tuple(faults))
    by_side = {
        key: [critter for row, critter in zip(table.rows, critters, strict=True) if _side_key(row, places) == key]
        for key in sides
    }
    return Roster(
        sides=tuple(
            RosterSide(name=name, critters=tuple(critter for critter in by_side[key] if critter is not None))
            for key, name in sides.items()
        )
    )


class _RowReader:
    """Reads one row; what is wrong is added to `faults`."""

    def __init__(self, table: Table, places: Mapping[str, int], row: Row) -> None:
        self.faults: list[Fault] = []
        self._table = table
        self._places = places
        self._row = row

    def critter(self) -> Critter | None:
        """Return the critter, None where anything is wrong."""
        values: dict[str, object] = {name: self._whole(name) for name in _RANGES if self._text(name)}
        values |= self._words()
        name = self._name()
        if columns.HP in self._places and not self._text(columns.HP):
            self._fault(columns.HP, "The hit points are missing.")
        self._agree(values)
        if self.faults or name is None or columns.HP not in values:
            return None
        scores = {ability: values.pop(ability) for ability in columns.ABILITIES if ability in values}
        if len(scores) == len(columns.ABILITIES):
            values["abilities"] = scores
        for short, ability in MODIFIERS.items():
            score = scores.get(ability)
            if isinstance(score, int):
                values[short] = modifier(score)
        return Critter.model_validate({"name": name, **values})

    def _agree(self, values: Mapping[str, object]) -> None:
        """Note where a modifier contradicts its ability."""
        for short, ability in MODIFIERS.items():
            score, given = values.get(ability), values.get(short)
            if isinstance(score, int) and isinstance(given, int) and modifier(score) != given:
                self._fault(short, f"A {ability} of {score} makes {modifier(score):+d}, not {given:+d}.")

    def _words(self) -> dict[str, object]:
        """Return what stands in words and dice, blanks left out."""
        found: dict[str, object] = {}
        for column, known in ((columns.GENDER, _GENDERS), (columns.ALIGNMENT, _ALIGNMENTS)):
            if self._text(column):
                found[column] = self._word(column, known)
        if self._text(columns.ARTICLE):
            found["proper"] = self._word(columns.ARTICLE, _ARTICLES)
        if self._text(columns.DAMAGE):
            try:
                found[columns.DAMAGE] = parse_damage(self._text(columns.DAMAGE))
            except RuleError as error:
                self._fault(columns.DAMAGE, f"{quoted(self._text(columns.DAMAGE))}: {error}")
        return found

    def _name(self) -> str | None:
        if columns.NAME not in self._places:
            return None
        text = self._text(columns.NAME)
        wrong = check_name(text, MAX_NAME)
        if not text:
            self._fault(columns.NAME, "The name is missing.")
        elif wrong is not None:
            self._fault(columns.NAME, f"The name {wrong}.")
        else:
            return fighter_name(text)
        return None

    def _whole(self, column: str) -> int | None:
        least, most = _RANGES[column]
        try:
            value = read_whole(self._text(column))
        except ValueError as error:
            self._fault(column, f"{error}.")
            return None
        if not least <= value <= most:
            self._fault(column, f"{value} is out of range: {least} to {most:,} are allowed.")
        return value

    def _word(self, column: str, known: Mapping[str, Word]) -> Word | None:
        text = self._text(column)
        if name_key(text) not in known:
            listed = ", ".join(dict.fromkeys(str(word) for word in known if len(word) > 1 or word == "-"))
            self._fault(column, f"{quoted(text)} is none of {listed}.")
        return known.get(name_key(text))

    def _text(self, column: str) -> str:
        at = self._places.get(column)
        return "" if at is None else self._row.cells[at]

    def _fault(self, column: str, message: str) -> None:
        self.faults.append(Fault(self._row.number, self._table.column(self._places[column]), message))


def _side(row: Row, places: Mapping[str, int]) -> str:
    at = places.get(columns.SIDE)
    return (row.cells[at] if at is not None else "") or DEFAULT_SIDE


def _side_key(row: Row, places: Mapping[str, int]) -> str:
    return name_key(_side(row, places))


def _sides(table: Table, places: Mapping[str, int]) -> dict[str, str]:
    """Return the sides as their rows call them, by key: as they come, but 2 never before 1."""
    found: dict[str, str] = {}
    for row in table.rows:
        found.setdefault(_side_key(row, places), _side(row, places))
    order: Sequence[str] = list(found)
    if all(key in _PLACES for key in order):
        order = sorted(order, key=lambda key: _PLACES[key])
    return {key: found[key] for key in order}


def _side_faults(table: Table, places: Mapping[str, int], sides: Mapping[str, str]) -> Iterator[Fault]:
    if not table.rows:
        yield Fault(None, None, "The roster has nobody in it: below the header, give each fighter a row.")
    at = places.get(columns.SIDE, 0)
    in_order = list(dict.fromkeys(_side_key(row, places) for row in table.rows))
    for row in table.rows:
        wrong = check_name(_side(row, places), MAX_NAME)
        if wrong is not None:
            yield Fault(row.number, table.column(at), f"The side's name {wrong}.")
        if _side_key(row, places) in in_order[_SIDES:]:
            named = " and ".join(quoted(sides[key]) for key in in_order[:_SIDES])
            yield Fault(row.number, table.column(at), f"This is a third side; there are {named} already.")
    for key in in_order[:_SIDES]:
        size = sum(_side_key(row, places) == key for row in table.rows)
        if size > MAX_GROUP:
            yield Fault(None, None, f"There are {size:,} on side {quoted(sides[key])}; at most {MAX_GROUP} fight.")


def _twins(table: Table, places: Mapping[str, int]) -> Iterator[Fault]:
    """Give a fault for each name that stood in a row before."""
    at = places.get(columns.NAME)
    seen: dict[str, int] = {}
    for row in table.rows:
        key = name_key(row.cells[at]) if at is not None else ""
        if key and at is not None and seen.setdefault(key, row.number) != row.number:
            message = f"{quoted(row.cells[at])} is in row {seen[key]} already: give each one a name of its own."
            yield Fault(row.number, table.column(at), message)
