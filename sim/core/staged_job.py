"""Questions too long for one job: parts that workers do side by side, and a job that joins them.

What the parts are depends on the question and on earlier reports alone, never on the workers: the report is the same
however many there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

P = TypeVar("P")
S = TypeVar("S")
R_co = TypeVar("R_co", covariant=True)


class Job(Protocol[R_co]):
    """A calculation that a worker can run: a picklable value, usually a frozen request."""

    def cost(self) -> float:
        """Return about how many seconds of one worker `run` takes (0 or more; rather too many than too few).

        Called in the event loop, so it must be cheap. Raises RuleError when the request itself is out of bounds.
        """

    def run(self) -> R_co:
        """Do the calculation and return its report, which must be picklable. Raises RuleError."""


@dataclass(frozen=True, slots=True)
class Continue(Generic[P]):
    """The report of a part that is too long for one job: `rest` does what is left, and reports as the part would."""

    rest: "Job[P | Continue[P]]"


Part = Job[P | Continue[P]]
"""A part that may take several jobs, one after the other."""


class StagedJob(Protocol[P, S]):
    """A question whose answer comes in stages; each is made of parts that don't depend on each other."""

    def parts(self, partial: S | None) -> Sequence[Part[P]]:
        """Return the parts of the next stage, None before the first; none if `partial` is the answer. Must be cheap."""

    def join(self, partial: S | None, reports: Sequence[P]) -> S:
        """Return what is known after a stage, from the reports in the order of its parts. Runs in a worker."""

    def progress(self, partial: S | None, latest: Sequence[P | Continue[P]]) -> tuple[float, str]:
        """Return roughly how much is done, from 0 to 1, and what, in a few words.

        `latest`: what the parts of the current stage have reported up to now, in no order. Must be cheap.
        """


@dataclass(frozen=True, slots=True)
class JoinParts(Generic[P, S]):
    """The job that joins the reports of a stage."""

    question: StagedJob[P, S]
    partial: S | None
    reports: tuple[P, ...]

    def cost(self) -> float:
        """Return the most seconds that joining takes."""
        return 0.2

    def run(self) -> S:
        """Return what is known after the stage."""
        return self.question.join(self.partial, self.reports)


def answer(question: StagedJob[P, S]) -> S:
    """Return the answer, one part after the other, in this process."""
    partial = question.join(None, [to_the_end(part) for part in question.parts(None)])
    while parts := question.parts(partial):
        partial = question.join(partial, [to_the_end(part) for part in parts])
    return partial


def to_the_end(part: Part[P]) -> P:
    """Return the report of a part, in this process, job after job."""
    report = part.run()
    while isinstance(report, Continue):
        report = report.rest.run()
    return report
