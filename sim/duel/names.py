"""Names for characters of every gender, and what a name may look like."""

import unicodedata
from collections.abc import Mapping
from enum import StrEnum

from sim.core.errors import RuleError
from sim.core.names import check_name

MAX_NAME = 40
"""Characters of a name."""


class Gender(StrEnum):
    """The pronoun that a critter goes by."""

    HE = "he"
    SHE = "she"
    IT = "it"


def fighter_name(name: str) -> str:
    """Return a name in its composed form, without blanks around it; RuleError for one that can't be shown as it is."""
    composed = unicodedata.normalize("NFC", name.strip())
    wrong = check_name(composed, MAX_NAME)
    if wrong is not None:
        raise RuleError(f"A fighter's name {wrong}.")
    return composed


NAMES: Mapping[Gender, tuple[str, ...]] = {
    Gender.HE: (
        *("Aldrek", "Arnulf", "Askel", "Bárðr", "Berengar", "Bjarki", "Borran", "Brandt", "Brogar", "Cadoc"),
        *("Corvin", "Dagmund", "Drustan", "Durgan", "Eirik", "Erland", "Fenrik", "Finnbarr", "Frodi", "Garrick"),
        *("Gorm", "Grettir", "Gudbrand", "Hákon", "Haldan", "Hemming", "Holger", "Hrothmund", "Ingvar", "Ivar"),
        *("Jorund", "Kaldor", "Kellan", "Ketil", "Korgan", "Leif", "Lothar", "Magnus", "Modi", "Njal"),
        *("Oddvar", "Orm", "Osric", "Radomir", "Ragnvald", "Rorik", "Rurik", "Sigmund", "Skarde", "Snorri"),
        *("Starkad", "Stígandr", "Svein", "Tarkan", "Thrain", "Toki", "Torvald", "Uthgar", "Vidar", "Wulfric"),
    ),
    Gender.SHE: (
        *("Alfhild", "Asa", "Aud", "Bera", "Bergljót", "Bodil", "Brenna", "Bryndis", "Cerys", "Dagny"),
        *("Dalla", "Disa", "Drifa", "Edda", "Eirny", "Elska", "Embla", "Freydis", "Frida", "Geira"),
        *("Gerda", "Grima", "Groa", "Gudrun", "Gunnhild", "Gyda", "Halla", "Hallgerd", "Hedda", "Helga"),
        *("Hervor", "Hilda", "Hjördis", "Idunn", "Inga", "Jófríðr", "Jorunn", "Kara", "Katla", "Lagertha"),
        *("Liv", "Magnhild", "Marit", "Nanna", "Oddny", "Ragna", "Ragnhild", "Rannveig", "Runa", "Sæunn"),
        *("Sigrun", "Skadi", "Solveig", "Svala", "Thora", "Thyra", "Torunn", "Ulfhild", "Vigdis", "Yrsa"),
    ),
    Gender.IT: (
        *("Ashmaw", "Barrow-King", "Blackfrost", "Bonechime", "Brine", "Cinder", "Claw-of-Dusk", "Coldiron"),
        *("Croak", "Dirge", "Dreadhoof", "Ember", "Fang", "Flint", "Frostbite", "Gale", "Gloam", "Gnash"),
        *("Grimtusk", "Gristle", "Hailstorm", "Hollow", "Howl", "Hush", "Icemaw", "Ironhide", "Jagged Edge"),
        *("Keening", "Knell", "Lodestone", "Longshadow", "Maelstrom", "Mire", "Murk", "Nettle", "Nightfall"),
        *("Old Splinter", "Omen", "Quarry", "Rattle", "Razorback", "Rime", "Rubble", "Rustmaw", "Shatter"),
        *("Shiver", "Skitter", "Slag", "Sleet", "Snarl", "Stonejaw", "Tallow", "Thistle", "Thornback", "Tremor"),
        *("Umber", "Vesper", "Whisper", "Winter's Tooth", "Wraithbone"),
    ),
}
"""Names by gender; no name stands twice."""
