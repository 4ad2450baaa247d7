"""Connections to a server, and what it means when there is none."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg

from bot.store.errors import StoreError

CONNECT_SECONDS = 10.0
COMMAND_SECONDS = 60.0
UNREACHABLE = (
    *(OSError, TimeoutError, asyncpg.InterfaceError, asyncpg.PostgresConnectionError),
    *(asyncpg.OperatorInterventionError, asyncpg.InsufficientResourcesError),
)
SETTINGS = {
    "application_name": "fracas",
    # What a process, or its machine, held when it stopped is free again soon.
    "idle_in_transaction_session_timeout": "30s",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "synchronize_seqscans": "off",  # a copy reads rows in the order in which they came
}


async def connect(url: str, place: str) -> "asyncpg.Connection[Any]":
    """Open a connection of its own to the database at `url`, which people read as `place`; StoreError."""
    try:
        return await asyncpg.connect(
            url, timeout=CONNECT_SECONDS, command_timeout=COMMAND_SECONDS, server_settings=SETTINGS
        )
    except asyncpg.ClientConfigurationError:
        raise StoreError(f"The database {place} has no address of the form postgresql://user@host/name.") from None
    except (*UNREACHABLE, asyncpg.PostgresError) as error:
        raise StoreError(f"The database {place} can't be reached ({reason(error)}).") from None


@contextmanager
def losses_named(place: str) -> Iterator[None]:
    """Raise StoreError where the server can't be reached any more; an OSError would be taken for Discord's."""
    try:
        yield
    except UNREACHABLE as error:
        raise StoreError(f"The database {place} can't be reached now ({reason(error)}).") from error


def reason(error: BaseException) -> str:
    """Return what an error says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
