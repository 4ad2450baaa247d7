"""Bosses as pages, and who did best against them."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Protocol

from bot.answers.document import Document, Page, room
from bot.answers.lines import split_lines
from bot.games.boss_fight.render.signs import BOSS, RED, boss_text
from bot.ui.layout import Picture
from bot.ui.text import counted, plain
from sim.boss_fight.values import MAX_WORDS, Boss

_MOMENTS = {"entry": "At its entry", "half": "At half its health", "fall": "At its fall"}
_MEDALS = ("🥇", "🥈", "🥉")


class Listed(Protocol):
    """A boss as the list has it; `maker_id` is None for one of the game's own."""

    @property
    def boss(self) -> Boss:
        """The boss."""
        ...

    @property
    def maker_id(self) -> int | None:
        """Who forged it."""
        ...

    @property
    def portrait(self) -> bytes | None:
        """Its picture, a PNG."""
        ...


class RecordEntry(Protocol):
    """A place on a list of records."""

    @property
    def user_id(self) -> int:
        """Whose it is."""
        ...

    @property
    def score(self) -> str:
        """The best score."""
        ...

    @property
    def damage(self) -> str:
        """The most damage in a fight."""
        ...


def portrait_of(boss: Boss, data: bytes | None) -> Picture | None:
    """Return a boss's picture with its words for those who can't see it."""
    return None if data is None else Picture("boss.png", data, f"{boss.name}, as its maker drew it")


def bosses_book(listed: Sequence[Listed]) -> Document:
    """Return all bosses in short, then each one on a page with its words and its picture."""
    forged = sum(listing.maker_id is not None for listing in listed)
    headline = f"### {BOSS} {counted(len(listed), 'boss', 'bosses')}, {forged} forged here"
    lines = [boss_text(listing.boss) for listing in listed]
    parts = split_lines(lines, room(headline))
    pages = [
        Page("All bosses" if len(parts) == 1 else f"All bosses, page {number}", partial("\n".join, part))
        for number, (_, part) in enumerate(parts, start=1)
    ]
    pages += [
        Page(listing.boss.name, partial(boss_page, listing), portrait_of(listing.boss, listing.portrait))
        for listing in listed
    ]
    return Document(headline, RED, pages)


def boss_page(listing: Listed) -> str:
    """Return everything about a boss."""
    return "\n".join(_about(listing))


def _about(listing: Listed) -> Iterator[str]:
    yield boss_text(listing.boss)
    for moment, when in _MOMENTS.items():
        if words := getattr(listing.boss, moment):
            yield f"- {when}: *{plain(words, MAX_WORDS)}*"
    yield "-# One of the game's own" if listing.maker_id is None else f"-# Forged by <@{listing.maker_id}>"


def top_text(boss: str, times: int, scores: Sequence[RecordEntry], damages: Sequence[RecordEntry]) -> str:
    """Return who did best against a boss."""
    name = plain(boss) + (f" × {times}" if times > 1 else "")
    lines = [f"### 🏆 {BOSS} {name}", "**Best score of an exchange**"]
    lines += [f"{_place(at)} <@{record.user_id}> {record.score}" for at, record in enumerate(scores)] or ["Nobody yet"]
    lines.append("**Most damage in a fight**")
    lines += [f"{_place(at)} <@{record.user_id}> {record.damage}" for at, record in enumerate(damages)] or [
        "Nobody yet"
    ]
    return "\n".join(lines)


def leaders_text(leaders: Sequence[tuple[str, int, Sequence[RecordEntry], Sequence[RecordEntry]]], more: int) -> str:
    """Return who leads against each boss, by name and multiple; `more`: how many bosses are left out."""
    lines = ["### 🏆 The best against each boss"]
    for boss, times, scores, damages in leaders:
        lines.append(f"{BOSS} **{plain(boss)}**" + (f" × {times}" if times > 1 else ""))
        lines += [f"- score {record.score}: <@{record.user_id}>" for record in scores]
        lines += [f"- damage {record.damage}: <@{record.user_id}>" for record in damages]
    if not leaders:
        lines.append("Nobody yet: `/boss start` opens a fight.")
    if more:
        lines.append(f"-# … and {counted(more, 'boss', 'bosses')} more")
    return "\n".join(lines)


def _place(at: int) -> str:
    return _MEDALS[at] if at < len(_MEDALS) else f"{at + 1}."
