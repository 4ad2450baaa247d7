"""The odds of a battle with dice, and what players ask of them.

`OddsRequest` asks for the odds, `NeedRequest` what it takes to win, `RetreatRequest` when to retreat, `LuckRequest` how
lucky a result was; `…Report` answers. Importing this loads neither NumPy nor Numba; `run` does.
"""

from sim.axis_allies.odds.luck import LuckReport, LuckRequest
from sim.axis_allies.odds.purchase import NeedReport, NeedRequest
from sim.axis_allies.odds.report import OddsReport
from sim.axis_allies.odds.request import OddsRequest
from sim.axis_allies.odds.retreat import RetreatReport, RetreatRequest

__all__ = [
    "LuckReport",
    "LuckRequest",
    "NeedReport",
    "NeedRequest",
    "OddsReport",
    "OddsRequest",
    "RetreatReport",
    "RetreatRequest",
]
