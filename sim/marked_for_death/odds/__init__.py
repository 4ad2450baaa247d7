"""The odds of a battle of two rosters: exact for one against one, else simulated.

`OddsRequest` asks and `OddsReport` answers, at one go (`run`) or in parts (`next_batch`, `report`); likewise
`SensitivityRequest` asks whose presence moves the odds. Importing this loads neither NumPy nor Numba; `run` does.
"""

from sim.marked_for_death.odds.drawing import OddsChartRequest
from sim.marked_for_death.odds.report import FighterOdds, OddsReport
from sim.marked_for_death.odds.request import OddsBatch, OddsRequest, next_batch, progress, report
from sim.marked_for_death.odds.sensitivity import (
    SensitivityBatch,
    SensitivityReport,
    SensitivityRequest,
    SensitivityTally,
    Weight,
    next_sensitivity_batch,
    sensitivity_progress,
    sensitivity_report,
)
from sim.marked_for_death.odds.tally import Tally

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
