"""The picture of the odds as a job."""

from sim.core.request import Request
from sim.duel.odds.report import DuelOdds


class DuelChartRequest(Request):
    """A picture of odds: the chances of both sides, and what is left of each."""

    max_seconds = 1.0

    report: DuelOdds

    def run(self) -> bytes:
        """Draw it; returns a PNG."""
        # Not at the top: who only asks for it must not load matplotlib.
        from sim.duel.odds.chart import draw  # noqa: PLC0415

        return draw(self.report)
