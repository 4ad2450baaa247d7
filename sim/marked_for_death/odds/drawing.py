"""The picture of the odds as a job, and who is in it."""

from sim.core.frozen import Frozen
from sim.marked_for_death.odds.report import FighterOdds, OddsReport
from sim.marked_for_death.roster import Camp

MOST_BARS = 20
"""Fighters of a side that the picture has room for."""

_SECONDS = 1.0


class OddsChartRequest(Frozen):
    """A picture of odds: the chances of both sides, and how likely each fighter survives."""

    report: OddsReport

    def cost(self) -> float:
        """Return the most seconds that the drawing can take: a rough upper figure."""
        return _SECONDS

    def run(self) -> bytes:
        """Draw it; returns a PNG."""
        # Not at the top: who only asks for it must not load matplotlib.
        from sim.marked_for_death.odds.chart import draw  # noqa: PLC0415

        return draw(self.report)


def drawn(report: OddsReport, camp: Camp) -> tuple[FighterOdds, ...]:
    """Return the fighters of a side that the picture shows: the likeliest to survive, that one first."""
    there = [one for one in report.side(camp) if not one.sits_out]
    return tuple(sorted(there, key=lambda one: -one.p_survives)[:MOST_BARS])
