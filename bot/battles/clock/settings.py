"""Times as people type and read them, and a server's time zone and quiet hours: `/battle hours`."""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from discord import app_commands
from pydantic import ValidationError

from bot.battles.clock.timetable import MAX_QUIET, QuietHours, QuietRule
from bot.battles.permissions import is_referee
from bot.client import Interaction
from bot.store.battles.clocks import ServerHours, ServerHoursRepository
from bot.ui.options import text_choices
from sim.core.errors import RuleError
from sim.core.numbers import quantity

_UNITS = {"d": 24 * 60 * 60, "h": 60 * 60, "m": 60}
_WORDS = {"d": "day", "h": "hour", "m": "minute"}
_PART = re.compile(r"([0-9]{1,6})\s*(d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:utes?|s)?)?)\b[\s,]*", re.IGNORECASE)
_HOUR = re.compile(r"([0-9]{1,2})(?:[:.h]([0-9]{2}))?\s*(am|pm)?", re.IGNORECASE)
_HALF = 12
_NONE = frozenset({"", "0", "none", "no", "off", "never"})

MAX_TYPED = 40
"""Characters of a length of time as a player types it."""


def duration_text(seconds: int) -> str:
    """Return a time such as "1 day", "90 minutes" or "1 day 12 hours"; seconds are left out."""
    minutes = seconds // 60
    for unit, length in (("day", 24 * 60), ("hour", 60)):
        if minutes >= length and minutes % length == 0:
            return quantity(minutes // length, unit)
    if minutes < 2 * 60:
        return quantity(minutes, "minute")
    rest, parts = seconds, []
    for unit, length in _UNITS.items():
        if rest >= length:
            parts.append(quantity(rest // length, _WORDS[unit]))
            rest %= length
    return " ".join(parts)


def read_duration(text: str, name: str) -> int | None:
    """Return the seconds of a typed time such as "36 h" or "1 day 12 hours"; None for "none"; RuleError."""
    typed = text.strip().lower()
    if typed in _NONE:
        return None
    at = seconds = 0
    while at < len(typed):
        part = _PART.match(typed, at)
        if part is None:
            raise RuleError(f"{name}: type a time such as 24 h, 90 min or 2 days, or none.")
        seconds += int(part[1]) * _UNITS[part[2][0]]
        at = part.end()
    return seconds or None


def read_hour(text: str, name: str) -> int | None:
    """Return the minute of the day of a typed hour such as "20:00" or "8 pm"; None for "none"; RuleError."""
    typed = text.strip().lower()
    if typed in _NONE - {"0"}:
        return None
    found = _HOUR.fullmatch(typed)
    hour, minute = (int(found[1]), int(found[2] or 0)) if found is not None else (-1, 0)
    if found is not None and found[3]:
        hour = hour % _HALF + _HALF * (found[3] == "pm") if 1 <= hour <= _HALF else -1
    if not (0 <= hour < 24 and minute < 60):  # noqa: PLR2004  # a day's hours, an hour's minutes
        raise RuleError(f"{name}: type an hour such as 20:00 or 8 pm, or none.")
    return hour * 60 + minute


def clock_text(minute: int) -> str:
    """Return a minute of the day as "20:00"."""
    return f"{minute // 60:02}:{minute % 60:02}"


MAX_ZONE = 60
RULES = {
    QuietRule.SKIP: "Nights don't count",
    QuietRule.WAIT: "Nights count, but no turn ends at night",
}
"""What quiet hours do, for players."""

_COMMON = (
    *("Europe/London", "Europe/Berlin", "Europe/Paris", "Europe/Warsaw", "Europe/Helsinki", "America/New_York"),
    *("America/Chicago", "America/Denver", "America/Los_Angeles", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Tokyo"),
    *("Asia/Manila", "Australia/Sydney", "Pacific/Auckland", "UTC"),
)


@cache
def zones() -> tuple[str, ...]:
    """Return the names of all time zones that belong to a place, in order, and UTC."""
    named = (zone for zone in available_timezones() if "/" in zone and not zone.startswith(("Etc/", "SystemV/")))
    return (*sorted(named), "UTC")


async def zone_names(_interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Offer the zones that contain what was typed, the common ones if nothing was."""
    key = typed.strip().casefold().replace(" ", "_")
    return text_choices(_COMMON if not key else [zone for zone in zones() if key in zone.casefold()])


def read_zone(typed: str) -> str:
    """Return the time zone of that name; RuleError if there is none."""
    key = typed.strip().casefold().replace(" ", "_")
    found = next((zone for zone in zones() if key == zone.casefold()), None)
    if found is None:
        raise RuleError("There is no such time zone: choose one from the list, such as Europe/Berlin.")
    return found


def quiet_hours(hours: ServerHours) -> QuietHours | None:
    """Return a server's quiet hours, None if it has none."""
    if hours.quiet_from is None or hours.quiet_to is None:
        return None
    return QuietHours(start=hours.quiet_from, end=hours.quiet_to, rule=QuietRule(hours.quiet_rule))


async def set_hours(
    interaction: Interaction, zone: str | None, quiet_from: str | None, quiet_to: str | None, rule: str | None
) -> str:
    """Set what is given of a server's hours, and return them all as markdown.

    RuleError in direct messages, for a zone or hours that can't be, and for anybody but a referee who sets something.
    """
    guild_id = interaction.guild_id
    if guild_id is None:
        raise RuleError("Only a server has hours of its own; use this in one.")
    repository = interaction.client.services[ServerHoursRepository]
    hours = await repository.get(guild_id)
    if any(option is not None for option in (zone, quiet_from, quiet_to, rule)):
        if not is_referee(interaction):
            raise RuleError("Only somebody who may manage messages can set this server's hours.")
        hours = _changed(hours, zone, quiet_from, quiet_to, rule)
        await repository.put(guild_id, hours)
    return _text(hours, interaction.client.clock())


def _changed(
    hours: ServerHours, zone: str | None, quiet_from: str | None, quiet_to: str | None, rule: str | None
) -> ServerHours:
    start = hours.quiet_from if quiet_from is None else read_hour(quiet_from, "Quiet from")
    end = hours.quiet_to if quiet_to is None else read_hour(quiet_to, "Quiet to")
    if (quiet_from is not None and start is None) or (quiet_to is not None and end is None):
        start = end = None
    if (start is None) is not (end is None):
        raise RuleError("Quiet hours need both ends: give `quiet_from` and `quiet_to`, such as 23:00 and 8:00.")
    rules = {choice.value for choice in QuietRule}
    changed = ServerHours(
        zone=hours.zone if zone is None else read_zone(zone),
        quiet_from=start,
        quiet_to=end,
        quiet_rule=rule if rule in rules else hours.quiet_rule,
    )
    try:
        quiet_hours(changed)
    except ValidationError:
        raise RuleError(f"Quiet hours last from a minute to {MAX_QUIET // 60} hours.") from None
    return changed


def _text(hours: ServerHours, now: float) -> str:
    local = _local(hours.zone, now)
    lines = [f"### 🕗 This server's time: {hours.zone}, now {local}"]
    quiet = quiet_hours(hours)
    if quiet is None:
        lines.append("No quiet hours")
    else:
        lines.append(f"Quiet from **{clock_text(quiet.start)}** to **{clock_text(quiet.end)}**. {RULES[quiet.rule]}.")
        lines.append("-# New wars keep to them. `/battle clock` brings them to a battle that has begun.")
    return "\n".join(lines)


def _local(zone: str, now: float) -> str:
    return datetime.fromtimestamp(now, ZoneInfo(zone)).strftime("%H:%M")
