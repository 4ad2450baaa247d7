"""The jobs of Marked for Death: read and check rosters, fight a battle, estimate its odds and who matters most.

Importing this module loads neither NumPy nor Numba; running an odds request does.
"""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Annotated, Self, TypeAlias

from pydantic import ConfigDict, Field
from typing_extensions import override

from sim.core.cards.card import Card
from sim.core.cards.fight import draw_fight
from sim.core.cards.requests import CardRequest
from sim.core.cards.values import Chances
from sim.core.dice import Seed
from sim.core.parts import Unfinished, answer
from sim.core.values import Request
from sim.csv.table import FilesError, TableError
from sim.marked_for_death.battle.rules import RosterBattle, roster_changes
from sim.marked_for_death.battle.values import MAX_ROUNDS, Changed, Event, PulledOut, RoundCount, State, current_roster
from sim.marked_for_death.cards import battle_card, complete, course_states
from sim.marked_for_death.full_battle import battle_files, fight_battle
from sim.marked_for_death.odds import sampling, sensitivity, stages
from sim.marked_for_death.odds.lineup import Duel, Lineup, line_up
from sim.marked_for_death.odds.sampling import Tally
from sim.marked_for_death.odds.sensitivity import SensitivityTally
from sim.marked_for_death.odds.stages import SoFar, report_of
from sim.marked_for_death.reports import (
    ChangeReport,
    CheckReport,
    OddsReport,
    ReadReport,
    RunReport,
    SensitivityReport,
)
from sim.marked_for_death.roster import Camp, Fighter, Roster
from sim.marked_for_death.roster_warnings import roster_warnings
from sim.marked_for_death.stats import cards
from sim.marked_for_death.tables import CheckedRoster, read_roster

MAX_BATTLES = 1_000_000
"""The most battles that a request may ask for."""

MAX_LIVE_SEED = 64
"""Bytes of the seed of a battle in a channel, and more."""

Source: TypeAlias = Roster | bytes
"""A roster, or the CSV file that holds one."""

_SECONDS_PER_FILE = 0.3  # measured, rough upper figures
_SECONDS_PER_BATTLE = 3.5
_CARD_BATTLES = 2_000  # a chance to two points
_CARD_ODDS_SECONDS = 1.0  # estimated, and that several times too high
_CARD_STEPS = 3  # the last ones, whose events a card has while the battle goes on
_MAX_EVENTS = 500_000  # characters of a battle's events that its last card is drawn from
_MAX_COURSE = 12  # rounds whose chances fit a card
_COURSE_SECONDS = 2.0
_COURSE_BATTLES = 500  # a chance to four points: enough to see which round moved it most


class _FileRequest(Request):
    """Base of requests that may hold files."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")


class CheckRequest(_FileRequest):
    """Read and check a roster; TableError with what is wrong with a file."""

    max_seconds = _SECONDS_PER_FILE

    source: Source

    def run(self) -> CheckReport:
        """Return the roster with its fighters' cards and the warnings."""
        checked = _check(self.source)
        return CheckReport(roster=checked.roster, cards=cards(checked.roster.fighters), warnings=checked.warnings)


class ReadRequest(_FileRequest):
    """Read both rosters of a battle; FilesError with what is wrong with either file."""

    max_seconds = 2 * _SECONDS_PER_FILE

    heroes: Source
    villains: Source

    def run(self) -> ReadReport:
        """Return both rosters with their warnings."""
        rosters: dict[Camp, CheckedRoster] = {}
        errors: dict[str, TableError] = {}
        for camp, source in ((Camp.HEROES, self.heroes), (Camp.VILLAINS, self.villains)):
            try:
                rosters[camp] = _check(source)
            except TableError as error:
                errors[camp.capitalize()] = error
        if errors:
            raise FilesError(errors)
        return ReadReport(heroes=rosters[Camp.HEROES], villains=rosters[Camp.VILLAINS])


class RunRequest(_FileRequest):
    """Fight a battle in one go, of no round if `max_rounds` is 0; `seed` decides its dice, or `live` in its place.

    FilesError for files that can't be read, RuleError for a battle whose rounds are too large.
    """

    max_seconds = 2 * _SECONDS_PER_FILE + _SECONDS_PER_BATTLE

    heroes: Source
    villains: Source
    max_rounds: Annotated[int, Field(ge=0, le=MAX_ROUNDS)] | None = None
    seed: Seed = 0
    live: Annotated[bytes, Field(max_length=MAX_LIVE_SEED)] | None = None

    def run(self) -> RunReport:
        """Return the whole battle."""
        rosters = ReadRequest(heroes=self.heroes, villains=self.villains).run()
        return fight_battle(rosters, self.max_rounds, self.seed, self.live)


class RunFilesRequest(_FileRequest):
    """Write the files of a battle."""

    battle: RunRequest

    @override
    def cost(self) -> float:
        return self.battle.cost()

    def run(self) -> dict[str, bytes]:
        """Fight the battle and return its files by name: the log, and both final rosters."""
        return battle_files(self.battle.run())


class ChangeRequest(Request):
    """Compare the file of a changed roster with one side of a battle; `state_json` is the battle's stored state."""

    max_seconds = 0.2

    state_json: str
    camp: Camp
    data: bytes

    def run(self) -> ChangeReport:
        """Return what the file changes; TableError with what is wrong with it."""
        checked = read_roster(self.data)
        state: State = RosterBattle().states.read_json(self.state_json)
        changes = roster_changes(current_roster(state, self.camp), checked.roster)
        return ChangeReport(roster=checked.roster, changes=changes, warnings=checked.warnings)


class OddsRequest(Request):
    """Estimate the odds of a battle of two rosters.

    `max_rounds`: the battle stops undecided after this many, None for no limit. `battles`: simulate at most this many,
    None until the odds are settled. `seed` decides them. Fighters without HP sit out.

    The odds of one fighter against one are exact (`duel`). All others are simulated until `sampling.settled`, in one go
    (`run`) or in `parts`, with the same result.
    """

    heroes: Roster
    villains: Roster
    max_rounds: RoundCount | None = None
    battles: Annotated[int, Field(ge=1, le=MAX_BATTLES)] | None = None
    seed: Seed = 0

    def __reduce__(self) -> tuple[Callable[[bytes], Self], tuple[bytes]]:
        """Pickle as JSON, encoded once: every batch of a simulation carries both rosters."""
        return type(self).model_validate_json, (_as_json(self),)

    def lineup(self) -> Lineup:
        """Return the battle in whole numbers."""
        return Lineup(line_up(self.heroes, self.villains), len(self.heroes.fighters), self.max_rounds, self.seed)

    def duel(self) -> Duel | None:
        """Return the battle as a duel whose odds are exact; None if they have to be simulated."""
        survivors = [sum(fighter.hp > 0 for fighter in side.fighters) for side in (self.heroes, self.villains)]
        if all(survivors) and sum(survivors) > len(survivors):
            return None  # the usual battle: skip the costly line-up
        duel = Duel.of(self.lineup())
        return duel if duel is not None and duel.seconds() <= sampling.MAX_EXACT_SECONDS else None

    @override
    def cost(self) -> float:
        duel = self.duel()
        return duel.seconds() if duel is not None else sampling.seconds(self.lineup(), self.battles)

    def run(self) -> OddsReport:
        """Return the odds, exact or simulated; a simulation does at most `sampling.MAX_WORK`."""
        duel = self.duel()
        if duel is not None:
            from sim.marked_for_death.odds.exact import solve  # noqa: PLC0415  # loads NumPy

            return solve(self.heroes, self.villains, duel)
        return report_of(answer(self))

    def batch(self, first: int, count: int, max_work: int = sampling.BATCH_WORK) -> Tally:
        """Fight `count` battles from number `first` on, or fewer if those take more work, but at least one."""
        from sim.marked_for_death.odds.simulate import simulate  # noqa: PLC0415  # loads the kernels

        return simulate(self.lineup(), first, count, max_work)

    def parts(self, so_far: "OddsSoFar | None") -> "tuple[OddsBatch, ...]":
        """Return the parts of the next batch; the first one shows, alone, how much work a battle is."""
        if so_far is None:
            return (OddsBatch(request=self, first=0, count=sampling.next_count(None, self.battles)),)
        cuts = stages.cut(so_far.tally.battles, so_far.wanted)
        return tuple(OddsBatch(request=self, first=first, count=count) for first, count in cuts)

    def join(self, so_far: "OddsSoFar | None", reports: Sequence[Tally]) -> "OddsSoFar":
        """Return the counts of all battles, and the odds once these are enough."""
        tally, wanted = stages.joined(so_far, reports, lambda t: sampling.next_count(t, self.battles))
        return SoFar(tally, wanted, sampling.needed(tally, self.battles), None if wanted else self.report(tally))

    def progress(self, so_far: "OddsSoFar | None", latest: Sequence[Tally | Unfinished[Tally]]) -> tuple[float, str]:
        """Return roughly how much of the simulation is done."""
        share, battles = stages.share(so_far, latest, sampling.MAX_WORK)
        return share, f"{battles:,} battles fought"

    def report(self, tally: Tally) -> OddsReport:
        """Return the odds that the simulated battles give."""
        return sampling.odds_report(self.heroes, self.villains, tally, self.seed, self.max_rounds)


OddsSoFar: TypeAlias = SoFar[Tally, OddsReport]


@lru_cache(maxsize=4)
def _as_json(request: OddsRequest) -> bytes:
    return request.model_dump_json().encode()


class BattleCardRequest(CardRequest):
    """Draws the card of a battle from its stored state and the events of its last steps, as JSON.

    It has the chances from here unless they take long.
    """

    max_seconds = 1.0

    state_json: str
    events_json: tuple[str, ...] = ()

    @override
    def draw(self) -> Card:
        rules = RosterBattle()
        state: State = rules.states.read_json(self.state_json)
        events = [rules.events.read(event) for text in self.events_json for event in json.loads(text)]
        if state.ending is not None:
            return draw_fight(battle_card(state, events, None, _course(state, events) if self.engines else ()))
        return draw_fight(battle_card(state, events, _odds_of_card(state) if self.engines else None))


def panel_card(state: State, state_json: str, events_json: Sequence[str]) -> BattleCardRequest:
    """Return the card of a battle, see `sim.jobs.battle`; of a long one it has the last rounds only."""
    whole = state.ending is not None and sum(map(len, events_json)) <= _MAX_EVENTS
    shown = events_json if whole else events_json[-_CARD_STEPS:]
    return BattleCardRequest(state_json=state_json, events_json=tuple(shown))


def _odds_of_card(state: State) -> OddsReport | None:
    request = _odds_from(state, _CARD_BATTLES)
    return request.run() if request.cost() <= _CARD_ODDS_SECONDS else None


def _odds_from(state: State, battles: int) -> OddsRequest:
    return OddsRequest(
        heroes=current_roster(state, Camp.HEROES),
        villains=current_roster(state, Camp.VILLAINS),
        max_rounds=None if state.max_rounds is None else state.max_rounds - state.round,
        battles=battles,
    )


def _course(state: State, events: Sequence[Event]) -> tuple[Chances, ...]:
    """Return both sides' chances at the beginning of each round and at the end.

    Empty if that takes long, for parts of a battle, and if the referee changed anything.
    """
    if not complete(events) or any(isinstance(event, Changed | PulledOut) for event in events):
        return ()
    rounds = tuple(islice(course_states(state, events), _MAX_COURSE + 1))
    requests = [_odds_from(before, _COURSE_BATTLES) for before in rounds]
    if not 0 < len(requests) <= _MAX_COURSE or sum(request.cost() for request in requests) > _COURSE_SECONDS:
        return ()
    odds = [request.run() for request in requests]
    end = (float(state.winner is Camp.HEROES), float(state.winner is Camp.VILLAINS))
    return (*((min(1.0, report.p_heroes), min(1.0, report.p_villains)) for report in odds), end)


class _Batch(Request):
    """Battles `first` to `first` + `count` - 1, or fewer if those take more than `stages.PART_WORK`."""

    max_seconds = stages.PART_SECONDS

    first: Annotated[int, Field(ge=0, lt=MAX_BATTLES)]
    count: Annotated[int, Field(ge=1, le=sampling.MAX_BATCH)]


class OddsBatch(_Batch):
    """Battles of a simulation."""

    request: OddsRequest

    def run(self) -> Tally:
        """Fight the battles."""
        return self.request.batch(self.first, self.count, stages.PART_WORK)


class SensitivityRequest(Request):
    """Estimate how each fighter's presence changes the odds of `odds`.

    `battles`: the most per line-up; `odds.battles` is ignored. Works in parts, too, as `OddsRequest` does. Leaves out
    at most `sensitivity.MAX_LEFT_OUT` fighters of both sides together: those that seem to weigh most.
    """

    odds: OddsRequest
    battles: Annotated[int, Field(ge=1, le=MAX_BATTLES)] = sensitivity.DEFAULT_BATTLES

    def left_out(self) -> tuple[int, ...]:
        """Return the numbers of the fighters to leave out in turn, heroes first."""
        return sensitivity.left_out(self.odds.lineup().soldiers)

    @override
    def cost(self) -> float:
        lineups = 1 + len(self.left_out())
        return min(sensitivity.MAX_WORK / 1e9, lineups * sampling.seconds(self.odds.lineup(), self.battles))

    def run(self) -> SensitivityReport:
        """Fight all battles needed, and return who matters most."""
        return report_of(answer(self))

    def parts(self, so_far: "WeightsSoFar | None") -> "tuple[SensitivityBatch, ...]":
        """Return the parts of the next batch; the first one shows, alone, how much work a battle is."""
        if so_far is None:
            return (SensitivityBatch(request=self, first=0, count=sensitivity.next_count(None, self.battles)),)
        cuts = stages.cut(so_far.tally.battles, so_far.wanted)
        return tuple(SensitivityBatch(request=self, first=first, count=count) for first, count in cuts)

    def join(self, so_far: "WeightsSoFar | None", reports: Sequence[SensitivityTally]) -> "WeightsSoFar":
        """Return the counts of all battles, and who matters most once these are enough."""
        tally, wanted = stages.joined(so_far, reports, lambda t: sensitivity.next_count(t, self.battles))
        return SoFar(tally, wanted, self.battles, None if wanted else self.report(tally))

    def progress(
        self, so_far: "WeightsSoFar | None", latest: Sequence[SensitivityTally | Unfinished[SensitivityTally]]
    ) -> tuple[float, str]:
        """Return roughly how much is done."""
        share, battles = stages.share(so_far, latest, sensitivity.MAX_WORK)
        return share, f"{battles:,} battles fought without each fighter"

    def report(self, tally: SensitivityTally) -> SensitivityReport:
        """Return who matters most by the battles fought."""
        odds = self.odds
        return sensitivity.sensitivity_report(odds.heroes, odds.villains, self.left_out(), tally, odds.seed)


WeightsSoFar: TypeAlias = SoFar[SensitivityTally, SensitivityReport]


class SensitivityBatch(_Batch):
    """Battles with each line-up."""

    request: SensitivityRequest

    def run(self) -> SensitivityTally:
        """Fight the battles, with everybody and without each one."""
        from sim.marked_for_death.odds.simulate import compare  # noqa: PLC0415  # loads the kernels

        request = self.request
        return compare(request.odds.lineup(), request.left_out(), self.first, self.count, stages.PART_WORK)


def _check(source: Source) -> CheckedRoster:
    if isinstance(source, Roster):
        return CheckedRoster(roster=source, warnings=roster_warnings(source))
    return read_roster(source)


def warm_up() -> None:
    """Load every kernel from its cache on disk, or compile it; call this once in a worker.

    Takes ten seconds without the cache, a fraction of a second with it.
    """
    small = Roster(fighters=(Fighter(name="One", xp=1000),))
    OddsRequest(heroes=small, villains=small).run()
    large = Roster(fighters=(Fighter(name="One", xp=1000), Fighter(name="Two", xp=100_000, bonus_hp=100)))
    odds = OddsRequest(heroes=large, villains=large, battles=1)
    odds.run()
    SensitivityRequest(odds=odds, battles=1).run()
