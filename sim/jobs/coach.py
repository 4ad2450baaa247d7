"""Coaches a battle that was played: the job for the bot, and what the terminal prints."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sim.core.coach import CoachReport, CoachRules, CoachStep, HasCoach, SoFar
from sim.core.errors import RuleError
from sim.core.journal import HeadRow, Journal, active_steps
from sim.core.staged_job import Continue
from sim.core.values import canonical
from sim.jobs.discovery import system

_PART = 1.0
"""The most seconds of a part."""


@dataclass(frozen=True, slots=True)
class CoachBattle:
    """Split the result of a battle into luck and decisions, in one part after the other.

    `steps`: row, action and events of the active ones. `so_far`: what earlier parts have found. `branch_json`: where it
    begins, if that isn't the setup.
    """

    system: str
    setup_json: str
    steps: Sequence[tuple[int, str, str]] = field(repr=False)
    aim: str | None = None
    so_far: SoFar | None = field(default=None, repr=False)
    branch_json: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, journal: Journal, aim: str | None = None) -> "CoachBattle":
        """Return the job for a journal; `aim`: None for the usual one."""
        head, rows = HeadRow.of(journal.head), active_steps(journal.entries)
        steps = [(row.n, canonical(row.action), canonical(list(row.events))) for row in rows]
        return cls(head.system, head.setup_json, steps, aim, branch_json=head.branch_json)

    def cost(self) -> float:
        """Return a rough upper bound of a part's seconds; RuleError for a wrong aim, or without a best play."""
        self._weighed()
        return min(_PART, coach_of(self.system).seconds(system(self.system).setups.read_json(self.setup_json)))

    def parts(self, partial: CoachReport | None) -> "tuple[CoachBattle, ...]":
        """Return the first part; the others come after it."""
        return () if partial else (self,)

    def join(self, _partial: CoachReport | None, reports: Sequence[CoachReport]) -> CoachReport:
        """Return the report."""
        return reports[0]

    def progress(
        self, _partial: CoachReport | None, latest: Sequence[CoachReport | Continue[CoachReport]]
    ) -> tuple[float, str]:
        """Return roughly how much is done."""
        rests = [each.rest for each in latest if isinstance(each, Continue)]
        found = [rest.so_far.share for rest in rests if isinstance(rest, CoachBattle) and rest.so_far is not None]
        return max(found, default=0.0), "weighing every position"

    def run(self) -> CoachReport | Continue[CoachReport]:
        """Return the report for the first seat, or the next part; RuleError as `cost`."""
        rules, aim = system(self.system), self._weighed()
        steps = [
            CoachStep(row, rules.actions.read_json(action), rules.events.read_lists([events]))
            for row, action, events in self.steps
        ]
        if self.branch_json is None:
            start = rules.begin(rules.setups.read_json(self.setup_json))
        else:
            start = rules.states.read(json.loads(self.branch_json)["state"])
            if rules.outcome(start) is not None:
                raise RuleError("There is nothing to coach: this battle begins where another one was over.")
        found = coach_of(self.system).report(start, steps, aim, self.so_far)
        return Continue(replace(self, so_far=found)) if isinstance(found, SoFar) else found

    def _weighed(self) -> str:
        """Return what V counts; RuleError for anything else."""
        aims = coach_of(self.system).aims
        if self.aim is not None and self.aim not in aims:
            raise RuleError(f"The coach weighs {' or '.join(aims)}.")
        return self.aim or next(iter(aims))


def coach_of(name: str) -> CoachRules[Any, Any, Any, Any]:
    """Return the coach of a system; RuleError if it has none."""
    rules = system(name)
    if not isinstance(rules, HasCoach):
        raise RuleError("This game has no coach.")
    return rules.coach


def coach_lines(report: CoachReport) -> Iterator[str]:
    """Yield the report as text: how it went, then each roll and each choice."""
    yield from report.sentences(you=False)
    yield f"{report.seat}: {report.standing(report.start)} at the start, {report.standing(report.result)} at the end"
    yield f"luck {report.signed(report.luck)}, decisions {report.signed(report.decisions)}"
    for row in report.rows:
        yield f"row {row.row}, {row.moment}: {row.sentence}: {report.signed(row.share)}"


def coach_json(report: CoachReport) -> str:
    """Return the report as JSON, each row with its share."""
    rows = [row.model_dump() | {"share": row.share} for row in report.rows]
    return json.dumps(report.model_dump() | {"rows": rows})
