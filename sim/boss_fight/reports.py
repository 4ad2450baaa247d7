"""What the calculations of boss fights return: exact figures, no layout."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from sim.boss_fight.exact import Exact, power_of_two
from sim.boss_fight.values import Boss, Deck, Element, Name
from sim.core.values import Frozen


class Damage(Frozen):
    """Damage of one exchange, by kind."""

    physical: Exact
    magical: Exact

    @property
    def total(self) -> Fraction:
        """The sum of both kinds."""
        return self.physical + self.magical


class ElementModifiers(Frozen):
    """What a token's element does to magical damage; `distance` along the circle, None if either has no element."""

    distance: Annotated[int, Field(ge=0, le=4)] | None
    on_boss: Exact
    on_player: Exact


class TraitModifiers(Frozen):
    """What penetration and resistance do to the damage of one trait and of the boss: 1, or 1/2 where resisted."""

    boss_physical: Exact
    boss_magical: Exact
    player_physical: Exact
    player_magical: Exact


@dataclass(frozen=True, slots=True)
class TokenRow:
    """What one token does in an exchange.

    `element`: its element's modifiers. `traits`: the modifiers of each trait, in order. `physical_quarters`,
    `magical_quarters`: its damage to the boss, times 4. `physical_halves`, `magical_halves`: how often its traits halve
    damage to the player; `doublings`: how often its element doubles it (halves it, below 0), None if it makes it 0.
    """

    element: ElementModifiers
    traits: tuple[TraitModifiers, ...]
    physical_quarters: int
    magical_quarters: int
    physical_halves: int
    magical_halves: int
    doublings: int | None

    @property
    def to_boss(self) -> Damage:
        """Its damage to the boss."""
        return Damage(physical=Fraction(self.physical_quarters, 4), magical=Fraction(self.magical_quarters, 4))

    @property
    def stacked_physical(self) -> Fraction:
        """The product of its traits' modifiers of physical damage to the player."""
        return power_of_two(-self.physical_halves)

    @property
    def stacked_magical(self) -> Fraction:
        """The product of its traits' modifiers of magical damage to the player."""
        return power_of_two(-self.magical_halves)

    @property
    def stacked_element(self) -> Fraction:
        """The element's modifier, once for each trait."""
        return Fraction(0) if self.doublings is None else power_of_two(self.doublings)


class ExchangeReport(Frozen):
    """An exchange: `tokens` row by row in the deck's order, and the results of all of them together.

    The health that is left may be below 0.
    """

    boss: Boss
    deck: Deck
    tokens: tuple[TokenRow, ...]
    player_health: int
    to_boss: Damage
    to_player: Damage
    stacked_physical: Exact
    stacked_magical: Exact
    stacked_element: Exact

    @cached_property
    def boss_left(self) -> Fraction:
        """The boss's health after the exchange."""
        return self.boss.health - self.to_boss.total

    @cached_property
    def player_left(self) -> Fraction:
        """The player's health after the exchange."""
        return self.player_health - self.to_player.total

    @property
    def score(self) -> Fraction:
        """The score as the game counts it."""
        return score(self.boss_left, self.player_left)


def score(boss_left: Fraction, player_left: Fraction) -> Fraction:
    """Return the score of an exchange from the health that both have left.

    It is 0 unless the boss fell and the player's health didn't drop below 0; otherwise the excess damage plus the
    player's health.
    """
    return Fraction(0) if boss_left > 0 or player_left < 0 else player_left - boss_left


class AgainstElement(Frozen):
    """A deck against bosses of one element (None: without one) that neither pierce nor resist.

    `stacked_element`: the factor of magical damage to the player; `to_boss`: the deck's damage to the boss.
    """

    element: Element | None
    stacked_element: Exact
    to_boss: Damage


class DeckSheet(Frozen):
    """Totals of a deck, before any modifier, and its stacks.

    `stacked_physical`, `stacked_magical`: the factors of damage to the player from a boss that doesn't pierce; they are
    1 for a boss that does.
    """

    deck: Deck
    health: int
    physical_damage: int
    magical_damage: int
    stacked_physical: Exact
    stacked_magical: Exact
    elements: tuple[AgainstElement, ...]


class End(StrEnum):
    """How a fight of one deck against one boss ends."""

    VICTORY = "the boss falls"
    BOTH = "both fall at once, and the player wins"
    DEFEAT = "the player falls"
    STALEMATE = "neither side can hit the other"
    UNFIT = "a deck without health can't fight"


class Outlook(Frozen):
    """How a fight of one deck against one boss ends.

    `exchanges`: the number until the end; None if there is no end or the number is too large to be exact. `about`: the
    same as text, "" if there is no end.
    """

    end: End
    exchanges: Annotated[int, Field(ge=0)] | None
    about: str

    @property
    def sentence(self) -> str:
        """How a fight would end, and when, for players: "The boss falls after 3 exchanges"."""
        ending = f"{self.end[:1].upper()}{self.end[1:]}"
        if not self.about or self.end is End.UNFIT:
            return ending
        return f"{ending} after {self.about} {'exchange' if self.exchanges == 1 else 'exchanges'}"


class WhatIfReport(Frozen):
    """A single exchange, and how the fight would go on."""

    exchange: ExchangeReport
    outlook: Outlook


class BossRow(Frozen):
    """What one boss and the deck do to each other."""

    boss: Boss
    player_health: int
    to_boss: Damage
    to_player: Damage
    outlook: Outlook

    @property
    def score(self) -> Fraction:
        """The score of the exchange."""
        return score(self.boss.health - self.to_boss.total, self.player_health - self.to_player.total)


class EveryBossReport(Frozen):
    """The bosses, in the order of the request."""

    rows: tuple[BossRow, ...]

    @property
    def beaten(self) -> int:
        """How many of them the deck defeats."""
        return sum(row.outlook.end in {End.VICTORY, End.BOTH} for row in self.rows)


class BestTokensReport(Frozen):
    """The best choice: `chosen` are indexes into the set, in order; `exchange` is what they do.

    `branches`: how many the search visited, of `choices` ways to choose.
    """

    chosen: tuple[int, ...]
    exchange: ExchangeReport
    branches: int
    choices: int


class OrderEntry(Frozen):
    """A member in the best order, at the end of the fight: `at`, the index among the entrants.

    `stands`: whether the member survives. `health`: at the start; `left`: at the end, 0 or less once fallen. `dealt`:
    damage to the boss.
    """

    at: int
    name: Name
    stands: bool
    health: int
    left: Exact
    dealt: Exact


class BestOrderReport(Frozen):
    """The best order, and how the fight ends in it.

    `winner`: None for a stalemate; unless the party wins, every order is as good as the order of joining. `rounds`,
    `exchanges`: how long it takes; None if the numbers are too large. `standing`: the number of survivors.
    """

    order: tuple[OrderEntry, ...]
    winner: Literal["party", "boss"] | None
    rounds: int | None
    exchanges: int | None
    standing: int
