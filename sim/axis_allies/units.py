"""The unit types of all editions of Axis & Allies and players' words for them.

What a unit can do depends on the edition: see `editions`. Source: .docs/rules/axis_allies.md, "Units" and
"Words".
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property

from sim.core.names import nearest


class Category(StrEnum):
    """Where a unit fights."""

    LAND = "land"
    AIR = "air"
    NAVAL = "naval"


class Unit(StrEnum):
    """A unit type; its value is its singular name. The order is that of the page's table."""

    INFANTRY = "infantry"
    MECH = "mechanized infantry"
    ARTILLERY = "artillery"
    TANK = "tank"
    GUN = "antiaircraft gun"
    FIGHTER = "fighter"
    TACTICAL = "tactical bomber"
    BOMBER = "bomber"
    SUBMARINE = "submarine"
    DESTROYER = "destroyer"
    CRUISER = "cruiser"
    CARRIER = "aircraft carrier"
    BATTLESHIP = "battleship"
    TRANSPORT = "transport"

    @property
    def plural(self) -> str:
        """The plural of the name."""
        return self.value if self.value.endswith(("infantry", "artillery")) else f"{self.value}s"

    @cached_property
    def category(self) -> Category:
        """Land, air or naval."""
        return _CATEGORIES.get(self, Category.NAVAL)

    def named(self, count: str) -> str:
        """Return the name in the number of a count as shown: "1" has the singular."""
        return self.value if count == "1" else self.plural


_CATEGORIES = {
    **dict.fromkeys((Unit.INFANTRY, Unit.MECH, Unit.ARTILLERY, Unit.TANK, Unit.GUN), Category.LAND),
    **dict.fromkeys((Unit.FIGHTER, Unit.TACTICAL, Unit.BOMBER), Category.AIR),
}

_SHORT_FORMS: dict[Unit, tuple[str, ...]] = {
    Unit.INFANTRY: ("i", "inf", "infantryman", "infantrymen", "infantery", "infanty"),
    Unit.MECH: (
        *("mech", "mec", "mi", "mech inf", "mechinf", "mech infantry", "mechanized", "mechanized inf", "mechanised"),
        *("mechanised infantry", "half-track", "halftrack", "mot inf", "motorized infantry"),
    ),
    Unit.ARTILLERY: ("a", "art", "arty", "artilery", "artillary"),
    Unit.TANK: ("t", "tnk", "tk", "arm", "armor", "armour"),
    Unit.GUN: (
        *("aa", "aaa", "aag", "aagun", "aa gun", "flak", "anti-aircraft", "anti-aircraft gun"),
        *("anti-aircraft artillery", "antiaircraft", "antiaircraft artillery", "anti-air", "anti-air gun"),
    ),
    Unit.FIGHTER: ("f", "ftr", "fig", "fgt", "fgtr", "frt", "fightr", "figther"),
    Unit.TACTICAL: ("tac", "tb", "tact", "tac bomber", "tactical", "dive bomber"),
    Unit.BOMBER: ("b", "bmr", "bom", "bmb", "bmbr", "strat", "strat bomber", "strategic bomber", "sbomber"),
    Unit.SUBMARINE: ("s", "sub", "ss"),
    Unit.DESTROYER: ("d", "dst", "dd", "des", "dest", "dstr"),
    Unit.CRUISER: ("cru", "ca", "cl", "crs", "heavy cruiser", "light cruiser"),
    Unit.CARRIER: ("carrier", "c", "car", "cv", "ac", "acc", "carr"),
    Unit.BATTLESHIP: ("bt", "btl", "bb", "bs", "bat", "batt", "battle ship", "bship", "btlship"),
    Unit.TRANSPORT: ("tr", "trn", "tra", "tran", "trans", "trns", "tp"),
}

_OTHER_NAMES: dict[Unit, tuple[str, ...]] = {
    Unit.INFANTRY: ("man", "men", "guy", "troop", "soldier", "\U0001fa96", "infanterie", "soldat", "soldaten"),
    Unit.MECH: ("motorisierte infanterie", "mechanisierte infanterie", "infanterie m\u00e9canis\u00e9e"),
    Unit.ARTILLERY: ("rtl", "cannon", "howitzer", "artillerie", "canon"),
    Unit.TANK: ("panzer", "char", "blind\u00e9"),
    Unit.GUN: ("dca",),
    Unit.FIGHTER: ("plane", "fighter plane", "j\u00e4ger", "chasseur", "avion"),
    Unit.TACTICAL: ("taktischer bomber", "taktische bomber", "bombardier tactique"),
    Unit.BOMBER: ("sb", "bombardier"),
    Unit.SUBMARINE: ("u-boat", "uboat", "u-boot", "u-boote", "uboot", "uboote", "sous-marin"),
    Unit.DESTROYER: ("zerst\u00f6rer",),
    Unit.CRUISER: ("kreuzer", "croiseur"),
    Unit.CARRIER: ("flattop", "flugzeugtr\u00e4ger", "tr\u00e4ger", "porte-avion"),
    Unit.BATTLESHIP: ("schlachtschiff", "schlachtschiffe", "cuirass\u00e9"),
    Unit.TRANSPORT: ("tt", "ap", "tranny", "transporter", "transportschiff", "transportschiffe"),
}
"""Slang, German and French."""


def _forms(names: Iterable[str]) -> set[str]:
    """Return names with their plurals."""
    forms = set(names)
    forms |= {f"{form[:-1]}ies" for form in forms if len(form) > 1 and form.endswith("y")}
    # A single letter gets no plural: "ts" helps nobody, and "ss" is a submarine.
    return forms | {f"{form}s" for form in forms if len(form) > 1 and not form.endswith("s")}


def forms_of(unit: Unit) -> list[str]:
    """Return every accepted name of a unit in an order that decides between equally similar words."""
    return sorted(_forms((unit.value, unit.plural, *_SHORT_FORMS[unit], *_OTHER_NAMES[unit])))


WORDS: dict[str, Unit] = {form: unit for unit in Unit for form in forms_of(unit)}
"""Every accepted name in lower case, of one word or more, and its unit."""

UNUSUAL: frozenset[str] = frozenset().union(*map(_forms, _OTHER_NAMES.values()))
"""Those of `WORDS` that are slang or foreign."""

_MIN_LETTERS = 4
"""Minimum length of a word to compare with: abbreviations resemble anything."""

_NAMES = {
    known: unit.plural if known.endswith("s") else unit.value
    for known, unit in WORDS.items()
    if len(known) >= _MIN_LETTERS
}


def nearest_name(word: str) -> str | None:
    """Return the unit's name, singular or plural, that `word` most resembles; None if nothing is similar."""
    least = 55.0 if len(word) <= _MIN_LETTERS else 70.0  # of a short word, one wrong letter is much
    return nearest(word[:40].casefold(), _NAMES, least=least)  # no name is as long
