"""What people are called in a server, for pictures: in text a mention says it."""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from contextlib import suppress

import discord

from bot.client import UNREACHABLE, Client
from bot.ui.text import plain
from sim.core.cards.text import spelled
from sim.core.names import MAX_NAME, seen_name

KEPT_SECONDS = 3600.0
MAX_KEPT = 10_000


def called(person: discord.abc.User) -> str:
    """Return what a person is called: the account's name where cards can't spell their own, or it has no letter."""
    name = seen_name(person.display_name, MAX_NAME)
    return person.display_name if any(map(str.isalnum, name)) and spelled(name) else person.name


class PeopleNames:
    """Asks Discord for display names, which it tells of nobody without being asked, and keeps them for an hour."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._kept: OrderedDict[tuple[int | None, int], tuple[float, str]] = OrderedDict()

    async def of(self, guild_id: int | None, user_ids: Iterable[int]) -> Mapping[int, str]:
        """Return the names of those people who have one in a server; of all who have one for None."""
        ids = [*dict.fromkeys(user_ids)]
        found = await asyncio.gather(*(self._name(guild_id, user_id) for user_id in ids))
        return {user_id: name for user_id, name in zip(ids, found, strict=True) if name}

    async def said_once(self, guild_id: int | None, text: str) -> str:
        """Return a line such as "Ann (@Ann) v Brenna (@Ben)", without names that are their players': "@Ann v …"."""
        names = await self.of(guild_id, map(int, re.findall(r" \([^()]*<@(\d+)>\)", text)))
        for user_id, name in names.items():
            named = rf"(^|, | v ){re.escape(plain(name))} \(([^()]*<@{user_id}>)\)"
            text = re.sub(named, r"\1\2", text)
        return text

    async def _name(self, guild_id: int | None, user_id: int) -> str:
        """Return a name, "" for an account that is gone, or while Discord can't be reached."""
        now = self._bot.monotonic()
        kept = self._kept.get((guild_id, user_id))
        if kept is not None and now - kept[0] < KEPT_SECONDS:
            return kept[1]
        guild = None if guild_id is None else self._bot.get_guild(guild_id)
        try:
            name = called(await self._person(guild, user_id))
        except UNREACHABLE:
            return ""
        except discord.HTTPException:
            name = ""
        self._kept[guild_id, user_id] = now, name
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return name

    async def _person(self, guild: discord.Guild | None, user_id: int) -> discord.User | discord.Member:
        with suppress(discord.NotFound):  # who left the server keeps the account's name
            if guild is not None:
                return await guild.fetch_member(user_id)
        return await self._bot.fetch_user(user_id)
