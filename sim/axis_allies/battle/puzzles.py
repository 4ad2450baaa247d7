"""Draws puzzles, or finds them in battles: two to four choices in a position, one clearly best, worked out twice.

The first opinion is that of the exact engines, the second a plain recursion (`plain_odds`) that shares no table and no
code with them. A position is a puzzle only where both agree on every choice. What a battle leaves open, such as the
choices offered, is drawn from a seed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from typing import Annotated

from pydantic import Field

from sim.axis_allies import plain_odds
from sim.axis_allies.army import Army, TwoArmies, army_words, pictured
from sim.axis_allies.battle import Ended, Event, Fired, RoundBegan, Setup
from sim.axis_allies.cards import Choice, ChoicesCard, sentence
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.parse import parse_army
from sim.axis_allies.purchases import purchases_within
from sim.axis_allies.question import BattleRequest
from sim.axis_allies.units import Unit
from sim.core import RuleError, TooMuchError
from sim.core.battle import Codec
from sim.core.challenge import LETTERS, Answer, Question, Score
from sim.core.dice import Dice, SeededDice
from sim.core.numbers import quantity
from sim.core.values import Frozen, Number, Request, Side, is_unset

EDITION = "1942"
AGREED = 1e-9
"""How far the two opinions may be apart: of a chance, or in IPC."""

BEHIND, MARGIN = 3.0, 5.0
"""How many points the second best is behind at least, and the worst; a point is 1 % of the chance to win, or 1 IPC."""

MAX_DRAWS = 400
"""Positions that one puzzle is looked for in."""

KINDS = (Unit.INFANTRY, Unit.ARTILLERY, Unit.TANK, Unit.FIGHTER, Unit.BOMBER)
"""The units of a puzzle, in the order of their counts."""

_OPEN = 0.1, 0.95
"""Between these chances the best choice wins; elsewhere there is little to find out."""

Counts = tuple[int, ...]


class Kind(StrEnum):
    """What is chosen."""

    BUY = "buy"
    LOSE = "lose"
    RETREAT = "retreat"


class Option(Frozen):
    """A choice in a few words, and what it is worth: a chance to win in percent, or IPC."""

    text: Annotated[str, Field(max_length=80)]
    worth: float


class Puzzle(TwoArmies):
    """A position and its choices. `hits`: what the attacker loses now, `ipc`: to be spent, `territory`: its value.

    `played`: it is from a battle. After the choice both sides lose the lowest score first, then the cheapest; the
    attacker's last land unit goes last.
    """

    kind: Kind
    hits: Number = 0
    ipc: Number = 0
    territory: Number = 0
    played: Annotated[bool, Field(exclude_if=is_unset)] = False
    options: tuple[Option, ...]

    @property
    def best(self) -> int:
        """The place of the best choice."""
        return max(range(len(self.options)), key=lambda at: self.options[at].worth)

    @property
    def question(self) -> str:
        """What is asked, in a few sentences."""
        match self.kind:
            case Kind.BUY:
                return (
                    f"You attack, and may add units for {self.ipc} IPC. Which purchase takes the territory most often?"
                )
            case Kind.LOSE:
                return (
                    f"You attack, and the defender has scored {quantity(self.hits, 'hit')}. Which loss leaves you the"
                    " best chance to take the territory?"
                )
            case Kind.RETREAT:
                return (
                    f"The territory is worth {self.territory} IPC to you if you take it. Counting what both sides lose"
                    " from here, in IPC: go on, or retreat now? You may still retreat after any later round."
                )

    @property
    def answer(self) -> str:
        """What the best choice is worth, and why it is that."""
        best = self.options[self.best]
        if self.kind is Kind.RETREAT:
            on = next(option.worth for option in self.options if option.text == _GO_ON)
            return f"Going on is worth {on:+.1f} IPC on average with the best play, a retreat 0."
        return (
            f"{best.text}, and you take it in {best.worth:.1f}% of all battles: {self.lead:.1f} points more than with"
            " the next best."
        )

    def loss(self, choice: int) -> float:
        """Return how many points a choice is behind the best one."""
        return self.options[self.best].worth - self.options[choice].worth

    @property
    def lead(self) -> float:
        """How many points the second best is behind: fewer are harder to see."""
        return sorted(self.loss(at) for at in range(len(self.options)))[1]

    def answer_card(self, choice: int) -> ChoicesCard:
        """Return the card of what each choice is worth, the best first."""
        retreats = self.kind is Kind.RETREAT
        most = max(abs(option.worth) for option in self.options) if retreats else 100.0
        figures = "{:+.1f} IPC" if retreats else "{:.1f}%"
        choices = tuple(
            Choice(
                sign=sign,
                words=option.text,
                units=Army() if retreats else parse_army(option.text.removeprefix(_LOSE), EDITION),
                figure=figures.format(option.worth) if option.worth else "0 IPC",
                share=max(0.0, option.worth) / most,
                good=option is self.options[self.best],
                chosen=option is self.options[choice],
            )
            for sign, option in sorted(zip(LETTERS, self.options, strict=False), key=lambda each: -each[1].worth)
        )
        title = "You found it" if choice == self.best else "Not this time"
        aside = "IPC on average" if retreats else "takes the territory"
        told = (f"{each.sign} {each.words}: {each.figure}{', your answer' * each.chosen}." for each in choices)
        words = " ".join([f"{title}.", f"{sentence(aside)}.", *told])
        return ChoicesCard(title=title, aside=aside, words=words, choices=choices)

    @property
    def note(self) -> str:
        """Who attacks whom, how both lose from then on, and where the position is from."""
        where = " The position is from a battle that was played." if self.played else ""
        return (
            f"{EDITIONS[EDITION].title}: {army_words(self.attacker)} attack {army_words(self.defender)}. Both lose the"
            f" cheapest units first from then on, the attacker's last land unit last.{where}"
        )

    @property
    def asked(self) -> Question[Setup]:
        """The puzzle as a question."""
        position = Setup(attacker=self.attacker, defender=self.defender)
        return Question(
            self.question, pictured(self.note), [pictured(option.text) for option in self.options], position
        )

    def answered(self, choice: int) -> Answer:
        """Return what a choice was worth; RuleError if there is none at that place."""
        if choice >= len(self.options):
            raise RuleError("This puzzle has no such choice.")
        right = choice == self.best
        score = score_of(solved=int(right), tries=1, lost=round(_TENTHS * self.loss(choice)))
        return Answer(right, self.answer, self.answer_card(choice), score)


_TENTHS = 10
"""What is lost is counted in tenths of a point: whole numbers decide who is ahead."""


def score_of(solved: int, tries: int, lost: int) -> Score:
    """Return the score of some tries; `lost`: tenths of a point."""
    text = f"{solved} of {tries} solved, {lost / _TENTHS:.1f} points lost"
    return Score(points=solved, rounds=lost, text=text)


_GO_ON, _LEAVE, _LOSE = "Go on", "Retreat", "Lose "

_MOST = {
    Kind.BUY: ((4, 2, 2, 1, 1), (6, 2, 2, 2, 0)),
    Kind.LOSE: ((4, 2, 3, 2, 1), (5, 2, 2, 2, 0)),
    Kind.RETREAT: ((5, 2, 3, 2, 1), (6, 2, 2, 2, 1)),
}
"""The most units of each kind that a random attacker and defender have."""


class DrawPuzzle(Request):
    """Find a puzzle; the same seed always finds the same."""

    max_seconds = 1.0

    seed: Annotated[bytes, Field(repr=False)]

    def run(self) -> Puzzle:
        """Return the first good one of the positions drawn; TooMuchError if there is none among them."""
        for number in range(MAX_DRAWS):
            if (found := drawn(SeededDice(self.seed, number))) is not None:
                return found
        raise TooMuchError("No puzzle was found.")


def drawn(dice: Dice) -> Puzzle | None:
    """Return a puzzle of a position that dice draw; None if there is no clear choice in it."""
    kind = list(Kind)[dice.roll(len(Kind)) - 1]
    attacker, defender = (tuple(dice.roll(count + 1) - 1 for count in most) for most in _MOST[kind])
    return puzzle_of(kind, attacker, defender, dice)


def puzzle_of(kind: Kind, attacker: Counts, defender: Counts, dice: Dice, hits: int | None = None) -> Puzzle | None:
    """Return a puzzle of a position, or None if there is no clear choice in it.

    Dice draw what the position leaves open: the IPC, the value of the territory, the choices, and `hits` for None.
    """
    if not (any(attacker) and any(defender)):
        return None
    ways, numbers = _choices(kind, attacker, dice, hits)
    if not ways:
        return None
    territory = numbers.get("territory")
    points = 100.0 if territory is None else 1.0
    plain = [0.0 if side is None else _plain(side, defender, territory) for side in ways.values()]
    best, *others = sorted((points * worth for worth in plain), reverse=True)
    if best - others[0] < BEHIND or best - others[-1] < MARGIN:
        return None
    chance = max(plain) if territory is None else plain_odds.takes(attacker, defender)
    if not _OPEN[0] <= chance <= _OPEN[1]:
        return None
    exact = [0.0 if side is None else _exact(side, defender, territory) for side in ways.values()]
    if any(abs(one - other) > AGREED for one, other in zip(exact, plain, strict=True)):
        return None
    options = tuple(Option(text=text, worth=points * worth) for text, worth in zip(ways, exact, strict=True))
    return Puzzle(kind=kind, attacker=_army(attacker), defender=_army(defender), options=options, **numbers)


def _plain(side: Counts, defender: Counts, territory: int | None) -> float:
    """Return an attacker's chance by the second opinion to take the territory or, for its value, its IPC."""
    return plain_odds.takes(side, defender) if territory is None else plain_odds.going_on(side, defender, territory)


def _exact(side: Counts, defender: Counts, territory: int | None) -> float:
    """Return the same by the engines."""
    from sim.axis_allies.odds.engine import solve  # noqa: PLC0415  # loads NumPy, which is for workers
    from sim.axis_allies.odds.retreat_solver import retreat_report  # noqa: PLC0415

    battle = BattleRequest(
        attacker=_army(side), defender=_army(defender), casualties="score", must_take=side[:3] != (0, 0, 0)
    )
    if territory is not None:
        return retreat_report(battle, territory).rounds[0].swing_go_on
    return solve(battle.terms(), course=False).p_won(must_take=True) if battle.must_take else 0.0


def _army(counts: Counts) -> Army:
    return Army.of({unit: count for unit, count in zip(KINDS, counts, strict=True) if count}, EDITION)


def _choices(
    kind: Kind, attacker: Counts, dice: Dice, hits: int | None
) -> tuple[Mapping[str, Counts | None], Mapping[str, int]]:
    """Return some of the choices in a position, in the order drawn, and what else the puzzle tells.

    A choice in words has the attacker after it, None for a retreat; there are none if there is nothing to choose.
    """
    if kind is Kind.RETREAT:
        numbers = {"territory": dice.roll(10)}
        return ({_GO_ON: attacker, _LEAVE: None} if any(attacker[:3]) else {}), numbers
    if kind is Kind.BUY:
        ipc = 9 + 3 * dice.roll(8)
        prices = list(zip(KINDS, plain_odds.COSTS, strict=True))
        bought = reversed(list(purchases_within(prices, ipc, ipc - plain_odds.COSTS[0] + 1)))
        ways = [tuple(each.get(unit, 0) for unit in KINDS) for each in bought]
        sign, verb, numbers = 1, "", {"ipc": ipc}
    else:
        hits = dice.roll(3) if hits is None else hits
        every = product(*(range(count + 1) for count in attacker))
        ways = [each for each in every if sum(each) == hits and each != attacker]
        sign, verb, numbers = -1, _LOSE, {"hits": hits}
    chosen = min(len(LETTERS), len(ways)) if len(ways) > 1 else 0
    drawn = [ways.pop(dice.roll(len(ways)) - 1) for _ in range(chosen)]
    after = (tuple(own + sign * count for own, count in zip(attacker, way, strict=True)) for way in drawn)
    return dict(zip((f"{verb}{army_words(_army(way))}" for way in drawn), after, strict=True)), numbers


MAX_UNITS = 12
"""Units of a side in a puzzle."""

MAX_POSITIONS = 20
"""Positions of a battle that are looked at."""

Position = tuple[int, Kind, Counts, Counts, int | None]
"""The row, what is asked, both armies, and the hits of the defender if they are to be taken."""


@dataclass(frozen=True, slots=True)
class FindPuzzles:
    """Find the puzzles in a battle; `steps`: the active ones, each its row and its events as JSON."""

    steps: Sequence[tuple[int, str]] = field(repr=False)
    seed: bytes = field(repr=False)

    def cost(self) -> float:
        """Return a rough upper bound on the seconds."""
        return 1.0

    def run(self) -> tuple[tuple[int, Puzzle], ...]:
        """Return them, each with the row that it is from, in order."""
        codec = Codec[Event](Event)
        events = ((row, event) for row, text in self.steps for event in codec.read_lists([text]))
        found: list[tuple[int, Puzzle]] = []
        for number, (row, kind, attacker, defender, hits) in zip(range(MAX_POSITIONS), positions(events), strict=False):
            puzzle = puzzle_of(kind, attacker, defender, SeededDice(self.seed, number), hits)
            if puzzle is not None:
                found.append((row, puzzle.model_copy(update={"played": True})))
        return tuple(found)


def positions(events: Iterable[tuple[int, Event]]) -> Iterator[Position]:
    """Yield the positions of a battle in which something can be asked, from its events with their rows."""
    before: Counts | None = None
    hits = 0
    for row, event in events:
        if isinstance(event, Fired) and event.side is Side.DEFENDER:
            hits += event.hits.total
        elif isinstance(event, RoundBegan | Ended):
            attacker, defender = _counts(event.attacker), _counts(event.defender)
            if before and defender and hits:
                yield row, Kind.LOSE, before, defender, hits
            if isinstance(event, RoundBegan) and attacker and defender:
                for kind in (Kind.BUY, Kind.RETREAT):
                    yield row, kind, attacker, defender, None
            before, hits = attacker, 0


def _counts(army: Army) -> Counts | None:
    """Return how many of each kind an army has; None if it is none of a puzzle, as by other units or other values."""
    units, known = army.book.units, EDITIONS[EDITION].units
    fits = all(group.unit in KINDS and units[group.unit] == known[group.unit] for group in army.groups)
    counts = tuple(int(army.count(unit)) for unit in KINDS)
    return counts if fits and 0 < sum(counts) <= MAX_UNITS else None
