"""A whole battle in one go, from two files to log, winner and final files; and the check of a file (rules: Results)."""

from collections.abc import Iterable
from typing import TypeAlias

from pydantic import ConfigDict
from typing_extensions import override

from sim.core.dice import Seed, SeededDice, seed_bytes
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.outcomes import Ending
from sim.core.request import Request
from sim.core.table import TableError
from sim.marked_for_death.battle.changes import current_roster
from sim.marked_for_death.battle.log import ending_line, log
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.runner import StepRunner, ended_event, muster_event
from sim.marked_for_death.battle.values import MAX_ROUNDS, Event, Fell, FighterHp, Fought, RoundCount, Setup, State
from sim.marked_for_death.export import roster_csv
from sim.marked_for_death.parse import Checked, read_roster
from sim.marked_for_death.roster import Camp, Name, Roster
from sim.marked_for_death.stats import Card, cards
from sim.marked_for_death.warn import warnings_of

MAX_TOLD = 60_000
"""Attacks and fighters in all rounds of a battle fought in one go."""

MAX_DICE_IN_ALL = 2_000_000
"""Its dice."""

LOG_FILE = "BattleLog.txt"
FINAL_FILES = {Camp.HEROES: "Heroes-final.csv", Camp.VILLAINS: "Villains-final.csv"}

_ON = "The final files go on from there."
_SECONDS_PER_FILE = 0.3  # measured, rough upper figures
_SECONDS_PER_BATTLE = 3.5

Source: TypeAlias = Roster | bytes
"""A roster, or the CSV file that holds one."""


class _Sourced(Request):
    """Base of requests that may hold files."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")


class RostersError(RuleError):
    """Files that can't be read; `by_camp` holds what is wrong with each."""

    def __init__(self, by_camp: dict[Camp, TableError]) -> None:
        super().__init__(by_camp)  # so that the error survives the way back from a worker
        self.by_camp = by_camp

    @property
    def sentences(self) -> tuple[str, ...]:
        """Every fault of both files."""
        return tuple(
            f"{camp.capitalize()}: {sentence}" for camp, error in self.by_camp.items() for sentence in error.sentences
        )

    def __str__(self) -> str:
        return " ".join(f"{camp.capitalize()}: {error}" for camp, error in self.by_camp.items())


class CheckReport(Frozen):
    """A roster as it would fight: every fighter's `cards`, and `warnings` for its referee."""

    roster: Roster
    cards: tuple[Card, ...]
    warnings: tuple[str, ...]


class CheckRequest(_Sourced):
    """The job of reading and checking a roster; TableError with everything that is wrong with a file."""

    max_seconds = _SECONDS_PER_FILE

    source: Source

    def run(self) -> CheckReport:
        """Read and check it."""
        checked = _checked(self.source)
        return CheckReport(roster=checked.roster, cards=cards(checked.roster.fighters), warnings=checked.warnings)


class ReadReport(Frozen):
    """Both rosters of a battle as they were read."""

    heroes: Checked
    villains: Checked


class ReadRequest(_Sourced):
    """The job of reading both files of a battle; RostersError with everything that is wrong with either."""

    max_seconds = 2 * _SECONDS_PER_FILE

    heroes: Source
    villains: Source

    def run(self) -> ReadReport:
        """Read them."""
        found, wrong = {}, {}
        for camp, source in ((Camp.HEROES, self.heroes), (Camp.VILLAINS, self.villains)):
            try:
                found[camp] = _checked(source)
            except TableError as error:
                wrong[camp] = error
        if wrong:
            raise RostersError(wrong)
        return ReadReport(heroes=found[Camp.HEROES], villains=found[Camp.VILLAINS])


class Downfall(Frozen):
    """Who fell in which round, at how many HP: by whose hands, or linked to whom."""

    round: int
    camp: Camp
    name: Name
    hp: int
    by: tuple[Name, ...]
    linked_to: Name | None


class SideReport(Frozen):
    """A side: its fighters at the start, who sat out, who stands at the end; its file, and what was odd about it."""

    cards: tuple[Card, ...]
    sat_out: tuple[Name, ...]
    survivors: tuple[FighterHp, ...]
    final: Roster
    warnings: tuple[str, ...]


class RunReport(Frozen):
    """A battle from its start to its end.

    `stopped`: why it was broken off before it was decided, or the limit that was asked for reached; None when it
    wasn't. `fallen`: in the order of the log. `opening`, `rounds` and `closing`: the log, the rounds each on their own.
    """

    winner: Camp | None
    ending: Ending
    seed: int
    stopped: str | None
    heroes: SideReport
    villains: SideReport
    fallen: tuple[Downfall, ...]
    opening: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]
    closing: str

    def side(self, camp: Camp) -> SideReport:
        """Return the report on `camp`."""
        return self.heroes if camp is Camp.HEROES else self.villains

    def log(self) -> list[str]:
        """Return the whole log."""
        return [*self.opening, *(line for lines in self.rounds for line in lines), self.closing]


class RunRequest(_Sourced):
    """A battle to fight in one go; `seed` decides its dice.

    RostersError for files that can't be read, RuleError for a battle whose rounds are too large.
    """

    max_seconds = 2 * _SECONDS_PER_FILE + _SECONDS_PER_BATTLE

    heroes: Source
    villains: Source
    max_rounds: RoundCount | None = None
    seed: Seed = 0

    def run(self) -> RunReport:
        """Fight it."""
        read = ReadRequest(heroes=self.heroes, villains=self.villains).run()
        setup = Setup(
            heroes=read.heroes.roster,
            villains=read.villains.roster,
            max_rounds=self.max_rounds or MAX_ROUNDS,
        )
        runner = StepRunner(RosterBattle().begin(setup), SeededDice(seed_bytes(self.seed)))
        start = muster_event(runner.state)
        while runner.state.ending is None and runner.records < MAX_TOLD and runner.dice_thrown < MAX_DICE_IN_ALL:
            runner.fight()
        stopped = _stopped(runner, self.max_rounds)
        if runner.state.ending is None:
            runner.call_off()
        end = runner.state
        return RunReport(
            winner=end.winner,
            ending=end.ending or Ending.ROUND_LIMIT,
            seed=self.seed,
            stopped=stopped,
            heroes=_side(end, Camp.HEROES, start.heroes, read.heroes.warnings),
            villains=_side(end, Camp.VILLAINS, start.villains, read.villains.warnings),
            fallen=tuple(_fallen(runner.events)),
            opening=(f"Seed: {self.seed}", *log([start])),
            rounds=tuple(_rounds(runner.events)),
            closing=_closing(end),
        )


class RunFilesRequest(_Sourced):
    """The job of writing a battle's files."""

    battle: RunRequest

    @override
    def cost(self) -> float:
        return self.battle.cost()

    def run(self) -> dict[str, bytes]:
        """Fight the battle and return its files by name: the log, and both sides as they stand at the end."""
        return files(self.battle.run())


def files(report: RunReport) -> dict[str, bytes]:
    """Return a battle's files by name."""
    text = "".join(f"{line}\n" for line in report.log())
    finals = {name: roster_csv(report.side(camp).final) for camp, name in FINAL_FILES.items()}
    return {LOG_FILE: text.encode(), **finals}


def _checked(source: Source) -> Checked:
    if isinstance(source, Roster):
        return Checked(roster=source, warnings=warnings_of(source))
    return read_roster(source)


def _stopped(runner: StepRunner, asked: int | None) -> str | None:
    state = runner.state
    if state.ending is None:
        return f"Stopped after {state.round:,} rounds, as many as fit in one go with so much in each. {_ON}"
    if state.ending is Ending.ROUND_LIMIT and asked is None:
        return f"Stopped after {state.round:,} rounds, the most in one go. {_ON}"
    return None


def _side(end: State, camp: Camp, start: tuple[Card, ...], warnings: tuple[str, ...]) -> SideReport:
    return SideReport(
        cards=start,
        sat_out=tuple(card.name for card in start if card.hp <= 0),
        survivors=tuple((combatant.fighter.name, combatant.hp) for combatant in end.force(camp) if combatant.stands),
        final=current_roster(end, camp),
        warnings=warnings,
    )


def _fallen(events: Iterable[Event]) -> Iterable[Downfall]:
    number = 0
    for event in events:
        if isinstance(event, Fought):
            number = event.number
        elif isinstance(event, Fell):
            yield Downfall(
                round=number,
                camp=event.camp,
                name=event.name,
                hp=event.hp,
                by=event.by,
                linked_to=event.linked_to,
            )


def _rounds(events: Iterable[Event]) -> Iterable[tuple[str, ...]]:
    """Give the log of each round."""
    lines: list[str] = []
    for event in events:
        if isinstance(event, Fought) and lines:
            yield tuple(lines)
            lines = []
        if isinstance(event, Fought | Fell):
            lines += log([event])
    if lines:
        yield tuple(lines)


def _closing(end: State) -> str:
    ending = ended_event(end)
    if ending is None:
        raise ValueError("the battle goes on")
    return ending_line(ending)
