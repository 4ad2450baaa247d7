"""A whole battle in one go, from rosters to log and final files (.docs/rules/marked_for_death.md, "Results")."""

from collections.abc import Iterable, Iterator

from sim.core.dice import SeededDice, seed_bytes
from sim.core.values import Ending
from sim.marked_for_death.battle.log import ending_line, log_lines
from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.runner import StepRunner, ended_event, started_event
from sim.marked_for_death.battle.values import (
    FINAL_FILES,
    MAX_ROUNDS,
    Event,
    Fell,
    Fought,
    Setup,
    State,
    current_roster,
)
from sim.marked_for_death.cards import battle_card
from sim.marked_for_death.reports import Casualty, ReadReport, RunReport, SideReport
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.stats import Card
from sim.marked_for_death.tables import roster_csv

MAX_RECORDS = 60_000
"""Attacks and fighters in all rounds of a battle fought in one go."""

MAX_TOTAL_DICE = 2_000_000
"""Dice in all rounds of a battle fought in one go."""

LOG_FILE = "BattleLog.txt"

_CONTINUE = "Continue with the final files."


def fight_battle(rosters: ReadReport, max_rounds: int | None, seed: int, live: bytes | None = None) -> RunReport:
    """Fight to the end, to the round limit, or until the battle becomes too long to report.

    With a limit of 0 nobody fights. `live`: the seed of a battle in a channel that was fought to the end at once, in
    place of `seed`: this one has the same dice.
    """
    setup = Setup(heroes=rosters.heroes.roster, villains=rosters.villains.roster, max_rounds=max_rounds or MAX_ROUNDS)
    dice = SeededDice(seed_bytes(seed)) if live is None else SeededDice(live, 1)
    runner = StepRunner(RosterBattle().begin(setup), dice)
    start = started_event(runner.state)
    if max_rounds == 0 and runner.state.ending is None:
        runner.call_off()
    while runner.state.ending is None and runner.records < MAX_RECORDS and runner.dice_thrown < MAX_TOTAL_DICE:
        runner.fight()
    stopped = _stop_reason(runner.state, max_rounds)
    if runner.state.ending is None:
        runner.call_off()
    end = runner.state
    ended = ended_event(end)
    if ended is None:
        raise ValueError("the battle goes on")
    return RunReport(
        winner=ended.winner,
        ending=ended.ending,
        seed=seed,
        stopped=stopped,
        heroes=_side(end, Camp.HEROES, start.heroes, rosters.heroes.warnings),
        villains=_side(end, Camp.VILLAINS, start.villains, rosters.villains.warnings),
        fallen=tuple(_casualties(runner.events)),
        opening=(f"Seed: {seed if live is None else live.hex()}", *log_lines([start])),
        rounds=tuple(_round_logs(runner.events)),
        closing=ending_line(ended),
        card=battle_card(end, [start, *runner.events], None),
    )


def battle_files(report: RunReport) -> dict[str, bytes]:
    """Return a battle's files by name; rosters begin with a byte order mark, which tells spreadsheets of UTF-8."""
    text = "".join(f"{line}\n" for line in report.log())
    finals = {name: roster_csv(report.side(camp).final) for camp, name in FINAL_FILES.items()}
    return {LOG_FILE: text.encode(), **finals}


def _stop_reason(state: State, max_rounds: int | None) -> str | None:
    if state.ending is None:
        return f"Stopped after {state.round:,} rounds: the battle is too large to fight in one go. {_CONTINUE}"
    if state.ending is Ending.ROUND_LIMIT and max_rounds is None:
        return f"Stopped after {state.round:,} rounds, the most in one go. {_CONTINUE}"
    return None


def _side(end: State, camp: Camp, start: tuple[Card, ...], warnings: tuple[str, ...]) -> SideReport:
    return SideReport(
        cards=start,
        sat_out=tuple(card.name for card in start if card.hp <= 0),
        survivors=end.survivors(camp),
        final=current_roster(end, camp),
        warnings=warnings,
    )


def _casualties(events: Iterable[Event]) -> Iterator[Casualty]:
    number = 0
    for event in events:
        if isinstance(event, Fought):
            number = event.number
        elif isinstance(event, Fell):
            yield Casualty(
                round=number, camp=event.camp, name=event.name, hp=event.hp, by=event.by, linked_to=event.linked_to
            )


def _round_logs(events: Iterable[Event]) -> Iterator[tuple[str, ...]]:
    """Yield the log of each round."""
    lines: list[str] = []
    for event in events:
        if isinstance(event, Fought) and lines:
            yield tuple(lines)
            lines = []
        if isinstance(event, Fought | Fell):
            lines += log_lines([event])
    if lines:
        yield tuple(lines)
