"""The private parts of discord.py that Fracas touches, where there is no public way; a test holds each of them."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import discord
from discord.ext import commands
from discord.http import HTTPClient
from discord.state import AutoShardedConnectionState
from discord.webhook.async_ import async_context

Request = Callable[..., Awaitable[Any]]
"""Sends a request, as `HTTPClient.request` and `AsyncWebhookAdapter.request` do."""


class OwnShardsBot(commands.AutoShardedBot):
    """A bot whose shards are made by Fracas, and which forgets servers that it had to leave while it was away."""

    def use_shards(self, shards: Mapping[int, object], count: int) -> None:
        """Let discord.py find these shards, of `count` in all, for the latency and to close them."""
        self.shard_count = self._connection.shard_count = count
        self._connection.shard_ids = [*shards]
        vars(self)["_AutoShardedClient__shards"] = shards

    def _get_state(self, **options: Any) -> "_State":  # noqa: ANN401  # the state's
        return _State(dispatch=self.dispatch, handlers=self._handlers, hooks=self._hooks, http=self.http, **options)


class _State(AutoShardedConnectionState[Any]):
    """discord.py's state, which by itself never forgets a server that the bot had to leave while it was away."""

    def parse_ready(self, data: Any) -> None:  # noqa: ANN401  # an event as it came
        shard_id, _ = data["shard"]
        listed = {int(guild["id"]) for guild in data["guilds"]}
        for guild in [guild for guild in self.guilds if guild.shard_id == shard_id and guild.id not in listed]:
            self._remove_guild(guild)
            self.dispatch("guild_remove", guild)
        super().parse_ready(data)


def send_through(http: HTTPClient, request: Request, answer: Request) -> None:
    """Send a client's requests by `request`, its answers to interactions by `answer`; each gets discord.py's own first.

    discord.py sends the two in different ways, and has no place to put something in between.
    """
    answers = async_context.get()
    vars(http)["request"] = partial(request, http.request)
    earlier = vars(answers).get("request")
    # All clients of a process share what sends answers: one that came before is replaced, not wrapped.
    own = earlier.args[-1] if isinstance(earlier, partial) else answers.request
    vars(answers)["request"] = partial(answer, own)


def matches(items: Sequence[type[discord.ui.DynamicItem[Any]]], custom_id: str) -> bool:
    """Return whether one of the persistent items is meant by a custom id."""
    templates: list[re.Pattern[str]] = [item.__discord_ui_compiled_template__ for item in items]
    return any(template.fullmatch(custom_id) for template in templates)


def attachment_of(interaction: discord.Interaction[Any], sent: Any) -> discord.Attachment:  # noqa: ANN401  # as it came
    """Build an attachment that came with a form; discord.py does for Modal objects alone, which end with a restart."""
    return discord.Attachment(data=sent, state=interaction._state)  # noqa: SLF001  # see the module


def user_of(interaction: discord.Interaction[Any], sent: Any) -> discord.User:  # noqa: ANN401  # as it came
    """Build a user who was chosen in a form, for the same reason."""
    return discord.User(data=sent, state=interaction._state)  # noqa: SLF001  # see the module
