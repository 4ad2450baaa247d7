"""The odds of a battle of two rosters: exact for one against one, else simulated.

`OddsRequest` asks and `OddsReport` answers, at one go (`run`) or in parts (`next_batch`, `report`). Importing this
loads neither NumPy nor Numba; `run` does.
"""

from sim.marked_for_death.odds.report import FighterOdds, OddsReport
from sim.marked_for_death.odds.request import OddsBatch, OddsRequest, next_batch, progress, report
from sim.marked_for_death.odds.tally import Tally

__all__ = ["FighterOdds", "OddsBatch", "OddsReport", "OddsRequest", "Tally", "next_batch", "progress", "report"]
