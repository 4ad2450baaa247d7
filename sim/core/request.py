"""The base of every calculation that a worker can do."""

from typing import ClassVar

from sim.core.frozen import Frozen


class Request(Frozen):
    """A calculation as a value: `run`, which a subclass adds, does it and returns its report.

    A subclass sets `max_seconds`, or overrides `cost` if its cost depends on its fields.
    """

    max_seconds: ClassVar[float]

    def cost(self) -> float:
        """Return a rough upper bound of the seconds that `run` takes; RuleError if the request is out of bounds."""
        return self.max_seconds
