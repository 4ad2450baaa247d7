"""Seasons are quarters of a year, in UTC: the same everywhere, and nobody has to begin or end them."""

import re
from calendar import timegm
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from discord import app_commands

from bot.client import Interaction
from bot.stats.repository import Span
from bot.ui.options import choices_with
from sim.core.errors import RuleError

ALL_TIME = "all"
MAX_SEASON = 20
"""Characters of a season as it is typed."""

_OFFERED = 8
_MONTHS = 3
_SHAPE = re.compile(r"q([1-4])\s*([0-9]{4})|([0-9]{4})[\s-]*q([1-4])", re.IGNORECASE | re.ASCII)
_YEARS = range(2015, 2100)


@dataclass(frozen=True, slots=True, order=True)
class Season:
    """A quarter, 1 to 4, of a year."""

    year: int
    quarter: int

    @classmethod
    def at(cls, now: float) -> "Season":
        """Return the season of a moment in Unix seconds."""
        day = datetime.fromtimestamp(now, UTC)
        return cls(day.year, (day.month - 1) // _MONTHS + 1)

    @property
    def start(self) -> int:
        """The first moment, in Unix seconds."""
        return timegm((self.year, _MONTHS * (self.quarter - 1) + 1, 1, 0, 0, 0))

    def later(self, seasons: int) -> "Season":
        """Return the season that many seasons later."""
        year, quarter = divmod(4 * self.year + self.quarter - 1 + seasons, 4)
        return Season(year, quarter + 1)

    def span(self, guild_id: int | None) -> Span:
        """Return the battles that ended in the season."""
        return Span(guild_id, self.start, self.later(1).start)

    def __str__(self) -> str:
        return f"Q{self.quarter} {self.year}"


def span_of(typed: str | None, guild_id: int | None, now: float, *, default: Season | None) -> tuple[Span, str]:
    """Return the span of a season as typed, and its name; `default`: the season if nothing is, None for all time.

    RuleError for what is no season.
    """
    season = default
    if typed is not None:
        season = None if typed.strip().casefold() in {ALL_TIME, "all time"} else _read(typed, now)
    return (Span(guild_id), "all time") if season is None else (season.span(guild_id), str(season))


def _read(typed: str, now: float) -> Season:
    if found := _SHAPE.fullmatch(typed.strip()):
        quarter, year, other_year, other_quarter = found.groups()
        season = Season(int(year or other_year), int(quarter or other_quarter))
        if season.year in _YEARS:
            return season
    raise RuleError(f"Seasons are quarters of a year, such as {Season.at(now)}; or write all.")


async def latest_seasons(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer the latest seasons, and all time."""
    now = Season.at(interaction.client.clock())
    return choices_with([*(str(now.later(-ago)) for ago in range(_OFFERED)), ALL_TIME], typed)
