"""The database as repositories know it: transactions that always run to their end, and reads of what is committed.

There are two engines, SQLite (`sqlite.py`) and PostgreSQL (`bot/scale/postgres.py`), and one set of queries for both.
SQL has `?`, or `?1` for a parameter that it names more than once; `bot/scale/dialect.py` says what else both know.

Much that was read is gone through without holding the event loop: `cooperative`, `off_loop`.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, fields
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

from bot.store import ConstraintError, DiskFullError, UnavailableError
from bot.store.migrate import Contents, Update

T = TypeVar("T")
P = ParamSpec("P")
Value = str | float | bytes | None
Parameters = Sequence[Value]

ROWS_AT_ONCE = 8
"""How many rows one transaction deletes with all that hangs on them, such as a battle's journal, while others wait."""


ROOM_SECONDS = 60.0
"""After how long without a failure a write shows that there is room: a full disk takes small ones now and then."""

Listener = Callable[[UnavailableError, int | None], None]


class Row(Protocol):
    """A row of a result: its values in order, and by number or name."""

    def __getitem__(self, which: Any, /) -> Any: ...  # noqa: ANN401  # a value of the database
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def keys(self) -> Iterable[str]:
        """Return the names of the columns."""


class Statements(ABC):
    """What is asked of a database, or inside a transaction; rows that the tables refuse raise `ConstraintError`.

    `table`: has the columns of the dataclass `kind`, perhaps others, too. Rows are written as values by their columns,
    and found by such values, None where there is none, or by `which`, a fixed "WHERE …".
    """

    @abstractmethod
    async def execute(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement and return how many rows it wrote or deleted."""

    @abstractmethod
    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Return every row of a query, of committed data only; a transaction sees its own, also with RETURNING."""

    async def fetch_one(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """Return the first row of a query that has few, or None when it has none."""
        return next(iter(await self.fetch_all(sql, parameters)), None)

    async def fetch_column(self, kind: type[T], sql: str, parameters: Parameters = ()) -> list[T]:  # noqa: ARG002  # says what it holds
        """Return the first value of each row of a query; `kind`: what that is."""
        return [row[0] for row in await self.fetch_all(sql, parameters)]

    async def fetch_value(self, kind: type[T], sql: str, parameters: Parameters = ()) -> T | None:
        """Return the first value of a query's first row, or None when it has none."""
        return next(iter(await self.fetch_column(kind, sql, parameters)), None)

    async def fetch(self, kind: type[T], table: str, which: str = "", parameters: Parameters = ()) -> list[T]:
        """Return the rows that `which` selects."""
        columns = ", ".join(field.name for field in fields(kind))  # type: ignore[arg-type]  # a dataclass
        rows = await self.fetch_all(f"SELECT {columns} FROM {table} {which}", parameters)  # noqa: S608  # the callers' own words
        return [kind(**values_of(kind, row)) for row in rows]

    async def find(self, kind: type[T], table: str, /, **key: Value) -> T | None:
        """Return the row with these values, or None."""
        where, values = _where(key)
        return next(iter(await self.fetch(kind, table, where, values)), None)

    async def add(self, table: str, /, **row: Value) -> bool:
        """Insert a row unless the table has one with its key; return whether it hadn't."""
        return await self.execute(f"{_insertion(table, row)} ON CONFLICT DO NOTHING", [*row.values()]) > 0

    async def put(self, table: str, key: str, /, **row: Value) -> None:
        """Insert a row in place of the one with the same `key`, which is one of its columns."""
        news = ", ".join(f"{name} = excluded.{name}" for name in row if name != key)
        await self.execute(f"{_insertion(table, row)} ON CONFLICT ({key}) DO UPDATE SET {news}", [*row.values()])

    async def change(self, table: str, key: Mapping[str, Value], /, **news: Value) -> int:
        """Write these values into the rows with the values of `key`; return how many there were."""
        where, values = _where(key)
        sql = f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in news)} {where}"  # noqa: S608  # as above
        return await self.execute(sql, [*news.values(), *values])

    async def drop(self, table: str, /, **key: Value) -> int:
        """Delete the rows with these values; return how many there were."""
        where, values = _where(key)
        return await self.execute(f"DELETE FROM {table} {where}", values)  # noqa: S608  # as above


def _where(key: Mapping[str, Value]) -> tuple[str, Parameters]:
    conditions = [f"{name} IS NULL" if value is None else f"{name} = ?" for name, value in key.items()]
    return f"WHERE {' AND '.join(conditions)}", [value for value in key.values() if value is not None]


def _insertion(table: str, columns: Collection[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608  # as above


def values_of(kind: type, row: Row) -> dict[str, Any]:
    """Return a row's values by their columns, numbers as truths where the dataclass `kind` has such a field."""
    truths = {field.name for field in fields(kind) if field.type is bool}
    return {name: bool(value) if name in truths else value for name, value in dict(row).items()}


class Connection(Statements):
    """What the body of a transaction may do."""

    @abstractmethod
    async def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run a statement for each of `rows`."""

    @abstractmethod
    def stream(self, sql: str) -> AsyncIterator[Row]:
        """Return the rows of a query one by one, for a table that doesn't fit into memory."""

    async def numbered(self, table: str, /, **row: Value) -> int:
        """Insert a row and return the id that the table gave it."""
        (found,) = await self.fetch_all(f"{_insertion(table, row)} RETURNING id", [*row.values()])
        return int(found["id"])


@dataclass(frozen=True, slots=True)
class Reference:
    """A column of a table that holds the `target` column of a row of another one, its parent."""

    table: str
    column: str
    parent: str
    target: str


Body = Callable[[Connection], Awaitable[T]]


@contextmanager
def refusals_named(refusal: type[Exception]) -> Iterator[None]:
    """Raise ConstraintError for an engine's own `refusal` in the block."""
    try:
        yield
    except refusal as error:
        raise ConstraintError(str(error)) from error


class Availability:
    """What keeps one database from being used now, as the last attempts showed."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.trouble: UnavailableError | None = None
        """None while all is well."""
        self.listener: Listener = lambda _trouble, _away: None
        """Called with a trouble that begins and None, and with one that is over and its length in seconds."""
        self._monotonic = monotonic
        self._successes = 0
        self._began = self._failed = 0.0

    @contextmanager
    def watched(self, *, writing: bool = False) -> Iterator[None]:
        """Learn from how the block ends, which uses the database and, if it is `writing`, changes it."""
        before, known = self._successes, self.trouble
        try:
            yield
        except UnavailableError as error:
            # What has succeeded meanwhile shows that no more than one connection broke.
            if isinstance(error, DiskFullError) or before == self._successes:
                self._begin(error)
            raise
        self._successes += 1
        if self.trouble is not known:
            return  # which came later: an answer that was on its way shows nothing of now
        if not isinstance(known, DiskFullError) or (writing and self._monotonic() - self._failed >= ROOM_SECONDS):
            self._end()

    def _begin(self, trouble: UnavailableError) -> None:
        self._failed = self._monotonic()
        if type(trouble) is not type(self.trouble):
            self._end()
            self.trouble, self._began = trouble, self._failed
            self.listener(trouble, None)

    def _end(self) -> None:
        over, self.trouble = self.trouble, None
        if over is not None:
            self.listener(over, round(self._monotonic() - self._began))


class Database(Statements):
    """A database of Fracas; get one from `open_database`, and `close` it, or the process can't exit."""

    path: Path | None = None
    """The file; None for a database in memory or on a server."""
    is_shared = False
    """Whether several processes may use it at the same time."""
    updates: Sequence[Update] = ()
    """What was migrated when it was opened."""
    availability: Availability
    columns_sql: str
    """The query for every table and column."""
    references_sql: str
    """That for every reference, as the fields of `Reference`."""

    @abstractmethod
    async def write(self, body: Body[T]) -> T:
        """Run `body` in a transaction of its own and return what it returns.

        The transaction is committed when `body` returns and rolled back when it raises; others see all of it or
        nothing, and `body` sees nothing change meanwhile. Once begun it runs to its end: a caller that is cancelled
        meanwhile gets its `CancelledError` only afterwards. A caller cancelled while it waits for its turn has written
        nothing. `body` uses the connection it is given and nothing else of this class, and does nothing slow: others
        wait for it. Where several processes write, it may be rolled back and run again.

        Raises what `body` raises, the engine's errors, `UnavailableError` where the server is lost or the disk full,
        and `StoreError` when the database is closed.
        """

    async def execute(self, sql: str, parameters: Parameters = ()) -> int:
        """Run one statement in a transaction of its own and return how many rows it wrote or deleted; see `write`."""
        return await self.write(lambda conn: conn.execute(sql, parameters))

    def erasing(self) -> AbstractAsyncContextManager[None]:
        """Leave as little of what the block's writes delete as the engine can; that may take some time at its end.

        By default the engine does so by itself: PostgreSQL overwrites what was deleted when it vacuums.
        """
        return nullcontext()

    async def delete_where(self, table: str, key: str, where: str, parameters: Parameters) -> int:
        """Delete rows, some in each transaction, so that others needn't wait for all; return how many there were.

        `key`: the column of the table's primary key.
        """
        rows = f"{key} IN (SELECT {key} FROM {table} WHERE {where} LIMIT {ROWS_AT_ONCE})"  # noqa: S608  # the callers' own words
        total = 0
        while deleted := await self.execute(f"DELETE FROM {table} WHERE {rows}", parameters):  # noqa: S608  # as above
            total += deleted
        return total

    async def scrub(self) -> None:  # an engine may do so by itself
        """Remove what an erasure couldn't remove; does nothing where there is nothing."""

    async def checked(self) -> None:  # a server checks by itself
        """Wait for a check of the whole database that goes on beside the first answers; StoreError for damage."""

    async def answers(self) -> bool:
        """Return whether the database can be read, for the health page."""
        return bool(await self.tables())

    async def tables(self) -> Mapping[str, frozenset[str]]:
        """Return the columns of each table."""
        rows = await self.fetch_all(self.columns_sql)
        return {table: frozenset(column for other, column in rows if other == table) for table, _ in rows}

    async def references(self) -> list[Reference]:
        """Return every reference from one table to another."""
        return [Reference(*row) for row in await self.fetch_all(self.references_sql)]

    @abstractmethod
    async def counters(self, conn: Connection) -> Mapping[str, int]:
        """Return the highest number given so far in each table that numbers its rows by itself."""

    @abstractmethod
    async def count_on(self, conn: Connection, counters: Mapping[str, int]) -> None:
        """Let tables whose rows were copied give higher numbers than those, and than those in their rows."""

    @asynccontextmanager
    async def alone(self, name: str, *, wait: bool) -> AsyncIterator[bool]:
        """Let one caller at a time do the work with this name; yields whether this one may.

        It waits for callers in its own process, and with `wait` for those in others, too. If the process that does the
        work dies, another one may.
        """
        lock = self._locks.setdefault(name, asyncio.Lock())
        async with lock, self.alone_of_all(name, wait=wait) as ours:
            yield ours

    @cached_property
    def _locks(self) -> WeakValueDictionary[str, asyncio.Lock]:
        return WeakValueDictionary()

    def alone_of_all(self, name: str, *, wait: bool) -> AbstractAsyncContextManager[bool]:  # noqa: ARG002  # for those that are shared
        """Keep other processes out, as `alone` does. By default none can have the file open."""
        return nullcontext(enter_result=True)

    @abstractmethod
    async def copy_to(self, file: Path) -> Contents:
        """Copy what is committed to a new file and check the copy, while others read and write; return what it holds.

        Cancelling ends it. Raises `StoreError` if `file` exists, can't be written or turns out damaged, when the
        database is closed, and where it is on a server; then there is no file.
        """

    @abstractmethod
    async def close(self) -> None:
        """Close the connection after the current transaction; does nothing the second time."""


class Repository:
    """Access to one table or aggregate of a database; `clock` returns Unix seconds."""

    def __init__(self, db: Database, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    @property
    def _now(self) -> int:
        return int(self._clock())


RepositoryT = TypeVar("RepositoryT", bound=Repository)


def in_transaction(
    method: Callable[Concatenate[RepositoryT, Connection, P], Awaitable[T]],
) -> Callable[Concatenate[RepositoryT, P], Coroutine[Any, Any, T]]:
    """Run a repository's method in a transaction of its own, whose connection it gets first; see `Database.write`."""

    @wraps(method)
    async def run(self: RepositoryT, /, *arguments: P.args, **named: P.kwargs) -> T:
        return await self._db.write(lambda conn: method(self, conn, *arguments, **named))

    return run


BREAK_SECONDS = 0.01
"""How long a loop runs before it yields to the event loop."""

MAX_CHARACTERS = 100_000
"""Characters of JSON that may be parsed in the event loop itself."""


async def cooperative(items: Iterable[T]) -> AsyncIterator[T]:
    """Iterate cooperatively: yield to the event loop every 10 ms."""
    since = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - since >= BREAK_SECONDS:
            await asyncio.sleep(0)
            since = time.perf_counter()


async def off_loop(characters: int, work: Callable[..., T], *arguments: object) -> T:
    """Call `work` on JSON text and return the result; in a thread if `characters`, its length, is over MAX_CHARACTERS.

    `work` must not change shared state.
    """
    return await asyncio.to_thread(work, *arguments) if characters > MAX_CHARACTERS else work(*arguments)


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish `work` even if the caller is cancelled; the cancellation is raised afterwards."""
    task = asyncio.create_task(work)
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation from (None if task.cancelled() else task.exception())
    return task.result()
