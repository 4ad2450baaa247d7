"""The odds of a battle with dice, and what players ask of them.

`OddsRequest` asks for the odds, `NeedRequest` what it takes to win, `RetreatRequest` when to retreat, `LuckRequest` how
lucky a result was; `…Report` answers. Importing this loads neither NumPy nor Numba; `run` does.
"""

from sim.axis_allies.odds.reports import LuckReport, NeedReport, OddsReport, RetreatReport
from sim.axis_allies.odds.requests import LuckRequest, NeedRequest, OddsRequest, RetreatRequest

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
