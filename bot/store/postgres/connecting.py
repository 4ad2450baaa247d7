"""Connections to a server, and what it means when there is none."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg

from bot.store.errors import DatabaseLostError, DiskFullError, StoreError

CONNECT_SECONDS = 10.0
COMMAND_SECONDS = 60.0
UNREACHABLE = (
    *(OSError, TimeoutError, asyncpg.InterfaceError, asyncpg.InternalClientError, asyncpg.PostgresConnectionError),
    *(asyncpg.OperatorInterventionError, asyncpg.InsufficientResourcesError),
    asyncpg.IdleInTransactionSessionTimeoutError,
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
    except UNREACHABLE as error:
        raise DatabaseLostError(f"The database {place} can't be reached ({reason(error)}).") from None
    except asyncpg.PostgresError as error:
        raise StoreError(f"The database {place} can't be reached ({reason(error)}).") from None


@contextmanager
def losses_named(place: str) -> Iterator[None]:
    """Raise UnavailableError where the server can't be used any more; an OSError would be taken for Discord's."""
    try:
        yield
    except asyncpg.DiskFullError as error:
        raise DiskFullError(f"The database {place} has no room left on its disk ({reason(error)}).") from error
    except UNREACHABLE as error:
        raise lost(place, error) from error


def lost(place: str, error: BaseException, *, may_be_done: bool = False) -> DatabaseLostError:
    """Return what is raised instead of an error that is one of `UNREACHABLE`."""
    return DatabaseLostError(f"The database {place} can't be reached now ({reason(error)}).", may_be_done=may_be_done)


@contextmanager
def dropped_if_lost(conn: "asyncpg.Connection[Any]") -> Iterator[None]:
    """Close a connection that breaks in the block; asyncpg leaves some of them open, and nothing works over them."""
    try:
        yield
    except UNREACHABLE:
        conn.terminate()
        raise


def reason(error: BaseException) -> str:
    """Return what an error says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
