"""The odds of a battle with dice: `OddsRequest` asks, `OddsReport` answers.

Importing this loads neither NumPy nor Numba; `OddsRequest.run` does.
"""

from sim.axis_allies.odds.report import OddsReport
from sim.axis_allies.odds.request import MAX_SEED, OddsRequest

__all__ = ["MAX_SEED", "OddsReport", "OddsRequest"]
