"""The weeks of challenges, on a server's own clock: from Monday's midnight to Sunday evening; and their seeds."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

_SUNDAY, _EVENING = 6, 20
"""The day after Monday, and the hour, at which a week's challenge ends."""


@dataclass(frozen=True, slots=True)
class Week:
    """A week by its Monday, in a time zone."""

    monday: date
    zone: str

    @classmethod
    def at(cls, now: float, zone: str) -> "Week":
        """Return the week of a moment in Unix seconds."""
        day = _day(now, zone)
        return cls(day - timedelta(days=day.weekday()), zone)

    @property
    def next(self) -> "Week":
        """The week after."""
        return Week(self.monday + timedelta(days=7), self.zone)

    @property
    def begins_at(self) -> int:
        """When its challenge opens, in Unix seconds."""
        return _instant(self.monday, self.zone)

    @property
    def ends_at(self) -> int:
        """When its challenge is over: nobody can open a try from then on."""
        return _instant(self.monday + timedelta(days=_SUNDAY), self.zone, _EVENING)

    @property
    def number(self) -> int:
        """How many weeks were before it, since the first one of the calendar."""
        return self.monday.toordinal() // 7

    def __str__(self) -> str:
        return self.monday.strftime("%G-W%V")


def week_title(week: str) -> str:
    """Return a stored week in words: "Week 48"."""
    return f"Week {int(week.rpartition('W')[2])}"


def day_of(now: float, zone: str, week: str) -> str:
    """Return the day of a moment, such as "2026-11-24"; the nearest one of a stored week that began in another zone."""
    monday = _monday(week)
    return min(max(_day(now, zone), monday), monday + timedelta(days=_SUNDAY)).isoformat()


def place_of(day: str, week: str) -> int:
    """Return the place of a day in a stored week: 0 for its Monday."""
    return (date.fromisoformat(day) - _monday(week)).days


def next_day(now: float, zone: str) -> int:
    """Return when the next day begins."""
    return _instant(_day(now, zone) + timedelta(days=1), zone)


def seed_of(week: Week, system: str, guild_id: int | None) -> bytes:
    """Return what a week's challenge is drawn from; `guild_id`: of the server alone, None for all that share it."""
    return hashlib.sha256(f"fracas weekly {week} {system} {guild_id or 'shared'}".encode()).digest()


def _monday(week: str) -> date:
    return datetime.strptime(f"{week}-1", "%G-W%V-%u").date()  # noqa: DTZ007  # a date alone


def _day(now: float, zone: str) -> date:
    return datetime.fromtimestamp(now, ZoneInfo(zone)).date()


def _instant(day: date, zone: str, hour: int = 0) -> int:
    return int(datetime(day.year, day.month, day.day, hour, tzinfo=ZoneInfo(zone)).astimezone(UTC).timestamp())
