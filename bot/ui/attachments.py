"""Reading the files that players attach."""

import asyncio
from dataclasses import dataclass

import aiohttp
import discord

from bot.store.uploads import MAX_BYTES
from bot.ui.text import shorten
from sim.core.errors import RuleError

READ_SECONDS = 10.0
"""Timeout for downloading an attachment."""

_MAX_NAME = 80


@dataclass(frozen=True, slots=True)
class Upload:
    """The content of a file or a saved roster, and its name as the player gave it (escape it with `plain`)."""

    name: str
    data: bytes


async def read_attachment(
    attachment: discord.Attachment, seconds: float = READ_SECONDS, *, max_bytes: int = MAX_BYTES
) -> Upload:
    """Read an attached file; RuleError when it has more than `max_bytes` bytes, or can't be read within `seconds`."""
    name = shorten(attachment.filename, _MAX_NAME)
    if attachment.size > max_bytes:
        raise RuleError(_too_large(name, attachment.size, max_bytes))
    try:
        async with asyncio.timeout(seconds):
            data = await attachment.read()
    except (discord.DiscordException, aiohttp.ClientError, TimeoutError, OSError):
        raise RuleError(f"Discord didn't hand over the file {name}; please attach it again.") from None
    if len(data) > max_bytes:  # the size was what the sender said
        raise RuleError(_too_large(name, len(data), max_bytes))
    return Upload(attachment.filename, data)


def _too_large(name: str, size: int, max_bytes: int) -> str:
    return f"The file {name} has {-(-size // 1024):,} KiB; at most {max_bytes // 1024:,} KiB are read."
