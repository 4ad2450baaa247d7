"""Rosters of duels as CSV: `read_roster`, `write_roster`, and `example`, a file to begin with."""

from sim.duel.roster.read import read_roster
from sim.duel.roster.values import Roster, RosterSide
from sim.duel.roster.write import EXAMPLE, example, write_roster

__all__ = ["EXAMPLE", "Roster", "RosterSide", "example", "read_roster", "write_roster"]
