"""A changed roster for a battle that goes on: read, and compared with how the side stands."""

from sim.core.frozen import Frozen
from sim.core.request import Request
from sim.marked_for_death.battle import RosterBattle, State, current_roster, difference
from sim.marked_for_death.parse import read_roster
from sim.marked_for_death.roster import Camp, Roster


class ChangeReport(Frozen):
    """The roster as it was read, what it changes, a sentence for each fighter, and what to look at again."""

    roster: Roster
    changes: tuple[str, ...]
    warnings: tuple[str, ...]


class ChangeRequest(Request):
    """What a roster's file would change for one side of a battle; `state_json` as the battle has it."""

    max_seconds = 0.2

    state_json: str
    camp: Camp
    data: bytes

    def run(self) -> ChangeReport:
        """Compare; TableError with everything that is wrong with the file."""
        checked = read_roster(self.data)
        state: State = RosterBattle().states.read_json(self.state_json)
        changes = difference(current_roster(state, self.camp), checked.roster)
        return ChangeReport(roster=checked.roster, changes=changes, warnings=checked.warnings)
