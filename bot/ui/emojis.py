"""The application's own emojis: read at the start, uploaded and renewed by `fracas sync`.

An emoji's name is that of its icon with the edition of its picture: Discord lets nobody change a picture, so a new one
gets a new emoji, and then the old one goes. What others have uploaded for the application is left alone.
"""

import asyncio
import contextlib
import logging
import re
from collections import Counter
from collections.abc import Mapping

import discord

from bot.client import UNDELIVERED, Client
from bot.logging_setup import event
from bot.ui import IconWriter
from sim.core.cards.stickers import Sticker, StickerRequest
from sim.core.names import listed
from sim.core.numbers import quantity

UPLOAD_SECONDS = 600.0
"""How long `fracas sync` may take over emojis; Discord limits how many come at once."""

_INVALID, _FULL = 50035, 30008
_OWN = re.compile(r"(?P<icon>\w+)_[0-9a-f]{4}", re.ASCII)
_log = logging.getLogger("fracas.app")


class Emojis(IconWriter):
    """The emojis that the bot has uploaded, by their icons' names: none until they are read."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    async def read(self) -> None:
        """Learn which there are; where Discord doesn't say, texts stay without."""
        try:
            self._known = dict(await self._own())
        except UNDELIVERED as error:
            event(_log, "emojis_not_read", level=logging.WARNING, error=str(error))

    async def _own(self) -> list[tuple[str, discord.Emoji]]:
        """Return emojis with their icons' names, the oldest first; none that another one has uploaded."""
        owners = (None, self._client.user)
        found = [emoji for emoji in await self._client.fetch_application_emojis() if emoji.user in owners]
        matches = ((_OWN.fullmatch(emoji.name), emoji) for emoji in sorted(found, key=lambda emoji: emoji.id))
        return [(match["icon"], emoji) for match, emoji in matches if match is not None]

    async def missing(self, stickers: Mapping[str, Sticker]) -> dict[str, Sticker]:
        """Return the pictures that aren't there, or not as they are drawn now, by their emojis' names."""
        there = {emoji.name for _, emoji in await self._own()}
        wanted = {f"{name}_{sticker.edition}": sticker for name, sticker in stickers.items()}
        return {name: sticker for name, sticker in wanted.items() if name not in there}

    async def upload(self, stickers: Mapping[str, Sticker]) -> str:
        """Upload what is missing, delete what it replaces; return what was done, or what went wrong, as a sentence."""
        done, why = Counter[str](), ""
        try:
            async with asyncio.timeout(UPLOAD_SECONDS):
                for name, sticker in (await self.missing(stickers)).items():
                    image = await self._client.simulator.once(StickerRequest(sticker=sticker))
                    try:
                        await self._client.create_application_emoji(name=name, image=image)
                        done["uploaded"] += 1
                    except discord.HTTPException as error:
                        if error.code not in {_INVALID, _FULL}:
                            raise
                        why = f"{name}: {error}"  # such as a name that somebody, or another run, has taken
                        if error.code == _FULL:
                            why = "the application has as many as Discord takes, 2,000: delete some first"
                            break
                missing = await self.missing(stickers)
                why = why if missing else ""
                for name, emoji in await self._own():
                    newest = f"{name}_{stickers[name].edition}" if name in stickers else emoji.name
                    if newest not in {emoji.name, *missing} and emoji.user is not None:
                        with contextlib.suppress(discord.NotFound):
                            await emoji.delete()
                        done["replaced"] += 1
        except (*UNDELIVERED, TimeoutError) as error:
            why = str(error) or "Discord takes no more of them now"
        told = [f"{count} {what}" for what, count in done.items()] or ["none uploaded" if why else "nothing to upload"]
        text = f"{quantity(len(stickers), 'emoji')}: {listed(told)}"
        if not why:
            return f"{text}."
        return f"{text}, then it failed ({why}). Run fracas sync again; texts do without those that are missing."
