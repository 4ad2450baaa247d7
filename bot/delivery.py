"""Sends a request to Discord again when the connection broke, where that can't do anything twice."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import aiohttp
import discord
from discord.http import HTTPClient, Route

from bot.discord_internals import send_through
from bot.logging_setup import event

PAUSES = (0.25, 1.0, 2.0, 4.0)
"""Seconds between the attempts."""

ATTEMPT_SECONDS = 30.0
"""How long one attempt may take; discord.py waits 25 s in all where Discord answers with a server error."""

CALLBACK_SECONDS = 3.0
"""The same for the first answer to an interaction, which Discord doesn't take later than this."""

ACKNOWLEDGED = 40060
TOO_LATE = frozenset({10062, ACKNOWLEDGED, 50027})
"""Discord's codes for an interaction that it no longer knows or has had the answer to, and for an expired token."""

_SUGGESTIONS = discord.InteractionResponseType.autocomplete_result.value

T = TypeVar("T")
_log = logging.getLogger("fracas.delivery")

# The connection wasn't there yet, so Discord can't have read anything.
_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)


class UnreachableError(ConnectionError):
    """The connection to Discord broke, at every attempt; whether the request took effect is unknown."""


UNREACHABLE = (UnreachableError, discord.DiscordServerError)
"""What a request raises when Discord can't be reached, or only answers with server errors."""

UNDELIVERED = (discord.HTTPException, UnreachableError)
"""What a request raises when it failed: those, and Discord's refusals."""


def make_reliable(http: HTTPClient, is_handled: Callable[[int], bool]) -> None:
    """Send the client's requests, and its answers to interactions, through this module.

    `is_handled`: whether this process is handling the interaction of an id.
    """
    send_through(http, _request, partial(_answer, is_handled))


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
            # Discord takes one callback, and knows a message again by the nonce that discord.py gives it; a followup
            # has none.
            may_repeat = route.method != "POST" or route.path.endswith(("/callback", "/messages"))
            if pause is None or not (isinstance(error, _NOT_SENT) or may_repeat):
                raise UnreachableError(f"{route.key}: {error!r}") from error
        await asyncio.sleep(pause)
        for file in files or ():
            file.reset()
