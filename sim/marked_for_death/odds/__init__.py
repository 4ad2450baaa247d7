"""The odds of a battle of two rosters: exact for one against one, else simulated.

`OddsRequest` asks and `OddsReport` answers, at one go (`run`) or in parts (`next_batch`, `report`); likewise
`SensitivityRequest` asks whose presence moves the odds. Importing this loads neither NumPy nor Numba; `run` does.
"""

from sim.marked_for_death.odds.reports import FighterOdds, OddsReport, SensitivityReport, Weight
from sim.marked_for_death.odds.request import OddsBatch, OddsChartRequest, OddsRequest, next_batch, progress, report
from sim.marked_for_death.odds.sensitivity import (
    SensitivityBatch,
    SensitivityRequest,
    next_sensitivity_batch,
    sensitivity_progress,
    sensitivity_report,
)
from sim.marked_for_death.odds.tally import SensitivityTally, Tally

__all__ = [
    "FighterOdds",
    "OddsBatch",
    "OddsChartRequest",
    "OddsReport",
    "OddsRequest",
    "SensitivityBatch",
    "SensitivityReport",
    "SensitivityRequest",
    "SensitivityTally",
    "Tally",
    "Weight",
    "next_batch",
    "next_sensitivity_batch",
    "progress",
    "report",
    "sensitivity_progress",
    "sensitivity_report",
]
