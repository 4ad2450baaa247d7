"""Jobs about what came of battles: the luck of dice, the places of teams, the ratings of players; what a coach says.

numpy, Pillow and OpenSkill are imported in `run` only: the process that asks must not load them.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from typing_extensions import override

from sim.core import RuleError
from sim.core.battle import Seat, Team, standings, with_chances
from sim.core.cards.draw import LuckCard
from sim.core.cards.values import MAX_LUCK_ROWS, DrawnCard, LuckRow, rough_percent
from sim.core.coach import CoachReport, CoachRules, CoachStep, SoFar
from sim.core.journal import Journal, active_steps
from sim.core.luck import BAGS, TIES, Bag, SeatLuck, Throw, expected, number_of, poured
from sim.core.names import listed
from sim.core.numbers import quantity
from sim.core.replay import begin, replay, throws_in
from sim.core.staged_job import Continue
from sim.core.values import Frozen, Request
from sim.jobs import system

if TYPE_CHECKING:
    from openskill.models import PlackettLuce, PlackettLuceRating

_SECONDS = 0.05
_SECONDS_A_CHARACTER = 1e-6  # measured, rounded up, as are the others


class RankTeams(Request):
    """Rank the teams of a battle that ended in this state, with these seats."""

    max_seconds = _SECONDS
    character_seconds = _SECONDS_A_CHARACTER
    system: str
    state_json: str
    seats: tuple[Seat, ...]

    def run(self) -> tuple[Team, ...]:
        """Return the teams; none while nothing is decided."""
        rules = system(self.system)
        return standings(rules, rules.states.read_json(self.state_json), self.seats)


class WeighTeams(Request):
    """Estimate the chances that teams had when a battle began, from its setup as JSON."""

    max_seconds = 1.0  # of battles
    character_seconds = _SECONDS_A_CHARACTER
    system: str
    setup_json: str
    teams: tuple[Team, ...]

    def run(self) -> tuple[Team, ...]:
        """Return the teams with their chances."""
        rules = system(self.system)
        return with_chances(rules, rules.begin(rules.setups.read_json(self.setup_json)), self.teams)


@dataclass(frozen=True, slots=True)
class CountLuck:
    """Count the dice of a battle by seat; `thrown`: with the rows that they were thrown in."""

    thrown: Sequence[tuple[int, Throw]]
    seed: bytes = field(repr=False)

    def cost(self) -> float:
        """Return a rough upper bound on the seconds."""
        return _SECONDS + 1e-4 * len(self.thrown)

    def run(self) -> list[SeatLuck]:
        """Return the luck of each seat, for each of its units."""
        from sim.core.luck_odds import seat_lucks  # noqa: PLC0415

        return seat_lucks(self.thrown, self.seed)


class Hand(Frozen):
    """Dice of one line of an answer: `bags` as JSON, what they showed, and where a tie breaks.

    `name`: of the line; `instead`: where no font can draw it. `place`: of the dice of a single battle, if it is known.
    """

    name: str
    unit: str
    bags: tuple[str, ...]
    rolled: int
    tie: Annotated[int, Field(ge=0, lt=TIES)]
    instead: str = ""
    place: Annotated[float | None, Field(ge=0, le=1)] = None


class Weighed(Frozen):
    """A hand's luck: how many dice, what was expected, what they showed.

    `place`: where that stands among all that the dice could have shown, from 0 (the worst luck) to 1.
    """

    name: str
    unit: str
    dice: int
    expected: float
    rolled: int
    place: Annotated[float, Field(ge=0, le=1)]

    @property
    def surplus(self) -> str:
        """What was rolled against what was expected, in words; no bias is in it."""
        more = round(self.rolled - self.expected, 1)
        if not more:
            return f"as many {self.unit} as expected"
        less = "fewer" if self.unit.endswith("s") else "less"
        return f"{abs(more):,.1f} {'more' if more > 0 else less} {self.unit} than expected"

    @property
    def luck(self) -> str:
        """The place in words."""
        return f"luckier than {rough_percent(self.place)}"


class WeighLuck(Request):
    """Weigh some hands, and draw the first of them under a title."""

    title: str
    aside: str = ""
    hands: Annotated[tuple[Hand, ...], Field(min_length=1)]

    @override
    def cost(self) -> float:
        characters = sum(len(bag) for hand in self.hands for bag in hand.bags)
        return _SECONDS + 0.05 * len(self.hands) + _SECONDS_A_CHARACTER * characters

    def run(self) -> tuple[tuple[Weighed, ...], DrawnCard]:
        """Return the luck of each hand, from the exact distribution of its dice, and the card of the first ones."""
        from sim.core.luck_odds import Sums, bars  # noqa: PLC0415

        weighed, rows = [], []
        for hand in self.hands:
            bag = poured(map(BAGS.validate_json, hand.bags))
            sums = Sums.of(bag)
            place = sums.place(hand.rolled, hand.tie) if hand.place is None else hand.place
            found = _weighed(hand.name, hand.unit, bag, hand.rolled, place)
            heights, at = bars(sums, hand.rolled)
            figures = luck_figures(found)
            weighed.append(found)
            rows.append(
                LuckRow(name=hand.name, instead=hand.instead, figures=figures, place=found.luck, bars=heights, at=at)
            )
        card = LuckCard(title=self.title, aside=self.aside, rows=tuple(rows[:MAX_LUCK_ROWS])).run()
        return tuple(weighed), card


def _weighed(name: str, unit: str, bag: Bag, rolled: int, place: float) -> Weighed:
    dice, mean = number_of(bag), float(expected(bag))
    return Weighed(name=name, unit=unit, dice=dice, expected=mean, rolled=rolled, place=min(1.0, place))


def luck_lines(journal: Journal) -> Iterator[str]:
    """Yield the luck of each seat of a closed battle; RuleError if its seed is secret, or its rows don't follow."""
    from sim.core.luck_odds import Sums, seat_lucks  # noqa: PLC0415

    if journal.seed is None:
        raise RuleError("The battle isn't over: its seed is still secret.")
    rules = system(journal.head.system)
    states: dict[int, object] = {}
    mismatch = begin(rules, journal.head, states) or replay(rules, journal.key or journal.seed, journal.entries, states)
    if mismatch is not None:
        raise RuleError(mismatch.sentence)
    lucks = seat_lucks(list(throws_in(rules, journal.entries, states)), journal.seed)
    if not lucks:
        yield "No dice were thrown."
    for luck in lucks:
        place = Sums.of(luck.dice).place(luck.rolled, luck.tie) if luck.place is None else luck.place
        weighed = _weighed(luck.seat, luck.unit, luck.dice, luck.rolled, place)
        yield f"{luck.seat}: {weighed.surplus}, {weighed.luck}, {luck_figures(weighed)}"


def luck_figures(weighed: Weighed) -> str:
    """Return what dice showed and what was expected: "23 hits with 80 dice, 20.5 expected"."""
    unit = weighed.unit.removesuffix("s") if weighed.rolled == 1 else weighed.unit
    return f"{weighed.rolled:,} {unit} with {quantity(weighed.dice, 'die', 'dice')}, {weighed.expected:,.1f} expected"


Player = Annotated[int, Field(ge=0)]
"""A player's id."""

Side = tuple[Annotated[int, Field(ge=1)], tuple[Player | None, ...], Annotated[float, Field(gt=0, lt=1)] | None]
"""The place of a team, its players, None for one who has been forgotten, who is rated like a newcomer, and its chance.

The chance is what the team had to win before the first roll if all play equally well; None where nobody knows.
"""


class Rating(Frozen):
    """A player's rating after some games: skill `mu` with its uncertainty `sigma`.

    `points`: what ladders are sorted by: the skill that the player almost surely has (three deviations below `mu`), in
    twentieths above 1,000, where newcomers begin.
    """

    player: Player
    mu: float
    sigma: float
    points: int
    games: int
    won: int
    tied: int


class RateGames(Request):
    """Rate players by their games in this order, each a list of teams with their places."""

    games: tuple[tuple[Side, ...], ...]

    @override
    def cost(self) -> float:
        return 0.3 + 5e-4 * len(self.games)  # measured with two players, rounded up

    def run(self) -> tuple[Rating, ...]:
        """Return the players' ratings, the best first.

        The model is Plackett and Luce's with the defaults of OpenSkill, which takes any number of teams and ties. The
        same games in the same order always lead to the same ratings: nothing but them is used.

        A game's chances are a head start in it: each team's skill is shifted for this game so that the model expects
        of equal players what the chances say, and shifted back afterwards. A win at 99 % then moves the ratings by a
        fiftieth of what an even one does, a defeat by twice as much. Games with unknown chances are taken as even.
        """
        from openskill.models import PlackettLuce, PlackettLuceRating  # noqa: PLC0415

        model = PlackettLuce()
        known: dict[int, PlackettLuceRating] = {}
        games, won, tied = Counter[int](), Counter[int](), Counter[int]()
        for game in self.games:
            teams = [
                [known.get(player, model.rating()) if player is not None else model.rating() for player in players]
                for _, players, _ in game
            ]
            starts = _head_starts(model, teams, [chance for _, _, chance in game])
            for team, start in zip(teams, starts, strict=True):
                team[0] = model.rating(mu=team[0].mu + start, sigma=team[0].sigma)
            places = [place for place, _, _ in game]
            rated = model.rate(teams, ranks=list(map(float, places)))
            first = min(places)
            firsts = won if places.count(first) == 1 else tied
            for (place, players, _), ratings, start in zip(game, rated, starts, strict=True):
                ratings[0].mu -= start
                for player, rating in zip(players, ratings, strict=True):
                    if player is not None:
                        known[player] = rating
                        games[player] += 1
                        firsts[player] += place == first
        found = [
            Rating(
                player=player,
                mu=rating.mu,
                sigma=rating.sigma,
                points=1_000 + round(20 * rating.ordinal()),
                games=games[player],
                won=won[player],
                tied=tied[player],
            )
            for player, rating in known.items()
        ]
        return tuple(sorted(found, key=lambda rating: (-rating.points, -rating.games, rating.player)))


def _head_starts(
    model: "PlackettLuce", teams: Sequence[Sequence["PlackettLuceRating"]], chances: Sequence[float | None]
) -> list[float]:
    """Return how much skill the chances are worth to each team.

    Of teams with the skills s, the model expects the i-th to win with exp(s_i / c) / (exp(s_1 / c) + …), where c² is
    the sum of all variances and of a β² for each team. So c · ln(chance) is the skill that equal teams would differ by.
    """
    variance = sum(player.sigma**2 + model.tau**2 for team in teams for player in team)
    scale = math.sqrt(variance + len(teams) * model.beta**2)
    return [0.0 if chance is None else scale * math.log(chance * len(teams)) for chance in chances]


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
        head, rows = journal.head, active_steps(journal.entries)
        steps = [(row.n, row.action_json, row.events_json) for row in rows]
        return cls(head.system, head.setup_json, steps, aim, branch_json=head.branch_json)

    def cost(self) -> float:
        """Return a rough upper bound of a part's seconds; RuleError for a wrong aim, or without a best play."""
        self._weighed()
        return min(1.0, coach_of(self.system).seconds(system(self.system).setups.read_json(self.setup_json)))

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
            raise RuleError(f"The coach weighs {listed([*aims], 'or')}.")
        return self.aim or next(iter(aims))


def coach_of(name: str) -> CoachRules[Any, Any, Any, Any]:
    """Return the coach of a system; RuleError if it has none."""
    coach: CoachRules[Any, Any, Any, Any] | None = system(name).coach
    if coach is None:
        raise RuleError("This game has no coach.")
    return coach
