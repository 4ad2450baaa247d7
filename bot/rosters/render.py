"""Saved rosters as players read them."""

from collections.abc import Iterable, Sequence

from bot.store.rosters import Roster, Version
from bot.ui.text import LAYOUT_TEXT, plain, shorten, utf16_length
from sim.core.numbers import quantity

MAX_SUMMARY = 2000
"""Units of a roster's own summary."""

_RESERVE = 100


def saved_text(roster: Roster, before: Version | None, title: str, summary: str) -> str:
    """Say what saving has done; `before` is the version that was the newest, None for a new roster."""
    name, newest = plain(roster.name), roster.newest
    if before is None:
        head = f"💾 Saved **{name}**, {title}, {quantity(newest.size, 'byte')}"
    elif before.number == newest.number:
        head = f"💾 **{name}** stays as it is: version {newest.number} is the same"
    else:
        change = newest.size - before.size
        size = "the same size" if not change else f"{quantity(abs(change), 'byte')} {'more' if change > 0 else 'less'}"
        head = f"💾 **{name}** is version {newest.number} now: {quantity(newest.size, 'byte')}, {size} than before"
        head = head.removesuffix(" than before") if not change else head
    return "\n".join([head, shorten(summary, MAX_SUMMARY)])


def roster_text(roster: Roster, version: Version, versions: Sequence[Version], title: str, summary: str) -> str:
    """Describe a version of a roster, and list the versions there are."""
    shared = "" if roster.guild_id is None else ", shared with a server"
    head = [
        f"### {plain(roster.name)}",
        f"-# {title} of <@{roster.owner_id}>{shared}, version {version.number}",
        shorten(summary, MAX_SUMMARY),
        "**Versions**",
    ]
    return "\n".join([*head, *whole_lines(map(_version, versions), LAYOUT_TEXT - utf16_length("\n".join(head)))])


def list_text(own: Sequence[tuple[Roster, str]], shared: Sequence[tuple[Roster, str]]) -> str:
    """List rosters with the titles of their kinds."""
    if not own and not shared:
        return "No roster is saved yet. `/roster save` keeps one under a name."
    lines = [f"### {quantity(len(own), 'saved roster')} of yours"] if own else []
    lines += [_line(roster, title, owner="") for roster, title in own]
    lines += ["### Shared with this server"] if shared else []
    lines += [_line(roster, title, owner=f", of <@{roster.owner_id}>") for roster, title in shared]
    return "\n".join(whole_lines(lines, LAYOUT_TEXT))


def whole_lines(lines: Iterable[str], limit: int) -> list[str]:
    """Return as many lines as fit into `limit` units, and how many are missing."""
    kept: list[str] = []
    every = list(lines)
    room = limit - _RESERVE
    for line in every:
        room -= utf16_length(line) + 1
        if room < 0:
            return [*kept, f"-# … and {quantity(len(every) - len(kept), 'more line')}"]
        kept.append(line)
    return kept


def _line(roster: Roster, title: str, owner: str) -> str:
    shared = " 🤝" if roster.guild_id is not None and not owner else ""
    return (
        f"- **{plain(roster.name)}**{shared} {title}, v{roster.newest.number} <t:{roster.newest.created_at}:R>{owner}"
    )


def _version(version: Version) -> str:
    return f"{version.number}. <t:{version.created_at}:f>, {quantity(version.size, 'byte')}"
