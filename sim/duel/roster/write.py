"""A roster as a file that reads back as the same roster; and one to begin with."""

from collections.abc import Iterator

from sim.core.table import Cell, write_table
from sim.duel.critter import MODIFIERS, Alignment, Critter
from sim.duel.damage import Damage
from sim.duel.names import Gender
from sim.duel.roster.columns import COLUMNS
from sim.duel.roster.values import Roster, RosterSide


def write_roster(roster: Roster) -> bytes:
    """Return a CSV file with every column; abilities as scores where they are known, else as modifiers."""
    return write_table(COLUMNS, (tuple(_cells(side, critter)) for side in roster.sides for critter in side.critters))


def _cells(side: RosterSide, critter: Critter) -> Iterator[Cell]:
    yield from (critter.name, side.name, critter.hp)
    scores = critter.abilities
    for ability in MODIFIERS.values():
        yield "" if scores is None else int(getattr(scores, ability))
    for short in MODIFIERS:
        yield int(getattr(critter, short)) if scores is None else ""
    yield from (critter.armour_class, critter.to_hit, str(critter.damage), critter.attacks)
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
                Critter(name="ghoul", hp=9, proper=False, alignment=Alignment.CHAOTIC, armour_class=6, attacks=2),
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
"""A fight to learn the columns from."""


def example() -> bytes:
    """Return the example's file."""
    return write_roster(EXAMPLE)
