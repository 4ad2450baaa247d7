"""The bot as an opponent: the characters that it plays."""

import secrets
from dataclasses import dataclass

from bot.store.battle import Place


@dataclass(frozen=True, slots=True)
class Character:
    """Somebody the bot plays as: a name with a word for how they play.

    `nerve`: the least chance to win with which they fight on where the rules let them leave. `spares`: the HP at which
    they take out a fighter whom others fall with, or with `everybody` any fighter.
    """

    name: str
    word: str
    emoji: str
    nerve: float = 0.0
    spares: int = 0
    everybody: bool = False


CHARACTERS = {
    "brakk": Character("Brakk", "bold", "🐗"),
    "vesper": Character("Vesper", "cunning", "🦊", nerve=0.15, spares=1),
    "moss": Character("Moss", "careful", "🐢", nerve=0.35, spares=1, everybody=True),
}
"""By the names that are stored. Brakk never leaves, Vesper leaves what is lost, Moss what looks bad."""


def any_character() -> str:
    """Draw one of the characters, and return its stored name."""
    return [*CHARACTERS][secrets.randbelow(len(CHARACTERS))]


def bot_name(place: Place) -> str:
    """Return the name of the bot in a seat."""
    found = CHARACTERS.get(place.character or "")
    return "the bot" if found is None else found.name
