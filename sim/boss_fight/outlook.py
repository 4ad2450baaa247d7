"""What comes of exchange after exchange: one deck against one boss, or against many."""

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.boss_fight.exact import readable
from sim.boss_fight.exchange import Damage, ExchangeReport, exchange, score
from sim.boss_fight.values import Boss, Deck
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.request import Request

MAX_BOSSES = 100
"""Bosses that one deck is tried against at once."""

MOST_COUNTED = 10**15
"""Exchanges beyond which only `about` tells how many."""

_SECONDS_PER_TRAIT = 1e-5


class End(StrEnum):
    """How a fight of one deck against one boss ends."""

    VICTORY = "the boss falls"
    BOTH = "both fall at once, and the player wins"
    DEFEAT = "the player falls"
    STALEMATE = "neither side can hurt the other"
    UNFIT = "a deck without health can't fight"


class Outlook(Frozen):
    """How such a fight goes on to its end.

    `exchanges`: after how many it ends; None where there is no end, and for numbers beyond counting. `about`: the same
    for a reader, "" where there is no end.
    """

    end: End
    exchanges: Annotated[int, Field(ge=0)] | None
    about: str


def outlook(boss_health: int, player_health: int, to_boss: Fraction, to_player: Fraction) -> Outlook:
    """Return how the fight ends when every exchange deals the same damage, as it does."""
    if player_health <= 0:
        return Outlook(end=End.UNFIT, exchanges=0, about="0")
    boss_falls, player_falls = _needed(boss_health, to_boss), _needed(player_health, to_player)
    if boss_falls is None and player_falls is None:
        return Outlook(end=End.STALEMATE, exchanges=None, about="")
    if player_falls is None or (boss_falls is not None and boss_falls <= player_falls):
        end, count = End.VICTORY if boss_falls != player_falls else End.BOTH, boss_falls
    else:
        end, count = End.DEFEAT, player_falls
    many = count is None or count > MOST_COUNTED
    return Outlook(end=end, exchanges=None if many else count, about=_counted(count or 0))


def _needed(health: int, damage: Fraction) -> int | None:
    """Return after how many hits of `damage` nothing is left of `health`; None for never."""
    return -(-health * damage.denominator // damage.numerator) if damage else None


def _counted(count: int) -> str:
    return readable(Fraction(count)) if count > MOST_COUNTED else f"{count:,}"


class WhatIfReport(Frozen):
    """A single exchange, and how the fight would go on."""

    exchange: ExchangeReport
    outlook: Outlook


class WhatIfRequest(Request):
    """One deck against one boss; the job that answers it."""

    boss: Boss
    deck: Deck

    @override
    def cost(self) -> float:
        return 0.02 + _SECONDS_PER_TRAIT * self.deck.size

    def run(self) -> WhatIfReport:
        """Work it out."""
        report = exchange(self.boss, self.deck)
        return WhatIfReport.model_construct(exchange=report, outlook=_outlook(report))


class BossRow(Frozen):
    """What one boss and the deck do to each other."""

    boss: Boss
    player_health: int
    to_boss: Damage
    to_player: Damage
    outlook: Outlook

    @property
    def boss_left(self) -> Fraction:
        """The boss's health after one exchange."""
        return self.boss.health - self.to_boss.total

    @property
    def player_left(self) -> Fraction:
        """The player's health after one exchange."""
        return self.player_health - self.to_player.total

    @property
    def score(self) -> Fraction:
        """The score of that exchange."""
        return score(self.boss_left, self.player_left)


class EveryBossReport(Frozen):
    """The bosses, in the order of the question."""

    rows: tuple[BossRow, ...]


class EveryBossRequest(Request):
    """One deck against every boss of a list; the job that answers it. RuleError for more than `MAX_BOSSES`."""

    bosses: Annotated[tuple[Boss, ...], Field(min_length=1)]
    deck: Deck

    @override
    def cost(self) -> float:
        if len(self.bosses) > MAX_BOSSES:
            raise RuleError(f"A deck is tried against at most {MAX_BOSSES} bosses; here are {len(self.bosses):,}.")
        return 0.02 + _SECONDS_PER_TRAIT * self.deck.size * len(self.bosses)

    def run(self) -> EveryBossReport:
        """Work it out."""
        self.cost()
        return EveryBossReport(rows=tuple(_rows(self.bosses, self.deck)))


def _rows(bosses: Sequence[Boss], deck: Deck) -> list[BossRow]:
    reports = [exchange(boss, deck) for boss in bosses]
    return [
        BossRow(
            boss=report.boss,
            player_health=report.player_health,
            to_boss=report.to_boss,
            to_player=report.to_player,
            outlook=_outlook(report),
        )
        for report in reports
    ]


def _outlook(report: ExchangeReport) -> Outlook:
    return outlook(report.boss.health, report.player_health, report.to_boss.total, report.to_player.total)
