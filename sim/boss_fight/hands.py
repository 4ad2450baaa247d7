"""Hands: what a boss attacks with, and which tokens are best to put up (.docs/rules/boss_fight.md, "Hands").

A set of a hand is a number whose bits are its tokens, the first one the lowest.
"""

from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import NamedTuple

from sim.boss_fight.exchange import Effect, token_rows
from sim.boss_fight.values import Boss, Deck, Token

HAND = 8
"""The tokens of a deck, from its first one on, that are its hand."""

MOST = 5
"""The most tokens to put up in one exchange."""

IDLE_ROUNDS = 3
"""Rounds without a scratch that are a stalemate."""

_QUARTERS = 4


class Attack(StrEnum):
    """What a boss attacks with in a round, in the order of the die's faces."""

    BLADE = "blade"
    SPELL = "spell"
    FURY = "fury"


ATTACKS = tuple(Attack)

_UNUSED: Mapping[Attack, Mapping[str, object]] = {
    Attack.BLADE: {"magical_damage": 0, "magical_penetration": False, "magical_resistance": False, "element": None},
    Attack.SPELL: {"physical_damage": 0, "physical_penetration": False, "physical_resistance": False},
    Attack.FURY: {},
}


def attacking(boss: Boss, attack: Attack) -> Boss:
    """Return the boss with the part of its figures that an attack uses."""
    return boss.model_copy(update={**_UNUSED[attack]})


def has_choice(boss: Boss) -> bool:
    """Return whether a die decides the boss's attacks: one with a single kind of damage knows Fury only."""
    return bool(boss.physical_damage and boss.magical_damage)


def hand_of(deck: Deck) -> Deck:
    """Return a deck's hand."""
    return deck if len(deck.tokens) <= HAND else Deck(tokens=deck.tokens[:HAND])


class HandSet(NamedTuple):
    """A set of a hand: the quarters of damage that it deals, and what its member takes in units of its table."""

    bits: int
    deals: int
    takes: int


class SetTable(NamedTuple):
    """All sets of 1 to `MOST` tokens of a hand against one attack: small ones first, then those with early tokens.

    `power`: what is taken is counted in units of 1/2^power, so that it is a whole number.
    """

    power: int
    sets: tuple[HandSet, ...]

    def best(self, rested: int, boss_left: Fraction, left: Fraction) -> int:
        """Return the set of `rested` tokens that deals the most beyond what it takes; 0 if there is none.

        Either damage counts up to the health left. Of equals the smallest, then the one with the earliest tokens.
        """
        unit = max(_QUARTERS, 1 << self.power, boss_left.denominator, left.denominator)  # all are powers of two
        dealt, taken = unit // _QUARTERS, unit >> self.power
        most_dealt, most_taken = int(boss_left * unit), int(left * unit)
        worth = (
            (min(deals * dealt, most_dealt) - min(takes * taken, most_taken), bits)
            for bits, deals, takes in self.sets
            if not bits & ~rested
        )
        return max(worth, key=itemgetter(0), default=(0, 0))[1]


@lru_cache(maxsize=128)
def set_table(boss: Boss, attack: Attack, tokens: tuple[Token, ...]) -> SetTable:
    """Return the sets of a hand against a boss's attack."""
    foe = attacking(boss, attack)
    rows = token_rows(foe, tokens)
    power = max(
        sum(row.physical_halves for row in rows),
        sum(row.magical_halves + max(0, -(row.doublings or 0)) for row in rows),
    )
    found = []
    for size in range(1, MOST + 1):
        for chosen in combinations(range(len(rows)), size):
            own = Effect.of([rows[at] for at in chosen])
            takes = foe.physical_damage << (power - own.physical_halves)
            if own.doublings is not None:
                takes += foe.magical_damage << (power - own.magical_halves + own.doublings)
            found.append(HandSet(sum(1 << at for at in chosen), own.physical_quarters + own.magical_quarters, takes))
    return SetTable(power, tuple(found))
