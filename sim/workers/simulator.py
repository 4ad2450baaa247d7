"""What runs jobs, as its users see it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from sim.core.parts import Job, Part, Unfinished
from sim.workers.limits import Caller, R
from sim.workers.queue import Queue


def ignore(_latest: object) -> None:
    """Do nothing with what has come."""


class Simulator(Protocol):
    """Runs jobs from asynchronous code."""

    queue: Queue

    async def is_ready(self) -> bool:
        """Return whether a job would begin at once if nobody were before it."""
        ...

    async def run(self, job: Job[R], caller: Caller | None = None, sizes: list[int] | None = None) -> R:
        """Return the report of `job`, run in its caller's turn; without a caller it goes before what players ask.

        Raises the RuleErrors below and those of the job; any other exception of the job comes back as itself.
        Cancelling the awaiting task ends the job. `sizes` gets how many bytes job and report have, pickled.
        """
        ...

    async def map(
        self,
        parts: Sequence[Part[R]],
        caller: Caller | None = None,
        came: Callable[[Sequence[R | Unfinished[R]]], None] = ignore,
        sizes: list[int] | None = None,
    ) -> list[R]:
        """Return the reports of parts that don't depend on each other, in their order, run side by side.

        One of them at a time runs in the caller's turn, as a job; the others where nobody else waits for a worker.
        `came` gets what the parts have reported up to now whenever a job ends. Otherwise as `run`: what one part raises
        ends all of them, and so does cancelling.
        """
        ...

    def delay_reason(self, caller: Caller | None) -> str:
        """Return why the caller's job isn't done yet, in a sentence for the player."""
        ...

    async def close(self) -> None:
        """End every job that is still running and free what the simulator holds; it can't be used again."""
        ...
