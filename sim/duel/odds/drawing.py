"""The picture of the odds as a job."""

from sim.core.frozen import Frozen
from sim.duel.odds.report import DuelOdds

_SECONDS = 1.0


class DuelChartRequest(Frozen):
    """A picture of odds: the chances of both sides, and what is left of each."""

    report: DuelOdds

    def cost(self) -> float:
        """Return the most seconds that the drawing can take: a rough upper figure."""
        return _SECONDS

    def run(self) -> bytes:
        """Draw it; returns a PNG."""
        # Not at the top: who only asks for it must not load matplotlib.
        from sim.duel.odds.chart import draw  # noqa: PLC0415

        return draw(self.report)
