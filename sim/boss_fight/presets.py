"""What everybody has: the game's own two bosses, a ladder of bosses for parties to climb, and ready decks.

The ladder's bosses are made for three people with starter decks. The first one falls to every party of three, the next
ones to fewer and fewer, the last two only to decks of one's own. No dice are rolled, so a test plays all of these
fights.
"""

from dataclasses import dataclass

from sim.boss_fight.values import Boss, Element
from sim.core.names import name_key

_INU_DOGEMON = Boss(name="Inu Dogemon", level=1, health=1000, physical_damage=2000)
_AXIEOM_ASMODEUS = Boss(
    name="Axieom Asmodeus",
    level=4,
    element=Element.WATER,
    health=6500,
    physical_damage=3500,
    magical_damage=4500,
    physical_resistance=True,
    magical_penetration=True,
)

LADDER: tuple[Boss, ...] = (
    Boss(
        name="Mossback",
        level=1,
        health=10_000,
        physical_damage=1600,
        entry="Grrmbl. Five more minutes?",
        half="That tickled. Stop it.",
        fall="Fine. I was about to lie down anyway.",
    ),
    Boss(
        name="Tin Colossus",
        level=2,
        health=12_000,
        physical_damage=2400,
        physical_resistance=True,
        entry="INTRUDERS. PLEASE TAKE A NUMBER.",
        half="WARRANTY VOID.",
        fall="HAVE YOU TRIED TURNING ME OFF AND ON AG",
    ),
    Boss(
        name="Cinder Hound",
        level=3,
        element=Element.FIRE,
        health=12_000,
        physical_damage=800,
        magical_damage=900,
        entry="Who's a good boy? Wrong answer.",
        half="Bad human. Very bad human.",
        fall="Woof. Out.",
    ),
    _AXIEOM_ASMODEUS,
    Boss(
        name="Gale Wyrm",
        level=5,
        element=Element.AIR,
        health=14_000,
        physical_damage=3000,
        magical_damage=1200,
        magical_resistance=True,
        entry="You smell of dust. Allow me.",
        half="You cut my wind!",
        fall="And so I am but a breeze.",
    ),
    Boss(
        name="Thunder Regent",
        level=6,
        element=Element.LIGHTNING,
        health=40_000,
        physical_damage=4000,
        magical_damage=4000,
        physical_penetration=True,
        physical_resistance=True,
        entry="Kneel. Or be charged.",
        half="How shocking.",
        fall="The crown... is... grounded.",
    ),
    Boss(
        name="Hollow King",
        level=7,
        health=100_000,
        physical_damage=6000,
        magical_damage=6000,
        physical_penetration=True,
        physical_resistance=True,
        magical_penetration=True,
        magical_resistance=True,
        entry="I have buried better parties than yours.",
        half="There is nothing inside me to hurt.",
        fall="At last. Somebody hollower.",
    ),
)
"""The ladder, from the easiest to the hardest."""

KNOWN_BOSSES: tuple[Boss, ...] = (*LADDER, _INU_DOGEMON)
"""The built-in bosses; the name and figures of two are on record (.docs/rules/boss_fight.md, "What fights")."""


def known_boss(name: str) -> Boss | None:
    """Return the built-in boss of that name, ignoring case; None if there is none."""
    return next((boss for boss in KNOWN_BOSSES if name_key(boss.name) == name_key(name)), None)


def next_rung(boss: Boss) -> Boss | None:
    """Return the boss after this one on the ladder; None for the last, and for a boss that isn't on it."""
    return LADDER[at] if boss in LADDER and (at := LADDER.index(boss) + 1) < len(LADDER) else None


@dataclass(frozen=True, slots=True)
class StarterDeck:
    """A ready deck for people who have none yet: what it is called, what it is like in one line, and its text.

    It deals 1,000 to 2,000 to a boss without an element that resists nothing. `key` is stored in forms, and never
    changes.
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
