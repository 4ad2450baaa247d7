"""What runs jobs, as its users see it."""

from typing import Protocol

from sim.workers.limits import Caller, Job, R
from sim.workers.queue import Queue


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

    def delay_reason(self, caller: Caller | None) -> str:
        """Return why the caller's job isn't done yet, in a sentence for the player."""
        ...

    async def close(self) -> None:
        """End every job that is still running and free what the simulator holds; it can't be used again."""
        ...
