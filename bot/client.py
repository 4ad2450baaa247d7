"""The client: held to Discord however long that can't be reached, its requests sent again, and what all features share.

That is its settings, its services by type, the simulator, the clocks, the metrics.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from functools import partial
from http import HTTPStatus
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar, cast

import aiohttp
import discord
from discord import app_commands
from discord.ext import commands
from discord.http import HTTPClient, Route

from bot.config import OFFLINE, Settings
from bot.discord_internals import OwnShardsBot, Request, matches, send_through
from bot.logging_setup import event
from bot.metrics import Metrics
from bot.result_cache import CachingSimulator
from bot.shard import UNREACHED, IdentifyTurn, Outage, Shard
from bot.store.database import Database, Repository
from sim.jobs.release import version
from sim.workers import Simulator

T = TypeVar("T")


class NameTakenError(Exception):
    """Two games want the same name; `name` says which, such as "a kind of roster 'pig'"."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there already is {name}")
        self.name = name


class Named(dict[str, T]):
    """What games register by names, no two by the same; `sort`: what it is, such as "a kind of query"."""

    sort: ClassVar[str]

    def __init__(self, _client: "Client | None" = None) -> None:
        super().__init__()

    def __setitem__(self, name: str, thing: T) -> None:
        """Register a thing; NameTakenError if its name is taken."""
        if name in self:
            raise NameTakenError(f"{self.sort} {name!r}")
        super().__setitem__(name, thing)

    @property
    def names(self) -> list[str]:
        """The names that are taken, each as a phrase."""
        return [f"{self.sort} {name!r}" for name in self]


class Services(dict[type[Any], Any]):
    """One service of each type: `services[BattleService]` is the bot's battle service.

    What nobody has added is made when it is first asked for: a repository of the database and the clock, anything else
    of the client. So no layer depends on the layers above it, and nobody lists what games and features bring.
    """

    def __init__(self, client: "Client") -> None:
        super().__init__()
        self._client = client

    def add(self, *services: object) -> None:
        """Register services under their types, each in place of one that was there."""
        self.update({type(service): service for service in services})

    def __getitem__(self, kind: type[T]) -> T:
        """Return the service of a type."""
        if kind not in self:
            make: Callable[..., T] = kind
            is_repository = issubclass(kind, Repository)
            self[kind] = make(self[Database], self._client.clock) if is_repository else make(self._client)
        return cast("T", super().__getitem__(kind))


AnyItem: TypeAlias = discord.ui.DynamicItem[Any]


class Client(OwnShardsBot):
    """The connection to Discord, never given up, and what all features share.

    `clock` returns Unix seconds, `monotonic` seconds that never decrease. The simulator and the database outlive the
    client; their opener closes them. `identifying`: what one shard of all processes does at a time.

    discord.py's own client ends if its first attempt fails, and waits for up to 17 minutes between later ones.
    """

    def __init__(
        self,
        *,
        simulator: Simulator,
        settings: Settings = OFFLINE,
        metrics: Metrics | None = None,
        identifying: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        tree_cls: type[app_commands.CommandTree[Any]] = app_commands.CommandTree,
    ) -> None:
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # no voice here, nothing to warn of
        intents = discord.Intents.none()
        # None of these is privileged: Discord leaves out what messages say, but for those that mention the bot.
        intents.guilds = intents.guild_messages = intents.dm_messages = True
        super().__init__(
            shard_count=settings.shards,
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents,
            tree_cls=tree_cls,
            allowed_mentions=discord.AllowedMentions.none(),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
            max_messages=None,
        )
        self.settings = settings
        self.metrics = metrics or Metrics(version())
        self._turn = IdentifyTurn(identifying)
        self._shards: dict[int, Shard] = {}
        self.clock = clock
        self.monotonic = monotonic
        self.simulator = CachingSimulator(simulator, self.metrics)
        self.services = Services(self)
        self._items: list[type[AnyItem]] = []
        self.metrics.latency.set_function(lambda: self.latency)
        self.started_at = monotonic()

    def add_items(self, *items: type[AnyItem]) -> None:
        """Register persistent buttons and selects."""
        self.add_dynamic_items(*items)
        self._items.extend(items)

    def add_menu(self, name: str, says: str, callback: Callable[..., Coroutine[Any, Any, None]]) -> None:
        """Offer an entry in the menu of every message, or every person, as the callback's last parameter has it.

        `says`: what it does, for players.
        """
        self.tree.add_command(app_commands.ContextMenu(name=name, callback=callback, extras={"says": says}))

    async def on_message(self, message: discord.Message, /) -> None:
        """Let those who listen hear what people write: of most messages Discord doesn't say that.

        discord.py would look for commands of its own in them.
        """
        if message.content and not message.author.bot:
            self.dispatch("heard", message)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Let them hear an edit."""
        if payload.message.content and not payload.message.author.bot:
            self.dispatch("heard_edit", payload.message)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Hand over what discord.py leaves unanswered: forms, and buttons of old versions."""
        custom_id = str(dict(interaction.data or {}).get("custom_id", ""))
        component = interaction.type is discord.InteractionType.component
        form = interaction.type is discord.InteractionType.modal_submit
        if form or (component and not matches(self._items, custom_id)):
            self.dispatch("unanswered", interaction)

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
        own = self.settings.shard_ids
        return own is None or (guild_id >> 22) % (self.shard_count or 1) in own

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
        count = self.shard_count or 1
        if self.settings.shards is None:
            count, _, _ = await _until_done(self.http.get_bot_gateway)
        numbers = self.settings.shard_ids or range(count)
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

    async def on_shard_connect(self, shard_id: int, *, resumed: bool = False) -> None:
        """Note that a new session began, or that it was `resumed`."""
        if shard_id in self._shards:
            self._shards[shard_id].back(resumed=resumed)

    async def on_shard_resumed(self, shard_id: int) -> None:
        """Note that the session goes on."""
        await self.on_shard_connect(shard_id, resumed=True)


Interaction: TypeAlias = discord.Interaction[Client]


class Asker(Protocol):
    """Who asks, and where: an interaction, or a message to the bot."""

    @property
    def client(self) -> Client:
        """The bot."""

    @property
    def user(self) -> discord.User | discord.Member:
        """Who asks."""

    @property
    def guild_id(self) -> int | None:
        """The server, None in direct messages."""

    @property
    def channel_id(self) -> int | None:
        """The channel."""


def mark_done(interaction: Interaction) -> None:
    """Note that what was asked for is done, so that an answer that can't be delivered isn't reported as a failure."""
    interaction.extras["done"] = True


def mark_answered(interaction: Interaction) -> None:
    """Note that the deferred answer has come, so that nothing else replaces it."""
    interaction.extras["answered"] = True


async def _until_done(
    attempt: Callable[[], Awaitable[T]], after_failure: Callable[[], Awaitable[None]] | None = None
) -> T:
    """Do what may fail while Discord can't be reached, again and again; raises only Discord's refusals."""
    outage = Outage()
    while True:
        try:
            result = await attempt()
        except (discord.GatewayNotFound, *UNREACHED) as error:
            cause = error.__cause__ if isinstance(error, discord.GatewayNotFound) else error
            if (  # any other status is a refusal, which the same request would get again
                isinstance(cause, discord.HTTPException)
                and cause.status < HTTPStatus.INTERNAL_SERVER_ERROR
                and cause.status != HTTPStatus.TOO_MANY_REQUESTS
            ):
                raise
            await outage.pause(error)
            if after_failure is not None:
                await after_failure()
        else:
            outage.ends()
            return result


PAUSES = (0.25, 1.0, 2.0, 4.0)
"""Seconds between the attempts."""

ATTEMPT_SECONDS = 30.0
"""How long one attempt may take; discord.py waits 25 s in all where Discord answers with a server error."""

CALLBACK_SECONDS = 3.0
"""The same for the first answer to an interaction, which Discord doesn't take later than this."""

UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, UNKNOWN_INTERACTION, ACKNOWLEDGED = 10003, 10008, 10062, 40060
TOO_LATE = frozenset({10015, UNKNOWN_INTERACTION, ACKNOWLEDGED, 50027})
"""Discord's codes for an interaction that it no longer knows or has had the answer to, and for an expired token."""

_SUGGESTIONS = discord.InteractionResponseType.autocomplete_result.value

_log = logging.getLogger("fracas.delivery")


class UnreachableError(ConnectionError):
    """The connection to Discord broke, at every attempt; whether the request took effect is unknown."""


UNREACHABLE = (UnreachableError, discord.DiscordServerError)
"""What a request raises when Discord can't be reached, or only answers with server errors."""

UNDELIVERED = (discord.HTTPException, UnreachableError)
"""What a request raises when it failed: those, and Discord's refusals."""


@contextmanager
def undelivered(log: logging.Logger, what: str, *also: type[Exception], **of: int) -> Iterator[None]:
    """Log as `what`, and go on, where the block's request fails, or what it does raises one of `also`."""
    failures: tuple[type[Exception], ...] = (*UNDELIVERED, *also)
    try:
        yield
    except failures as error:
        event(log, what, level=logging.WARNING, exc_info=None, **of, error=str(error))


Dress = Callable[[dict[str, Any]], dict[str, Any]]
"""Returns a request's options as they are sent; those that it is given stay as they are."""


def make_reliable(
    http: HTTPClient, is_handled: Callable[[int], bool], dress: Dress = dict, plainly: Dress = dict
) -> None:
    """Send the client's requests, and its answers to interactions, through this module.

    `is_handled`: whether this process is handling the interaction of an id. `plainly`: dresses a request without
    emojis, for when Discord refuses one, which it does where somebody has deleted it, and now and then where it is
    there.
    """

    def dressed(send: Request) -> Request:
        async def sent(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401  # as discord.py has them
            try:
                return await send(*arguments, **dress(options))
            except discord.HTTPException as error:
                if "Invalid emoji" not in error.text:
                    raise
                event(_log, "emoji_refused", level=logging.WARNING, error=str(error))
            for file in options.get("files") or ():
                file.reset()
            return await send(*arguments, **plainly(options))

        return sent

    send_through(http, dressed(_request), dressed(partial(_answer, is_handled)))


async def _request(
    send: Callable[..., Awaitable[T]], route: Route, *, files: Sequence[discord.File] | None = None, **options: object
) -> T:
    # Not asyncio's time-out: cancelled while it waits for a global rate limit, discord.py would never send again.
    limit = aiohttp.ClientTimeout(total=ATTEMPT_SECONDS)
    return await _repeat(lambda: send(route, files=files, timeout=limit, **options), route, files)


async def _answer(
    is_handled: Callable[[int], bool],
    send: Callable[..., Awaitable[T]],
    route: Route,
    session: aiohttp.ClientSession,
    *,
    files: Sequence[discord.File] | None = None,
    **options: object,
) -> T | dict[str, Any]:
    callback = route.path.endswith("/callback")
    payload = options.get("payload")
    suggests = isinstance(payload, dict) and payload.get("type") == _SUGGESTIONS

    async def attempt() -> T:
        async with asyncio.timeout(CALLBACK_SECONDS if callback else ATTEMPT_SECONDS):
            return await send(route, session, files=files, **options)

    try:
        return await _repeat(attempt, route, files)
    except UNDELIVERED as error:
        interaction_id = int(route.webhook_id or 0)
        code = None if isinstance(error, UnreachableError) else error.code
        if suggests and (isinstance(error, UNREACHABLE) or code in TOO_LATE):
            event(_log, "not_suggested", interaction=interaction_id, error=str(error))
            return {}
        if not callback or code != ACKNOWLEDGED or not is_handled(interaction_id):
            raise
        # Every interaction is handled once, so it was this answer that Discord took, and its reply was lost.
        event(_log, "already_taken", level=logging.WARNING, interaction=interaction_id)
        return {"interaction": {"id": interaction_id}}


async def _repeat(send: Callable[[], Awaitable[T]], route: Route, files: Sequence[discord.File] | None) -> T:
    pauses = iter(PAUSES)
    while True:
        try:
            return await send()
        except (aiohttp.ClientError, OSError) as error:
            event(_log, "connection_broke", level=logging.WARNING, request=route.key, error=repr(error))
            pause = next(pauses, None)
            # Discord takes one callback, and one thread of a message, and knows a message again by the nonce that
            # discord.py gives it; a followup has none.
            once = "/callback", "/messages", "/{message_id}/threads"
            may_repeat = route.method != "POST" or route.path.endswith(once)
            # Without a connection Discord can't have read anything.
            was_sent = not isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
            if pause is None or (was_sent and not may_repeat):
                raise UnreachableError(f"{route.key}: {error!r}") from error
        await asyncio.sleep(pause)
        for file in files or ():
            file.reset()
