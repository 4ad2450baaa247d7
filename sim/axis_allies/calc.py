"""Everything that `/aacalc` answers, in one job: the odds, the average battle beside them, the picture."""

from typing import Self

from typing_extensions import override

from sim.axis_allies.army import Army
from sim.axis_allies.average import AverageReport, AverageRequest
from sim.axis_allies.odds.reports import OddsReport
from sim.axis_allies.odds.requests import OddsRequest
from sim.core.frozen import Frozen
from sim.core.outcomes import Side
from sim.core.request import Request

SMART_GAIN = 0.005
"""Change of a side's chance from which on another way to choose losses is worth a line."""

_DRAWING_SECONDS = 0.5


class SmartOdds(Frozen):
    """The chances of both sides to win if both chose their losses smartly."""

    p_attacker: float
    p_defender: float


class CalcReport(Frozen):
    """The answer: `odds` and their `chart` (PNG) where all units are whole, and the average battle.

    `smart`: the chances with smart casualties, where they differ from the chosen method's by `SMART_GAIN` or more.
    """

    average: AverageReport
    odds: OddsReport | None = None
    smart: SmartOdds | None = None
    chart: bytes | None = None


class CalcRequest(Request):
    """A battle to answer for; `odds` is None where fractions of units leave only the average."""

    average: AverageRequest
    odds: OddsRequest | None = None

    @classmethod
    def of(cls, armies: dict[Side, Army], odds: OddsRequest | None, stop_after: int | None) -> Self:
        """Make the request for the armies of both sides."""
        return cls(average=AverageRequest.of(armies, stop_after), odds=odds)

    @override
    def cost(self) -> float:
        return self.average.cost() + (2 * self.odds.cost() + _DRAWING_SECONDS if self.odds is not None else 0)

    def run(self) -> CalcReport:
        """Work everything out; TooMuchError where the average battle finds no end."""
        average = self.average.run()
        if self.odds is None:
            return CalcReport(average=average)
        # Not at the top: who only asks the question must not load matplotlib.
        from sim.axis_allies.chart import draw  # noqa: PLC0415

        odds = self.odds.run()
        return CalcReport(average=average, odds=odds, smart=self._smart(odds), chart=draw(odds))

    def _smart(self, odds: OddsReport) -> SmartOdds | None:
        """Compare with smart casualties; a simulation is too coarse to."""
        if self.odds is None or odds.method == "simulated":
            return None
        update = {"casualties": "smart", "attacker_casualties": None, "defender_casualties": None}
        smart_request = self.odds.model_copy(update=update)
        if smart_request == self.odds:
            return None
        smart = smart_request.run()
        gains = (smart.p_attacker - odds.p_attacker, smart.p_defender - odds.p_defender)
        if smart.method == "simulated" or max(map(abs, gains)) < SMART_GAIN:
            return None
        return SmartOdds(p_attacker=smart.p_attacker, p_defender=smart.p_defender)
