"""Ready decks for people who have none yet.

Each deals 1,000 to 2,000 to a boss without an element that resists nothing.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StarterDeck:
    """A ready deck: what it is called, what it is like in one line, and its text.

    `key` is stored in forms, and never changes.
    """

    key: str
    name: str
    line: str
    text: str


STARTER_DECKS: tuple[StarterDeck, ...] = (
    StarterDeck(
        "knight",
        "Earth Knight",
        "Hard sword, thick mail. Hits well and stands long.",
        "hero: Warrior, Sword, V @Earth; defense: Chain Mail, Iron, Common",
    ),
    StarterDeck(
        "mage",
        "Fire Mage",
        "All magic in a thin robe. Burns Air bosses, fears Water.",
        "hero: Mage, Potion, Novice @Fire; spell: Force, Potential, II, Uncommon @Fire",
    ),
    StarterDeck(
        "assassin",
        "Lightning Assassin",
        "Quick blades, hardly ever hit by weapons. Fears magic.",
        "hero: Assassin, Elixir, X, Beginner @Lightning; attack: Wood, Dagger, Uncommon",
    ),
    StarterDeck(
        "monk",
        "Water Monk",
        "Hits softly and outlasts everybody. Puts out Fire bosses.",
        "hero: Monk, Ether, Master @Water; buff: Nectar, Potent, II @Water",
    ),
    StarterDeck(
        "marksman",
        "Air Marksman",
        "Arrows that pierce armor and wards. Best against Lightning.",
        "hero: Marksman, Ether, V, Advanced @Air; attack: Iron, Sword, Very Good, Uncommon",
    ),
    StarterDeck(
        "fairy",
        "Fairy",
        "A bit of everything, glitter included.",
        "hero: Fairy, Elixir, IV @Lightning; buff: Ether, Uncommon",
    ),
)


def starter_deck(key: str) -> StarterDeck | None:
    """Return the starter deck with that key; None if there is none."""
    return next((deck for deck in STARTER_DECKS if deck.key == key), None)
