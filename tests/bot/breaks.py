"""Breaks the connection of the simulated Discord, which by itself only refuses."""

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from simcord.backend import Backend

from tests.live.wire import Fault


@dataclass
class Wire:
    """The breaks that wait to happen."""

    dispatch: Callable[..., Any]
    breaks: list[Fault] = field(default_factory=list)

    def cut(self, method: str, path: str, *, times: int | None = 1, after: bool = False) -> Fault:
        """Let the connection break at the next `times` requests (None: all) to a path, before or after their effect."""
        broken = Fault(method, f"^{fnmatch.translate(path)}", times, reset="after" if after else "before")
        self.breaks.append(broken)
        return broken

    def send(self, backend: Backend, method: str, path: str, **options: object) -> object:
        """Send a request, unless the connection breaks."""
        broken = next((found for found in self.breaks if found.meets(method, path)), None)
        answer = None if broken and broken.reset == "before" else self.dispatch(backend, method, path, **options)
        if broken:
            broken.hits += 1
            raise ConnectionResetError(104, "Connection reset by peer")
        return answer
