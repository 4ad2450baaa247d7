"""The connection to Discord: held for as long as the bot runs, however long Discord can't be reached."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeVar

import discord

from bot.discord_internals import OwnShardsBot
from bot.metrics import Metrics
from bot.outage import UNREACHED, Outage, may_pass
from bot.shard import IdentifyTurn, Shard

T = TypeVar("T")


class ReconnectingBot(OwnShardsBot):
    """A bot that never gives up on Discord, on as many shards as it is told or, with None, as Discord advises.

    `shard_ids`: those of this process, where several share them; None for all. `identifying`: what a shard of any
    process does alone to open a session.

    discord.py's own client ends if its first attempt fails, and waits for up to 17 minutes between later ones.
    """

    def __init__(
        self,
        *,
        shards: int | None,
        metrics: Metrics,
        shard_ids: Sequence[int] | None = None,
        identifying: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
        **options: Any,  # noqa: ANN401  # Bot's
    ) -> None:
        super().__init__(shard_count=shards, **options)
        self.metrics = metrics
        self._turn = IdentifyTurn(identifying)
        self._own_shards = None if shard_ids is None else list(shard_ids)
        self._shards: dict[int, Shard] = {}
        self._needs_advice = shards is None

    @property
    def connected(self) -> bool:
        """Whether every shard has a session now; events come only then."""
        if not self._shards:
            return self.is_ready()  # a simulated Discord has shards of its own
        return all(shard.connected for shard in self._shards.values())

    @property
    def reaches_discord(self) -> bool:
        """Whether any shard has a session now."""
        return any(shard.connected for shard in self._shards.values())

    def serves(self, guild_id: int) -> bool:
        """Return whether a server is on a shard of this process."""
        return self._own_shards is None or (guild_id >> 22) % (self.shard_count or 1) in self._own_shards

    async def start(self, token: str, *, reconnect: bool = True) -> None:
        """Sign in and stay connected until the client is closed.

        Raises LoginFailure if the token is wrong, other HTTPExceptions if Discord refuses the request, and what
        `connect` raises.
        """

        async def again() -> None:
            # Signing in again opens another session.
            await self.http.close()
            self.http.connector = discord.utils.MISSING

        await _until_done(lambda: self.login(token), again)
        await self.connect(reconnect=reconnect)

    async def connect(self, *, reconnect: bool = True) -> None:
        """Stay connected to the gateway with all shards; raises what the first of them to end for good raises."""
        count = await _until_done(self._advised) if self._needs_advice else self.shard_count or 1
        numbers = self._own_shards or range(count)
        self._shards = {number: Shard(self, number, self._turn, self.metrics) for number in numbers}
        self.use_shards(self._shards, count)
        running = [asyncio.create_task(shard.run(reconnect=reconnect)) for shard in self._shards.values()]
        try:
            await asyncio.gather(*running)
        finally:
            for task in running:
                task.cancel()
            await asyncio.wait(running)
            await self._turn.close()

    async def _advised(self) -> int:
        shards, _, _ = await self.http.get_bot_gateway()
        return shards

    async def on_shard_connect(self, shard_id: int) -> None:
        """Note that a new session began."""
        self._back(shard_id, resumed=False)

    async def on_shard_resumed(self, shard_id: int) -> None:
        """Note that the session goes on."""
        self._back(shard_id, resumed=True)

    def _back(self, shard_id: int, *, resumed: bool) -> None:
        if shard_id in self._shards:
            self._shards[shard_id].back(resumed=resumed)


async def _until_done(
    attempt: Callable[[], Awaitable[T]], after_failure: Callable[[], Awaitable[None]] | None = None
) -> T:
    """Do what may fail while Discord can't be reached, again and again; raises only Discord's refusals."""
    outage = Outage()
    while True:
        try:
            result = await attempt()
        except (discord.GatewayNotFound, *UNREACHED) as error:
            if not may_pass(error.__cause__ if isinstance(error, discord.GatewayNotFound) else error):
                raise
            await outage.pause(error)
            if after_failure is not None:
                await after_failure()
        else:
            outage.ends()
            return result
