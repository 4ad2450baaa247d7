"""The odds of duels: `DuelOddsRequest` asks, `DuelOdds` answers; groups may be asked batch by batch."""

from sim.duel.odds.report import DuelOdds, SideOdds, Simulation
from sim.duel.odds.request import DuelOddsBatch, DuelOddsRequest, merged
from sim.duel.odds.tally import Tally

__all__ = ["DuelOdds", "DuelOddsBatch", "DuelOddsRequest", "SideOdds", "Simulation", "Tally", "merged"]
