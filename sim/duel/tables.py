"""Groups as CSV files, rosters of one or two sides, and the names of a group."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar

from pydantic import Field

from sim.core import RuleError
from sim.core.names import listed, name_key
from sim.core.values import Frozen
from sim.csv import Cell, Fault, quote, read_table, read_whole, shipped_table, write_table
from sim.csv.columns import Columns, Reader, Record, name_of, namesakes, one_of, within
from sim.duel import critter as v
from sim.duel.monsters import company_text

T = TypeVar("T")


class RosterSide(Frozen):
    """A side of a roster."""

    name: Annotated[str, Field(min_length=1, max_length=v.MAX_NAME)]
    critters: v.Group


class Roster(Frozen):
    """One side, or the two sides of a fight, group 1 first."""

    sides: Annotated[tuple[RosterSide, ...], Field(min_length=1, max_length=2)]

    def groups(self) -> tuple[v.Group, v.Group]:
        """Return both groups; RuleError if there is only one side."""
        if len(self.sides) == 1:
            raise RuleError(f"Everyone in this roster is on one side, {self.sides[0].name}: a fight needs two.")
        return self.sides[0].critters, self.sides[1].critters

    def names(self) -> tuple[str, str] | tuple[()]:
        """Return what both sides are called if their fighters don't say it better."""
        names = [side.name for side in self.sides]
        if len(set(names)) == len(names) and all(name.strip() and not name.isdigit() for name in names):
            first, second = names
            return first, second
        return ()


NAME, SIDE, HP = "name", "side", "hp"
ARMOR_CLASS, TO_HIT, DAMAGE, ATTACKS, MORALE = "armor_class", "to_hit", "damage", "attacks", "morale"
GENDER, ALIGNMENT, ARTICLE = "gender", "alignment", "article"
ABILITIES = tuple(v.MODIFIERS.values())
_FIELDS = {ARTICLE: "proper", ARMOR_CLASS: "armour_class"}  # of a critter, where a column isn't called as the field is

COLUMNS = (
    *(NAME, SIDE, HP, *ABILITIES, *v.MODIFIERS),
    *(ARMOR_CLASS, TO_HIT, DAMAGE, ATTACKS, MORALE, GENDER, ALIGNMENT, ARTICLE),
)
"""All columns in the order of a written file; a file to read may have any order."""

# Other names of columns.
_OTHERS: Mapping[str, str] = {
    **{short.removesuffix("_mod"): ability for short, ability in v.MODIFIERS.items()},
    **{f"{ability}_{word}": short for short, ability in v.MODIFIERS.items() for word in ("modifier", "mod")},
    **dict.fromkeys(("group", "team"), SIDE),
    "hit_points": HP,
    **dict.fromkeys(("ac", "armor", "armour", "armour_class"), ARMOR_CLASS),
    **dict.fromkeys(("thac0", "thaco"), TO_HIT),
    **dict.fromkeys(("dmg", "damage_dice"), DAMAGE),
    "attack": ATTACKS,
    "pronoun": GENDER,
}
_GENDERS = {gender.value: gender for gender in v.Gender} | {
    **dict.fromkeys(("m", "male", "him", "his"), v.Gender.HE),
    **dict.fromkeys(("f", "female", "her", "hers"), v.Gender.SHE),
    **dict.fromkeys(("n", "its"), v.Gender.IT),
}
_ALIGNMENTS = {alignment.value: alignment for alignment in v.Alignment} | {
    **{alignment.value[0]: alignment for alignment in v.Alignment},
    "law": v.Alignment.LAWFUL,
    "chaos": v.Alignment.CHAOTIC,
}
# Whether a name is proper: it takes no article.
_ARTICLES = {"no": True, "none": True, "-": True, "the": False, "yes": False}


def _word(known: Mapping[str, T]) -> Reader[T]:
    return one_of(known, f"isn't one of {', '.join(word for word in known if len(word) > 1 or word == '-')}")


def _number(low: int, high: int) -> Reader[int]:
    return within(read_whole, low, high, "{value} is out of range: {low} to {high:,} are allowed")


def _read_damage(text: str) -> v.Damage:
    try:
        return v.Damage.model_validate(text)
    except RuleError as error:
        raise ValueError(f"{quote(text)}: {error}") from None


_COLUMNS = Columns(
    {
        SIDE: str,
        HP: _number(*v.LIMITS["hp"]),
        **dict.fromkeys(ABILITIES, _number(*v.LIMITS["score"])),
        **dict.fromkeys(v.MODIFIERS, _number(*v.LIMITS["modifier"])),
        ARMOR_CLASS: _number(*v.LIMITS["armour_class"]),
        TO_HIT: _number(*v.LIMITS["to_hit"]),
        ATTACKS: _number(*v.LIMITS["attacks"]),
        MORALE: _number(*v.LIMITS["morale"]),
        GENDER: _word(_GENDERS),
        ALIGNMENT: _word(_ALIGNMENTS),
        ARTICLE: _word(_ARTICLES),
        DAMAGE: _read_damage,
        NAME: name_of(v.MAX_NAME),
    },
    needed=(NAME, HP),
    others=_OTHERS,
)
# Names of sides that imply an order.
_SIDE_ORDER = {
    **dict.fromkeys(("1", "group 1", "group1", "side 1", "side1", "first", "one", "a"), 0),
    **dict.fromkeys(("2", "group 2", "group2", "side 2", "side2", "second", "two", "b"), 1),
}


def read_roster(data: bytes) -> Roster:
    """Parse a roster's CSV file; TableError with what is wrong.

    Only name and hp are required; the rest has the rules' defaults. The six abilities may be scores or modifiers. A
    file has at most two sides; fighters without one are on the side "1".
    """
    sheet = _COLUMNS.of(read_table(data))
    rows = sheet.records()
    sides: dict[str, list[Record]] = {}
    for row in rows:
        sides.setdefault(name_key(_side(row)), []).append(row)
    if not rows:
        sheet.faults.add(Fault(None, None, "The roster is empty: below the header, give each fighter a row."))
    names = {key: _side(group[0]) for key, group in sides.items()}
    allowed = [*names][:2]
    for key in allowed:
        if (size := len(sides[key])) > v.MAX_GROUP:
            told = f"There are {size:,} on side {quote(names[key])}; at most {v.MAX_GROUP} fight."
            sheet.faults.add(Fault(None, None, told))
    sheet.faults.extend(sheet.table.overlong())
    critters = {row: _read_critter(row) for row in rows}
    for row, first in namesakes(rows, NAME):
        already = f"{quote(row.text(NAME))} is in row {first.row.number} already"
        row.add_fault(NAME, f"{already}: give each fighter a different name.")
    for row in rows:
        row.read(SIDE, name_of(v.MAX_NAME, "The side's name"))
        if name_key(_side(row)) not in allowed:
            two = " and ".join(quote(names[key]) for key in allowed)
            row.add_fault(SIDE, f"This is a third side; there are {two} already.")
    sheet.check()
    ordered = sorted(sides, key=_SIDE_ORDER.__getitem__) if sides.keys() <= _SIDE_ORDER.keys() else sides
    return Roster(
        sides=tuple(
            RosterSide(name=names[key], critters=tuple(filter(None, map(critters.get, sides[key])))) for key in ordered
        )
    )


def _read_critter(row: Record) -> v.Critter | None:
    """Return the critter of a row, or None if anything is wrong."""
    values = row.values()
    for column, told in ((NAME, "The name is missing."), (HP, "The hit points are missing.")):
        if column in row.sheet.at and not row.text(column):
            row.add_fault(column, told)
    for short, ability in v.MODIFIERS.items():
        score, given = values.get(ability), values.get(short)
        if isinstance(score, int):
            if isinstance(given, int) and v.modifier(score) != given:
                row.add_fault(short, f"A {ability} of {score} gives {v.modifier(score):+d}, not {given:+d}.")
            values[short] = v.modifier(score)
    if not row.right or not {NAME, HP} <= values.keys():
        return None
    scores = {ability: values.pop(ability) for ability in ABILITIES if ability in values}
    if len(scores) == len(ABILITIES):
        values["abilities"] = scores
    values.pop(SIDE, None)
    fields = {_FIELDS.get(column, column): value for column, value in values.items()}
    return v.Critter.model_validate({**fields, NAME: v.fighter_name(row.text(NAME))})


def _side(row: Record) -> str:
    return row.text(SIDE) or "1"


def write_roster(roster: Roster) -> bytes:
    """Return a CSV file with all columns; abilities are scores if known, else modifiers."""
    return write_table(COLUMNS, (_cells(side, critter) for side in roster.sides for critter in side.critters))


def _cells(side: RosterSide, critter: v.Critter) -> list[Cell]:
    values = critter.model_dump(mode="json") | {
        SIDE: side.name,
        ARTICLE: "" if critter.proper else "the",
        ARMOR_CLASS: critter.armour_class,
    }
    if (scores := values["abilities"]) is not None:
        values |= scores | dict.fromkeys(v.MODIFIERS, "")
    return [values.get(column, "") for column in COLUMNS]


def example() -> bytes:
    """Return a file that shows the columns."""
    return shipped_table("sim.duel", "example.csv")


MAX_NAMES = 60
"""Characters of a group's name on a page."""


def group_name(group: Sequence[v.Critter], room: int) -> str:
    """Return the names of a group in at most `room` characters, or its first one's and how many more there are."""
    names = company_text([critter.name for critter in group])
    if names is None:
        counts = Counter(critter.name for critter in group)
        names = listed([name if count == 1 else f"{count} x {name}" for name, count in counts.items()])
    return names if len(names) <= room or len(group) == 1 else f"{group[0].name} and {len(group) - 1:,} more"
