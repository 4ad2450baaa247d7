"""The bot's own duellists, for players who find nobody else: three characters, always the same."""

from collections.abc import Mapping

from sim.core.dice import SeededDice
from sim.duel.critter import Critter, Gender, roll_critter

OPPONENTS: Mapping[str, tuple[str, Gender, str]] = {
    "strong": ("Gunnvor", Gender.SHE, "opponent 1369"),
    "quick": ("Kari", Gender.HE, "opponent 1093"),
    "tough": ("Old Bersi", Gender.HE, "opponent 1810"),
}
"""Each by a word: the name, the gender, and what seeds the dice of the rest."""


def opponent(word: str) -> Critter:
    """Return the duellist of a word."""
    name, gender, seed = OPPONENTS[word]
    return roll_critter(SeededDice(seed.encode()), name=name, gender=gender)
