"""A server's settings: its time zone and quiet hours, mentions, the dice and threads of its battles."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, available_timezones

import discord
from discord import app_commands
from pydantic import ValidationError

from bot.battles import timetable as t
from bot.battles.clocks import MAX_TYPED, clock_text, read_hour
from bot.battles.panel import is_referee
from bot.beacon import BeaconClient
from bot.client import Interaction
from bot.store.battles import ServerHours, ServerHoursRepository
from bot.ui.options import CompletedBy, Option, Options, text_choices
from sim.core import RuleError

MAX_ZONE = 60
RULES = {
    t.QuietRule.SKIP.value: "Nights don't count",
    t.QuietRule.WAIT.value: "Nights count, but no turn ends at night",
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


ZONE = CompletedBy(MAX_ZONE, zone_names)
TIME = app_commands.Range[str, 1, MAX_TYPED]
"""What options take: a time zone; a length of time or an hour."""

Switch = Literal["on", "off"] | None


def read_zone(typed: str) -> str:
    """Return the time zone of that name; RuleError if there is none."""
    key = typed.strip().casefold().replace(" ", "_")
    found = next((zone for zone in zones() if key == zone.casefold()), None)
    if found is None:
        raise RuleError("There is no such time zone: choose one from the list, such as Europe/Berlin.")
    return found


class ServerOptions(Options):
    """What is to be set of a server, as typed."""

    zone: Annotated[str | None, Option("The time zone of this server", ZONE)] = None
    quiet_from: Annotated[
        str | None, Option("When the quiet hours begin, such as 23:00 (none: no quiet hours)", TIME)
    ] = None
    quiet_to: Annotated[str | None, Option("When they end, such as 8:00", TIME)] = None
    nights: Annotated[str | None, Option("What quiet hours do to the time of a turn", choices=RULES)] = None
    beacon: Annotated[
        Switch, Option("Off: battles begin at once, but nobody can check that the host chose no dice")
    ] = None
    mentions: Annotated[Switch, Option("Off: only commands and menus are answered in this server")] = None
    threads: Annotated[
        Literal["never", "ask", "always"] | None,
        Option("Threads of new battles: never, ask (a button on each new panel), or always"),
    ] = None
    forum: Annotated[
        discord.ForumChannel | None,
        Option("Posts of this forum in place of threads (left empty while you set threads: threads)"),
    ] = None


async def set_server(interaction: Interaction, given: ServerOptions) -> str:
    """Set what is given of a server's settings, all of it or nothing, and return them all as markdown.

    RuleError in direct messages, for zones and hours that can't be, and for anyone but a referee who sets.
    """
    if interaction.guild_id is None:
        raise RuleError("Only a server has settings of its own; use this in one.")
    repository = interaction.client.services[ServerHoursRepository]
    found = await repository.get(interaction.guild_id)
    changes: dict[str, Any] = {} if given.threads is None else {"threads": given.threads}
    if given.threads is not None or given.forum is not None:
        changes["forum_id"] = None if given.forum is None else given.forum.id
    switches = {"beacon": given.beacon, "mentions": given.mentions}
    changes |= {name: wanted == "on" for name, wanted in switches.items() if wanted is not None}
    if given != ServerOptions():
        if not is_referee(interaction):
            raise RuleError("Only a mod can change this server's settings.")
        found = replace(_changed_hours(found, given), **changes)
        await repository.put(interaction.guild_id, found)
    where = "a thread of its channel" if found.forum_id is None else f"a post of <#{found.forum_id}>"
    dice = _BEACON[found.beacon] if interaction.client.services[BeaconClient].chain is not None else _NO_BEACON
    parts = (dice, _MENTIONS[found.mentions], THREADS[found.threads].format(where))
    return "\n".join([_hours_text(found, interaction.client.clock()), *parts])


_NO_BEACON = "🎲 This bot has no public beacon now: the dice of new battles follow from its secret seed alone."
_BEACON = {
    True: "🎲 New battles here are sealed: a public beacon has a part in their dice, which come some seconds later.",
    False: "🎲 New battles here have dice from the bot's secret seed alone: they begin at once.",
}
_MENTIONS = {
    True: "💬 Mention me with a battle, and I reply with its odds.",
    False: "💬 I don't reply to mentions here. Commands work as ever.",
}
THREADS = {
    "never": "🧵 New battles here are fought in the channel. With `thread:True` a battle gets {}.",
    "ask": "🧵 New battles here have a button that moves them into {}.",
    "always": "🧵 Each new battle here gets {}. With `thread:False` it is fought in the channel.",
}


def _changed_hours(hours: ServerHours, given: ServerOptions) -> ServerHours:
    start = hours.quiet_from if given.quiet_from is None else read_hour(given.quiet_from, "Quiet from")
    end = hours.quiet_to if given.quiet_to is None else read_hour(given.quiet_to, "Quiet to")
    if (given.quiet_from is not None and start is None) or (given.quiet_to is not None and end is None):
        start = end = None
    if (start is None) is not (end is None):
        raise RuleError("Quiet hours need both ends: give `quiet_from` and `quiet_to`, such as 23:00 and 8:00.")
    changed = replace(
        hours,
        zone=hours.zone if given.zone is None else read_zone(given.zone),
        quiet_from=start,
        quiet_to=end,
        quiet_rule=given.nights if given.nights in RULES else hours.quiet_rule,
    )
    try:
        t.QuietHours.of(changed)
    except ValidationError:
        raise RuleError(f"Quiet hours last from a minute to {t.MAX_QUIET // 60} hours.") from None
    return changed


def _hours_text(hours: ServerHours, now: float) -> str:
    local = datetime.fromtimestamp(now, ZoneInfo(hours.zone)).strftime("%H:%M")
    lines = [f"### 🕗 This server's time: {hours.zone}, now {local}"]
    quiet = t.QuietHours.of(hours)
    if quiet is None:
        lines.append("No quiet hours")
    else:
        lines.append(f"Quiet from **{clock_text(quiet.start)}** to **{clock_text(quiet.end)}**. {RULES[quiet.rule]}.")
        lines.append("-# New wars keep to them. `/battle clock` applies them to a battle that has begun.")
    return "\n".join(lines)
