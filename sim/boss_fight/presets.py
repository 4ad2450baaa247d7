"""What everybody has: the game's own two bosses, a ladder of bosses for parties to climb, and ready decks.

They stand in `bosses.csv` and `decks.csv` beside this module. The ladder's bosses are made for three people with
starter decks. The first one falls to every party of three, the next ones to fewer and fewer, the last two only to decks
of one's own. No dice are rolled, so a test plays all of these fights.
"""

from dataclasses import dataclass

from sim.boss_fight.tables import read_bosses
from sim.boss_fight.values import Boss
from sim.core.names import name_key
from sim.csv.table import read_table, shipped_table

KNOWN_BOSSES: tuple[Boss, ...] = read_bosses(shipped_table("sim.boss_fight", "bosses.csv"))
"""The built-in bosses; the name and figures of two are on record (.docs/rules/boss_fight.md, "What fights")."""

LADDER = KNOWN_BOSSES[:-1]
"""The ladder, from the easiest to the hardest: all but the last."""


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


STARTER_DECKS = tuple(StarterDeck(*row.cells) for row in read_table(shipped_table("sim.boss_fight", "decks.csv")).rows)


def starter_deck(key: str) -> StarterDeck | None:
    """Return the starter deck with that key; None if there is none."""
    return next((deck for deck in STARTER_DECKS if deck.key == key), None)
