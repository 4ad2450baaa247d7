"""How a command takes a roster: as an attached file, or by the name of a saved one."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp
import discord

from bot.store.uploads import MOST_BYTES
from bot.ui.text import plain
from sim.core.errors import RuleError

if TYPE_CHECKING:
    from bot.app import Fracas

READ_SECONDS = 10.0
"""Seconds that Discord may take to give an attachment out."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A content that a player gave. `name`: the file's or the saved roster's, as they gave it; show it by `plain`."""

    name: str
    data: bytes


async def read_attachment(
    attachment: discord.Attachment, seconds: float = READ_SECONDS, *, most: int = MOST_BYTES
) -> Upload:
    """Read an attached file; RuleError when it has more than `most` bytes, or can't be read within `seconds`."""
    name = plain(attachment.filename)
    if attachment.size > most:
        raise RuleError(_too_large(name, attachment.size, most))
    try:
        async with asyncio.timeout(seconds):
            data = await attachment.read()
    except (discord.DiscordException, aiohttp.ClientError, TimeoutError, OSError):
        raise RuleError(f"Discord didn't give the file {name} out; please attach it again.") from None
    if len(data) > most:  # the size was what the sender said
        raise RuleError(_too_large(name, len(data), most))
    return Upload(attachment.filename, data)


async def roster_content(
    interaction: "discord.Interaction[Fracas]",
    kind: str,
    attachment: discord.Attachment | None,
    saved: str | None,
    option: str = "roster",
) -> Upload:
    """Return what a player gave for a roster of a kind: the file in `option`, or the saved one in `<option>_saved`.

    It may take a while: defer before. RuleError when nothing or both was given, or what was given can't be read.
    """
    if attachment is not None and saved is not None:
        raise RuleError(f"Give {option} or {option}_saved, not both.")
    if attachment is not None:
        return await read_attachment(attachment)
    if saved is None:
        raise RuleError(f"Attach a file as {option}, or choose a saved roster as {option}_saved.")
    shelf = interaction.client.rosters
    roster = await shelf.find(interaction, saved, kind)
    return Upload(roster.name, await shelf.store.read(roster))


def _too_large(name: str, size: int, most: int) -> str:
    return f"The file {name} has {-(-size // 1024):,} KiB; at most {most // 1024:,} KiB are read."
