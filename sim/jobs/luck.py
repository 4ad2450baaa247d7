"""Jobs about the luck of dice and what came of it: count, weigh the dice of many battles, rank and weigh teams.

numpy and Pillow are imported in `run` only: the process that asks must not load them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field
from typing_extensions import override

from sim.core.battle import Seat
from sim.core.cards.draw import draw_luck
from sim.core.cards.values import MAX_LUCK_ROWS, DrawnCard, LuckCard, LuckRow, rough_percent
from sim.core.errors import RuleError
from sim.core.journal import Journal
from sim.core.luck import BAGS, TIES, Bag, SeatLuck, Throw, expected, number_of, poured
from sim.core.numbers import quantity
from sim.core.replay import begin, replay, throws_in
from sim.core.standings import Team, standings, with_chances
from sim.core.values import Frozen, Request
from sim.jobs.discovery import system

_SECONDS = 0.05
_SECONDS_A_THROW = 1e-4  # measured, rounded up, as are the others
_SECONDS_A_CHARACTER = 1e-6
_SECONDS_A_LINE = 0.05
_SECONDS_OF_BATTLES = 1.0


class RankTeams(Request):
    """Rank the teams of a battle that ended in this state, with these seats."""

    system: str
    state_json: str
    seats: tuple[Seat, ...]

    @override
    def cost(self) -> float:
        return _SECONDS + _SECONDS_A_CHARACTER * len(self.state_json)

    def run(self) -> tuple[Team, ...]:
        """Return the teams; none while nothing is decided."""
        rules = system(self.system)
        return standings(rules, rules.states.read_json(self.state_json), self.seats)


class WeighTeams(Request):
    """Estimate the chances that teams had when a battle began, from its setup as JSON."""

    system: str
    setup_json: str
    teams: tuple[Team, ...]

    @override
    def cost(self) -> float:
        return _SECONDS_OF_BATTLES + _SECONDS_A_CHARACTER * len(self.setup_json)

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
        """Return a rough upper bound of the seconds."""
        return _SECONDS + _SECONDS_A_THROW * len(self.thrown)

    def run(self) -> list[SeatLuck]:
        """Return the luck of each seat, for each of its units."""
        from sim.core.luck_odds import seat_lucks  # noqa: PLC0415

        return seat_lucks(self.thrown, self.seed)


class Hand(Frozen):
    """Dice of one line of an answer: `bags` as JSON, what they showed, and where a tie breaks.

    `name`: of the line; `instead`: where no font can draw it.
    """

    name: str
    unit: str
    bags: tuple[str, ...]
    rolled: int
    tie: Annotated[int, Field(ge=0, lt=TIES)]
    instead: str = ""


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
    def luck(self) -> str:
        """The place in words."""
        return f"luckier than {rough_percent(self.place)}"


class LuckReport(Frozen):
    """The luck of each hand, and a card of the first ones."""

    hands: tuple[Weighed, ...]
    card: DrawnCard


class WeighLuck(Request):
    """Weigh some hands, and draw the first of them under a title."""

    title: str
    aside: str = ""
    hands: Annotated[tuple[Hand, ...], Field(min_length=1)]

    @override
    def cost(self) -> float:
        characters = sum(len(bag) for hand in self.hands for bag in hand.bags)
        return _SECONDS + _SECONDS_A_LINE * len(self.hands) + _SECONDS_A_CHARACTER * characters

    def run(self) -> LuckReport:
        """Return the luck of each hand, from the exact distribution of its dice."""
        from sim.core.luck_odds import Sums, bars  # noqa: PLC0415

        weighed, rows = [], []
        for hand in self.hands:
            bag = poured(map(BAGS.validate_json, hand.bags))
            sums = Sums.of(bag)
            found = _weighed(hand.name, hand.unit, bag, hand.rolled, sums.place(hand.rolled, hand.tie))
            heights, at = bars(sums, hand.rolled)
            figures = luck_figures(found)
            weighed.append(found)
            rows.append(
                LuckRow(name=hand.name, instead=hand.instead, figures=figures, place=found.luck, bars=heights, at=at)
            )
        card = draw_luck(LuckCard(title=self.title, aside=self.aside, rows=tuple(rows[:MAX_LUCK_ROWS]))).drawn()
        return LuckReport(hands=tuple(weighed), card=card)


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
    mismatch = begin(rules, journal.head, states) or replay(rules, journal.seed, journal.entries, states)
    if mismatch is not None:
        raise RuleError(mismatch.sentence)
    lucks = seat_lucks(list(throws_in(rules, journal.entries, states)), journal.seed)
    if not lucks:
        yield "No dice were thrown."
    for luck in lucks:
        weighed = _weighed(
            luck.seat, luck.unit, luck.dice, luck.rolled, Sums.of(luck.dice).place(luck.rolled, luck.tie)
        )
        yield f"{luck.seat}: {weighed.luck}, {luck_figures(weighed)}"


def luck_figures(weighed: Weighed) -> str:
    """Return what dice showed and what was expected: "23 hits with 80 dice, 20.5 expected"."""
    unit = weighed.unit.removesuffix("s") if weighed.rolled == 1 else weighed.unit
    return f"{weighed.rolled:,} {unit} with {quantity(weighed.dice, 'die', 'dice')}, {weighed.expected:,.1f} expected"
