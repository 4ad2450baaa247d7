"""Whether a database can be used: told once when it no longer can, and once when it can again."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bot.store.errors import DiskFullError, UnavailableError

ROOM_SECONDS = 60.0
"""After how long without a failure a write shows that there is room: a full disk takes small ones now and then."""

Listener = Callable[[UnavailableError, int | None], None]


class Availability:
    """What keeps one database from being used now, as the last attempts showed."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.trouble: UnavailableError | None = None
        """None while all is well."""
        self._monotonic = monotonic
        self._listener: Listener = lambda _trouble, _away: None
        self._successes = 0
        self._began = self._failed = 0.0

    def listen(self, listener: Listener) -> None:
        """Call `listener` with a trouble that begins and None, and with one that is over and its length in seconds."""
        self._listener = listener

    @contextmanager
    def watched(self, *, writing: bool = False) -> Iterator[None]:
        """Learn from how the block ends, which uses the database and, if it is `writing`, changes it."""
        before = self._successes
        try:
            yield
        except UnavailableError as error:
            # What has succeeded meanwhile shows that no more than one connection broke.
            if isinstance(error, DiskFullError) or before == self._successes:
                self._begin(error)
            raise
        self._successes += 1
        if not isinstance(self.trouble, DiskFullError) or (
            writing and self._monotonic() - self._failed >= ROOM_SECONDS
        ):
            self._end()

    def _begin(self, trouble: UnavailableError) -> None:
        self._failed = self._monotonic()
        if type(trouble) is not type(self.trouble):
            self._end()
            self.trouble, self._began = trouble, self._failed
            self._listener(trouble, None)

    def _end(self) -> None:
        over, self.trouble = self.trouble, None
        if over is not None:
            self._listener(over, round(self._monotonic() - self._began))
