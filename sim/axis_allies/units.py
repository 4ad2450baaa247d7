"""The nine unit types of Axis & Allies 1941 and players' words for them.

Source of the figures: the rules page of Axis & Allies 1941, section "Units".
"""

from dataclasses import dataclass
from enum import StrEnum

from sim.core.names import nearest
from sim.core.values import Side


class Category(StrEnum):
    """Where a unit fights."""

    LAND = "land"
    AIR = "air"
    NAVAL = "naval"


@dataclass(frozen=True, slots=True)
class Stats:
    """A unit type in the rules: scores of 0 to 6 on a die, cost in IPC, hits it absorbs before it is lost."""

    plural: str
    category: Category
    attack: int
    defence: int
    cost: int
    lives: int
    words: tuple[str, ...]


class Unit(StrEnum):
    """A unit type; its value is its singular name."""

    INFANTRY = "infantry"
    TANK = "tank"
    FIGHTER = "fighter"
    BOMBER = "bomber"
    SUBMARINE = "submarine"
    DESTROYER = "destroyer"
    CARRIER = "aircraft carrier"
    BATTLESHIP = "battleship"
    TRANSPORT = "transport"

    @property
    def stats(self) -> Stats:
        """The unit's row of the table."""
        return STATS[self]

    @property
    def category(self) -> Category:
        """Land, air or naval."""
        return STATS[self].category

    @property
    def cost(self) -> int:
        """Price in IPC."""
        return STATS[self].cost

    @property
    def lives(self) -> int:
        """Hits absorbed before it is lost."""
        return STATS[self].lives

    def score(self, side: Side) -> int:
        """Return the highest die that hits when fighting on `side`; 0 never hits."""
        return STATS[self].attack if side is Side.ATTACKER else STATS[self].defence

    def can_hit(self, target: "Unit", *, own_destroyer: bool) -> bool:
        """Return whether a hit of this unit may take `target`.

        Submarines never hit air; air hits submarines only with a destroyer in its own army (`own_destroyer`).
        """
        if self is Unit.SUBMARINE:
            return target.category is not Category.AIR
        if self.category is Category.AIR and target is Unit.SUBMARINE:
            return own_destroyer
        return True


STATS: dict[Unit, Stats] = {
    #                      plural               category       att def cost lives  short forms
    Unit.INFANTRY: Stats("infantry", Category.LAND, 1, 2, 3, 0, ("i", "inf", "infantryman", "infantrymen")),
    Unit.TANK: Stats("tanks", Category.LAND, 3, 3, 6, 0, ("t", "tnk", "tk", "armor", "armour")),
    Unit.FIGHTER: Stats("fighters", Category.AIR, 3, 4, 10, 0, ("f", "ftr", "fig", "fgt")),
    Unit.BOMBER: Stats("bombers", Category.AIR, 4, 1, 12, 0, ("b", "bmr", "bom", "bmb")),
    Unit.SUBMARINE: Stats("submarines", Category.NAVAL, 2, 1, 6, 0, ("s", "sub", "ss")),
    Unit.DESTROYER: Stats("destroyers", Category.NAVAL, 2, 2, 8, 0, ("d", "dst", "dd", "des", "dest")),
    Unit.CARRIER: Stats("aircraft carriers", Category.NAVAL, 1, 2, 12, 0, ("carrier", "c", "car", "cv", "ac")),
    Unit.BATTLESHIP: Stats("battleships", Category.NAVAL, 4, 4, 16, 1, ("bt", "btl", "bb", "bs", "battle ship")),
    Unit.TRANSPORT: Stats("transports", Category.NAVAL, 0, 0, 7, 0, ("tr", "trn", "trans", "tp")),
}


def _vocabulary() -> dict[str, Unit]:
    words: dict[str, Unit] = {}
    for unit in Unit:
        forms = {unit.value, unit.stats.plural, *unit.stats.words}
        forms |= {f"{form[:-1]}ies" for form in forms if len(form) > 1 and form.endswith("y")}
        # A single letter gets no plural: "ts" helps nobody, and "ss" is a submarine.
        forms |= {f"{form}s" for form in forms if len(form) > 1 and not form.endswith("s")}
        for form in sorted(forms):  # the order decides between equally similar words
            if words.setdefault(form, unit) is not unit:
                raise ValueError(f"two units claim the word {form!r}")
    return words


WORDS: dict[str, Unit] = _vocabulary()
"""Every accepted word in lower case, of one part or two with a blank between, and its unit."""

_MIN_LIKENESS = 55.0
"""Minimum likeness (0 to 100) of a suggestion."""

_MIN_LETTERS = 4
"""Minimum length of a word to compare with: abbreviations resemble anything."""


def nearest_name(word: str) -> str | None:
    """Return the unit's name, singular or plural, that `word` most resembles; None if nothing is similar."""
    names = {
        known: unit.stats.plural if known.endswith("s") else unit.value
        for known, unit in WORDS.items()
        if len(known) >= _MIN_LETTERS
    }
    return nearest(word.casefold(), names, least=_MIN_LIKENESS)
