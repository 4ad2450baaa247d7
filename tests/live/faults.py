"""What goes wrong on the wire, on demand."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

CALLBACK = r"^/interactions/\d+/[^/]+/callback$"
ORIGINAL = r"^/webhooks/\d+/[^/]+/messages/@original$"
FOLLOWUP = r"^/webhooks/\d+/[^/]+(/messages/\d+)?$"
CHANNEL = r"^/channels/"
ANY = r""


@dataclass
class Fault:
    """Happens to the next `times` requests (None: to all) of `method` (any: "") whose path `route` is found in.

    `delay`: seconds before anything else. `status`: answered in place of the effect, with `body`, or with `code`.
    `reset`: the connection breaks, before the effect, or after it, when only the acknowledgement is lost.
    """

    method: str
    route: str
    times: int | None = 1
    status: int | None = None
    code: int = 0
    body: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    reset: Literal["before", "after"] | None = None
    hits: int = 0

    def meets(self, method: str, path: str) -> bool:
        """Return whether this happens to a request."""
        left = self.times is None or self.hits < self.times
        return left and self.method in {"", method} and re.search(self.route, path) is not None

    @property
    def answer(self) -> dict[str, Any]:
        """The body of the error."""
        return (
            self.body if self.body is not None else {"message": f"a fault of status {self.status}", "code": self.code}
        )


class Faults:
    """The faults that wait to happen."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    @contextlib.contextmanager
    def add(self, fault: Fault) -> Iterator[Fault]:
        """Let a fault happen within the block; whether it did is in its `hits`."""
        self._waiting.append(fault)
        try:
            yield fault
        finally:
            self._waiting.remove(fault)

    def next(self, method: str, path: str) -> Fault | None:
        """Return what happens to a request, counted."""
        for fault in self._waiting:
            if fault.meets(method, path):
                fault.hits += 1
                return fault
        return None
