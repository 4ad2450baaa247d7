"""The offline table's server, channel and people: the same at each start, with the panels of open battles."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import discord

from bot.app import Fracas
from bot.store.battles.panels import PanelRepository
from bot.store.database import Connection, Database, Repository

if TYPE_CHECKING:
    import simcord

_WITH_REFEREE = 3
_SERVER, _CHANNEL = "server", "channel"

# Until 0.2.0 each start made a new server, with all of its ids in a row. A real server's is far from its members'.
_LATEST_TABLE = (
    "SELECT guild_id, channel_id FROM battles WHERE starter_id BETWEEN channel_id AND channel_id + ?"
    " AND channel_id BETWEEN guild_id AND guild_id + ? ORDER BY guild_id DESC, id DESC LIMIT 1"
)
_NEAR = 64
_FIRST_PERSON = 2  # after the channel; the referee's role is in between


@dataclass(frozen=True, slots=True)
class World:
    """The channel where the people play, and the people by their names."""

    channel: "simcord.ChannelHandle"
    people: "dict[str, simcord.MemberActor]"


def referee_of(players: Sequence[str]) -> str | None:
    """Return who may manage messages, as a referee does: the last one where two others can fight."""
    return players[-1] if len(players) >= _WITH_REFEREE else None


async def make_world(bot: Fracas, env: "simcord.Env", players: Sequence[str]) -> World:
    """Make the server with its channel and players, each with the id of the last start; new names get new ids.

    Before the bot starts: it would note that it has left a server that isn't there. What it couldn't show before is put
    off until `show_battles`, because simcord gives a start five seconds.
    """
    unused = discord.utils.time_snowflake(env.now())
    ids = await OfflineIdRepository(bot.services[Database]).take(players, unused)
    await bot.services[PanelRepository].forget_pending(ids.channel)
    for number in (ids.channel, *ids.people.values()):
        env.backend.reserve_id(number)
    guild = env.create_guild("Fracas", id=ids.server)
    with _next_id(env, ids.channel):
        channel = guild.create_text_channel("battles")
    people = {}
    for name, number in ids.people.items():
        with _next_id(env, number):
            # As Discord writes user names: lower case, without blanks.
            people[name] = env.create_user(re.sub(r"[^a-z0-9_.]", "_", name.casefold()), global_name=name)
    referee = guild.create_role("referee", permissions=discord.Permissions(manage_messages=True))
    roles = {referee_of(players): [referee]}
    return World(channel, {name: guild.add_member(user, roles=roles.get(name, [])) for name, user in people.items()})


async def show_battles(bot: Fracas, channel_id: int) -> None:
    """Let the panels of a channel's open battles be posted again: the simulated Discord has kept no message."""
    await bot.services[PanelRepository].mark_pending(channel_id)
    await bot.on_panel_pending()
    bot.flush_outbox.restart()


@contextmanager
def _next_id(env: "simcord.Env", number: int) -> Iterator[None]:
    """Give the one thing that is made the id `number`: simcord lets one choose a server's alone."""
    vars(env.backend)["snowflake"] = [number].pop
    try:
        yield
    finally:
        del vars(env.backend)["snowflake"]


@dataclass(frozen=True, slots=True)
class OfflineIds:
    """Who is who at the offline table; `people`: ids by name."""

    server: int
    channel: int
    people: Mapping[str, int]


class OfflineIdRepository(Repository):
    """Gives out ids, once for each name."""

    async def take(self, people: Sequence[str], unused: int) -> OfflineIds:
        """Return the ids of the table and of its people; who is new gets one from `unused` on.

        A database from before ids were kept has those of its latest table, and its people in the order of `people`.
        """
        names = [_SERVER, _CHANNEL, *(f"person {name.casefold()}" for name in people)]

        async def body(conn: Connection) -> OfflineIds:
            known = {row["name"]: int(row["id"]) for row in await conn.fetch_all("SELECT name, id FROM offline_ids")}
            made = dict(zip(names, range(unused, unused + len(names)), strict=True))
            if not known:
                for row in await conn.fetch_all(_LATEST_TABLE, [_NEAR, _NEAR]):
                    first = row["channel_id"] + _FIRST_PERSON
                    made = dict(zip(names, [*row, *range(first, first + len(people))], strict=True))
            new = [(name, number) for name, number in made.items() if name not in known]
            await conn.execute_many("INSERT INTO offline_ids (name, id) VALUES (?, ?)", new)
            server, channel, *numbers = ((made | known)[name] for name in names)
            return OfflineIds(server, channel, dict(zip(people, numbers, strict=True)))

        return await self._db.write(body)
