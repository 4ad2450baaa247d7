"""Breaks the connection of the simulated Discord, which by itself only refuses."""

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from simcord.backend import Backend


@dataclass
class Break:
    """Breaks the next `times` requests (None: all) of a method to a path, before their effect, or after it."""

    method: str
    path: str
    times: int | None = 1
    after: bool = False
    hits: int = 0

    def meets(self, method: str, path: str) -> bool:
        """Return whether the connection breaks at this request, and count it."""
        left = self.times is None or self.hits < self.times
        met = left and self.method in {"*", method} and fnmatch.fnmatch(path, self.path)
        self.hits += met
        return met


@dataclass
class Wire:
    """The breaks that wait to happen."""

    dispatch: Callable[..., Any]
    breaks: list[Break] = field(default_factory=list)

    def cut(self, method: str, path: str, *, times: int | None = 1, after: bool = False) -> Break:
        """Let the connection break."""
        self.breaks.append(Break(method, path, times, after))
        return self.breaks[-1]

    def send(self, backend: Backend, method: str, path: str, **options: object) -> object:
        """Send a request, unless the connection breaks."""
        broken = next((found for found in self.breaks if found.meets(method, path)), None)
        answer = None if broken and not broken.after else self.dispatch(backend, method, path, **options)
        if broken:
            raise ConnectionResetError(104, "Connection reset by peer")
        return answer
