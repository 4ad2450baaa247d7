"""A small Discord on loopback: the HTTP API, the gateway, the files, and the people who use the bot."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from aiohttp import web

from tests.live.rest import Api
from tests.live.wire import ANY, Fault, Gateway
from tests.live.world import Channel, Exchange, Message, Player, User, snowflake
from tests.tables import kept_texts

HOST = "127.0.0.1"
TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTA.GabcdE.abcdefghijklmnopqrstuvwxyz0123456789AB"  # noqa: S105  # no one's
MAX_UPLOAD = 64 << 20
PATIENCE = 180.0
"""Seconds after which what is awaited counts as missing; on a busy machine, a first question may take minutes."""


class LittleDiscord:
    """One application, its servers, one of which has a channel, and as many people as come.

    `answer_seconds`: how long an interaction may stay unanswered; Discord waits 3 s. `shards`: how many are advised.
    There are as many servers, each on a shard of its own.
    """

    def __init__(self, *, answer_seconds: float = 3.0, shards: int = 1) -> None:
        self.app = User("fracas", bot=True)
        self.guild_id: int = snowflake()
        # The milliseconds in an id decide about the shard.
        self.guild_ids = [self.guild_id - (number << 22) for number in range(shards)]
        self.api = Api(self.app, lambda: self.http_url, self.changed, answer_seconds)
        self.api.shards = shards
        self.gateway = Gateway(TOKEN, self.changed)
        self.channel = self.new_channel()
        self._moved = asyncio.Condition()
        self._ports: dict[str, int] = {}
        self._sites: dict[str, web.TCPSite] = {}
        self._runner: web.AppRunner | None = None

    @property
    def http_url(self) -> str:
        return f"http://{HOST}:{self._ports['http']}"

    @property
    def addresses(self) -> tuple[str, str]:
        """Where the bot finds the HTTP API and the gateway."""
        return f"{self.http_url}/api/v10", f"ws://{HOST}:{self._ports['gateway']}/"

    def new_channel(
        self,
        name: str = "battles",
        *,
        direct: bool = False,
        server: int = 0,
        parent: Channel | None = None,
        kind: int = 0,
    ) -> Channel:
        """Open a channel of a server, by its place in `guild_ids`, a thread of `parent`, or a `direct` message."""
        parent_id = None if parent is None else parent.id
        channel = Channel(name, None if direct else self.guild_ids[server], parent_id=parent_id, kind=kind)
        self.api.channels[channel.id] = channel
        return channel

    def player(self, name: str, channel: Channel | None = None) -> Player:
        """Let somebody come, who uses the bot in a channel."""
        return Player(self, User(name), channel or self.channel)

    async def start(self) -> None:
        """Begin to listen."""
        app = web.Application(client_max_size=MAX_UPLOAD)
        app.router.add_get("/", self.gateway.handle)
        app.router.add_get("/attachments/{id:[0-9]+}/{name}", self.api.cdn)
        app.router.add_route("*", "/api/v10/{path:.*}", self.api.handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        for what in ("http", "gateway"):  # each by itself: a request's connection would be taken for the gateway's
            await self._listen(what)
        user = self.app.json()
        self.gateway.ready = {
            "v": 10,
            "user": user,
            "guilds": [{"id": str(guild), "unavailable": True} for guild in self.guild_ids],
            "resume_gateway_url": self.addresses[1],
            "application": {"id": str(self.app.id), "flags": 0},
        }
        self.announce()

    def announce(self) -> None:
        """Tell sessions that begin of the servers as they are now."""
        self.gateway.opening = [("GUILD_CREATE", self._guild_json(guild)) for guild in self.guild_ids]

    async def close(self) -> None:
        """Stop listening and break all connections."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _listen(self, what: str) -> None:
        assert self._runner is not None
        site = self._sites[what] = web.TCPSite(self._runner, HOST, self._ports.get(what, 0), reuse_address=True)
        await site.start()
        self._ports.setdefault(what, self._runner.addresses[-1][1])

    @contextlib.asynccontextmanager
    async def unreachable(self) -> AsyncIterator[None]:
        """Refuse new connections, and break those that there are."""
        for site in self._sites.values():
            await site.stop()
        if self.gateway.current and self.gateway.connected:
            self.gateway.drop()
        with self.api.faults.add(Fault("", ANY, times=None, reset="before")):
            try:
                yield
            finally:
                for name in self._sites:
                    await self._listen(name)

    async def changed(self) -> None:
        """Wake everybody who waits for something to happen."""
        async with self._moved:
            self._moved.notify_all()

    async def until(self, what: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait until something is so; AssertionError with the last requests if it doesn't come."""
        try:
            async with asyncio.timeout(seconds), self._moved:
                await self._moved.wait_for(lambda: bool(what()))
        except TimeoutError:
            last = "\n".join(f"{one!r:.600}" for one in self.api.requests[-10:])
            raise AssertionError(f"it didn't happen within {seconds:g} s; the last requests:\n{last}") from None

    async def send(self, exchange: Exchange, shard: int | None = None) -> None:
        """Deliver an interaction, a second time, too; by default to the shard of its channel."""
        if exchange.id not in self.api.exchanges:
            self.api.began(exchange)
        if shard is None:
            shard = self.gateway.shard_of(exchange.channel.guild_id)
        await self.gateway.dispatch("INTERACTION_CREATE", self._interaction_json(exchange), shard)

    def _interaction_json(self, exchange: Exchange) -> dict[str, object]:
        """Write an interaction as the gateway sends it."""
        user, channel = exchange.user, exchange.channel
        body: dict[str, object] = kept_texts(__file__, "interaction") | {
            "id": str(exchange.id),
            "application_id": str(self.app.id),
            "type": exchange.kind,
            "token": exchange.token,
            "data": exchange.data,
            "channel_id": str(channel.id),
            "channel": channel.json(),
            "authorizing_integration_owners": {"1": str(user.id)},
            "context": 2,
            "app_permissions": str(self.app.permissions),
        }
        if channel.guild_id is None:
            body["user"] = user.json()
        else:
            body |= {
                "guild_id": str(channel.guild_id),
                "guild": {"id": str(channel.guild_id), "features": [], "locale": "en-US"},
                "member": user.member_json(permissions=True),
                "guild_locale": "en-US",
                "context": 0,
            }
            if channel.reachable:
                body["authorizing_integration_owners"] = {"0": str(channel.guild_id)}
        if exchange.pressed is not None:
            body["message"] = exchange.pressed.json()
        return body

    def message_json(self, message: Message, *, mentions: bool = False) -> dict[str, object]:
        """Write a message of a person as the gateway sends it to a bot without the privileged intent for messages."""
        body: dict[str, object] = message.json()
        mentions |= f"<@{self.app.id}>" in message.text
        body |= {"mentions": [self.app.json()] if mentions else [], "nonce": None}
        del body["application_id"]
        if message.channel.guild_id is not None:
            member = message.author.member_json()
            body |= {
                "guild_id": str(message.channel.guild_id),
                "member": {part: member[part] for part in member if part != "user"},
            }
            if not mentions:
                body |= {"content": "", "attachments": [], "embeds": [], "components": []}
        return body

    def posted(self, channel: Channel | None = None) -> list[Message]:
        """Return the messages that everybody sees in a channel, in order."""
        where = channel or self.channel
        seen = (message for message in self.api.messages.values() if message.channel is where)
        return [message for message in seen if not (message.private or message.deleted)]

    def _guild_json(self, guild_id: int) -> dict[str, object]:
        everyone = {"id": str(guild_id), "permissions": str(self.app.permissions)}
        return kept_texts(__file__, "server") | {
            "id": str(guild_id),
            "roles": [kept_texts(__file__, "everyone") | everyone],
            "channels": [channel.json() for channel in self.api.channels.values() if channel.guild_id == guild_id],
            "members": [self.app.member_json()],
        }
