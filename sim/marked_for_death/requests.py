"""The jobs of Marked for Death: read and check rosters, change one, fight a whole battle and write its files.

Importing this module loads neither NumPy nor Numba. Source: .docs/rules/marked_for_death.md, "Results".
"""

from functools import partial
from typing import Annotated

from pydantic import Field

from sim.core import RuleError
from sim.core.dice import Seed, SeededDice, seed_bytes
from sim.core.values import Ending, Request
from sim.csv import read_files
from sim.marked_for_death.battle import FINAL_FILES, MAX_ROUNDS, Fell, Fought, Setup, State, current_roster
from sim.marked_for_death.battle.rules import RosterBattle, ending_line, roster_changes
from sim.marked_for_death.battle.runner import RosterRunner, combatants, ended_event, side_cards, started_event
from sim.marked_for_death.cards import battle_card
from sim.marked_for_death.reports import ChangeReport, CheckReport, ReadReport, RunReport, SideReport
from sim.marked_for_death.roster import MAX_FIGHTERS, Camp, Roster
from sim.marked_for_death.stats import roster_warnings
from sim.marked_for_death.tables import read_roster, roster_csv

MAX_LIVE_SEED = 64
"""Bytes of the seed of a battle in a channel, and more."""

MAX_RECORDS = 60_000
"""Attacks and fighters in all rounds of a battle fought in one go."""

MAX_TOTAL_DICE = 2_000_000
"""Dice in all rounds of a battle fought in one go."""


_CONTINUE = "Continue with the final files."
_SECONDS_PER_FILE = 0.3  # measured, a rough upper figure


class CheckRequest(Request):
    """Read and check a roster's file; TableError with what is wrong with it."""

    max_seconds = _SECONDS_PER_FILE

    source: bytes

    def run(self) -> CheckReport:
        """Return the roster with its fighters' cards and the warnings."""
        checked = read_roster(self.source)
        return CheckReport(
            roster=checked.roster, cards=side_cards(combatants(checked.roster)), warnings=checked.warnings
        )


class ReadRequest(Request):
    """Read both rosters of a battle; FilesError with what is wrong with either file."""

    max_seconds = 2 * _SECONDS_PER_FILE

    heroes: bytes
    villains: bytes

    def run(self) -> ReadReport:
        """Return both rosters with their warnings."""
        heroes, villains = read_files(
            {"Heroes": partial(read_roster, self.heroes), "Villains": partial(read_roster, self.villains)}
        )
        return ReadReport(heroes=heroes, villains=villains)


class RunRequest(Request):
    """Fight a battle in one go: to the end, to the round limit, or until it becomes too long to report.

    With a limit of 0 nobody fights. `seed` decides the dice; `live`, in its place, is the seed of a battle in a channel
    that was fought to the end at once: this one has the same dice.

    FilesError for files that can't be read, RuleError for a battle whose rounds are too large.
    """

    max_seconds = 2 * _SECONDS_PER_FILE + 3.5  # both files, and the battle

    heroes: bytes
    villains: bytes
    max_rounds: Annotated[int, Field(ge=0, le=MAX_ROUNDS)] | None = None
    seed: Seed = 0
    live: Annotated[bytes, Field(max_length=MAX_LIVE_SEED)] | None = None

    def run(self) -> RunReport:
        """Return the whole battle."""
        rosters = ReadRequest(heroes=self.heroes, villains=self.villains).run()
        setup = Setup(
            heroes=rosters.heroes.roster, villains=rosters.villains.roster, max_rounds=self.max_rounds or MAX_ROUNDS
        )
        dice = SeededDice(seed_bytes(self.seed)) if self.live is None else SeededDice(self.live, 1)
        rules = RosterBattle()
        runner = RosterRunner(rules.begin(setup), dice)
        start = started_event(runner.state)
        if self.max_rounds == 0 and runner.state.ending is None:
            runner.call_off()
        while runner.state.ending is None and runner.records < MAX_RECORDS and runner.dice_thrown < MAX_TOTAL_DICE:
            runner.fight()
        stopped = _stop_reason(runner.state, self.max_rounds)
        if runner.state.ending is None:
            runner.call_off()
        end = runner.state
        ended = ended_event(end)
        if ended is None:
            raise ValueError("the battle goes on")
        rounds: list[list[str]] = []
        fallen: list[tuple[int, Fell]] = []
        for event in runner.events:
            if isinstance(event, Fought):
                rounds.append(rules.lines((event,)))
            elif isinstance(event, Fell):
                fallen.append((len(rounds), event))
                rounds[-1] += rules.lines((event,))
        sides = {
            camp.value: SideReport(
                cards=start.side(camp),
                survivors=ended.side(camp),
                final=current_roster(end, camp),
                warnings=rosters.side(camp).warnings,
            )
            for camp in Camp
        }
        return RunReport(
            winner=ended.winner,
            ending=ended.ending,
            seed=self.seed,
            stopped=stopped,
            fallen=tuple(fallen),
            opening=(f"Seed: {self.seed if self.live is None else self.live.hex()}", *rules.lines((start,))),
            rounds=tuple(map(tuple, rounds)),
            closing=ending_line(ended),
            card=battle_card(end, [start, *runner.events], None),
            **sides,
        )


class RunFilesRequest(Request):
    """Write the files of a battle."""

    max_seconds = RunRequest.max_seconds

    battle: RunRequest

    def run(self) -> dict[str, bytes]:
        """Fight the battle and return its files by name: the log, and both final rosters."""
        return battle_files(self.battle.run())


class ChangeRequest(Request):
    """Compare the file of a changed roster with one side of a battle; `state_json` is the battle's stored state.

    `whole`: the file takes the roster's place; else its fighters join, in place of those of the same names.
    """

    max_seconds = 0.2

    state_json: str
    camp: Camp
    data: bytes
    whole: bool = True

    def run(self) -> ChangeReport:
        """Return what the file changes; TableError with what is wrong with it, RuleError for too many fighters."""
        checked = read_roster(self.data)
        state: State = RosterBattle().states.read_json(self.state_json)
        before = current_roster(state, self.camp)
        roster, warnings = checked.roster, checked.warnings
        if not self.whole:
            rows = {fighter.key: fighter for fighter in (*before.fighters, *roster.fighters)}
            if len(rows) > MAX_FIGHTERS:
                raise RuleError(f"There would be {len(rows):,} fighters; at most {MAX_FIGHTERS} take part.")
            # Only the warnings that come with the file: its notes, and what wasn't said of the side without it.
            known, alone = set(roster_warnings(before)), set(roster_warnings(roster))
            roster = Roster(
                fighters=tuple(rows.values()), spare_buffs=max(before.spare_buffs, checked.roster.spare_buffs)
            )
            notes = [warning for warning in warnings if warning not in alone]
            warnings = (*notes, *(warning for warning in roster_warnings(roster) if warning not in known))
        return ChangeReport(roster=roster, changes=roster_changes(before, roster), warnings=warnings)


def battle_files(report: RunReport) -> dict[str, bytes]:
    """Return a battle's files by name; rosters begin with a byte order mark, which tells spreadsheets of UTF-8."""
    text = "".join(f"{line}\n" for line in report.log())
    finals = {name: roster_csv(report.side(camp).final) for camp, name in FINAL_FILES.items()}
    return {"BattleLog.txt": text.encode(), **finals}


def _stop_reason(state: State, max_rounds: int | None) -> str | None:
    if state.ending is None:
        return f"Stopped after {state.round:,} rounds: the battle is too large to fight in one go. {_CONTINUE}"
    if state.ending is Ending.ROUND_LIMIT and max_rounds is None:
        return f"Stopped after {state.round:,} rounds, the most in one go. {_CONTINUE}"
    return None
