"""The bosses that everybody can fight: the game's own two, and a ladder for parties to climb.

The ladder's bosses are made for three people with starter decks. The first one falls to every party of three, the next
ones to fewer and fewer, the last two only to decks of one's own. No dice are rolled, so a test plays all of these
fights.
"""

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
