"""The best choices of a party, exactly: its order of play, and the best few tokens of a larger set for one exchange.

For the order of play: an exchange's damage depends on the member's deck alone, so the boss and each member fall in the
same round whatever the order. Only the last round is open: who has taken a step when the boss falls. Checking every
group of members that can defeat it then, at most 4,096, covers every order.

For tokens: branch and bound. Tokens are added one after another. A branch is cut as soon as the best of every figure
among the remaining tokens, combined, couldn't beat the best choice so far. A token that `count` others beat in every
figure is left out from the start.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate, combinations
from math import comb
from operator import ge
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.boss_fight import exchange as e
from sim.boss_fight.battle import MAX_MEMBERS, MAX_TIMES
from sim.boss_fight.exchange import exchange
from sim.boss_fight.values import Boss, Deck, Entrant, Exact, Name, Token
from sim.core import RuleError, TooMuchError
from sim.core.values import Frozen, Request


class OrderEntry(Frozen):
    """A member in the best order, at the end of the fight: `at`, the index among the entrants.

    `stands`: whether the member survives. `health`: at the start; `left`: at the end, 0 or less once fallen. `dealt`:
    damage to the boss.
    """

    at: int
    name: Name
    stands: bool
    health: int
    left: Exact
    dealt: Exact


class BestOrderReport(Frozen):
    """The best order, and how the fight ends in it.

    `winner`: None for a stalemate; unless the party wins, every order is as good as the order of joining. `rounds`,
    `exchanges`: how long it takes; None if the numbers are too large. `standing`: the number of survivors.
    """

    order: tuple[OrderEntry, ...]
    winner: Literal["party", "boss"] | None
    rounds: int | None
    exchanges: int | None
    standing: int


class _Fighter(NamedTuple):
    """What a member deals, in quarters, and takes in each exchange; `falls`: in which of them, None for never."""

    at: int
    name: str
    health: int
    deals: int
    takes: Exact
    falls: int | None

    def hits_in(self, rounds: int) -> int:
        """Return the number of this member's exchanges in that many complete rounds."""
        return rounds if self.falls is None else min(rounds, self.falls)

    def entry(self, hits: int) -> OrderEntry:
        """Return this member's part in a fight of `hits` exchanges of its own."""
        left, dealt = self.health - hits * self.takes, Fraction(hits * self.deals, 4)
        return OrderEntry(at=self.at, name=self.name, stands=left > 0, health=self.health, left=left, dealt=dealt)


class BestOrderRequest(Request):
    """The order in which a party should take its steps.

    Best is a victory in the fewest exchanges, then with the most survivors, then with the most health left to them.
    Members without a step in the last round come after those with one. RuleError for a deck without health.
    """

    boss: Boss
    times: Annotated[int, Field(ge=1, le=MAX_TIMES)] = 1
    entrants: Annotated[tuple[Entrant, ...], Field(min_length=1, max_length=MAX_MEMBERS)]

    @model_validator(mode="after")
    def _check_health(self) -> Self:
        for entrant in self.entrants:
            if not entrant.deck.health:
                raise RuleError(f"{entrant.name}'s deck has no health, so it can't fight.")
        return self

    @override
    def cost(self) -> float:
        size = sum(entrant.deck.size for entrant in self.entrants)
        return 0.1 + e.SECONDS_PER_TRAIT * size + 1e-4 * (1 << len(self.entrants))

    def run(self) -> BestOrderReport:
        """Return the best order."""
        fighters = []
        for at, entrant in enumerate(self.entrants):
            deals, takes = (damage.total for damage in e.damages(self.boss, entrant.deck.tokens))
            health = entrant.deck.health
            falls = e.exchanges_to_fall(health, takes)
            fighters.append(_Fighter(at, entrant.name, health, int(4 * deals), takes, falls))

        def dealt_in(rounds: int) -> int:
            return sum(one.deals * one.hits_in(rounds) for one in fighters)

        health = 4 * self.boss.health * self.times
        rounds = range(health + 1)  # each costs the boss a quarter at least, until nobody is left who can hurt it
        last = bisect_left(rounds, health, key=dealt_in)
        wins = last < len(rounds)
        # Where the boss doesn't fall, nobody who is left can hurt it.
        done = last - 1 if wins else max((one.falls or 0 for one in fighters), default=0)
        steppers = _best_steppers(fighters, last, health - dealt_in(done)) if wins else ()
        ordered = [*steppers, *(fighter for fighter in fighters if fighter not in steppers)]
        hits = [fighter.hits_in(done) + (fighter in steppers) for fighter in ordered]
        order = tuple(one.entry(count) for one, count in zip(ordered, hits, strict=True))
        standing = sum(entry.stands for entry in order)
        winner: Literal["party", "boss"] | None = "party" if wins else None if standing else "boss"
        countable = winner is not None and (wins or done <= e.MAX_COUNTED)
        return BestOrderReport(
            order=order,
            winner=winner,
            rounds=done + wins if countable else None,
            exchanges=sum(hits) if countable else None,
            standing=standing,
        )


def _best_steppers(fighters: Iterable[_Fighter], last: int, boss_left: int) -> tuple[_Fighter, ...]:
    """Return who should take a step in the last round, in the order of joining: as few as are enough."""
    living = [fighter for fighter in fighters if fighter.hits_in(last) == last]
    finest = max(fighter.takes.denominator for fighter in living)  # all are powers of two
    # A step costs the damage, but at most the health left.
    costs = {one.at: int(min(one.takes, one.health - (last - 1) * one.takes) * finest) for one in living}

    def loss(group: tuple[_Fighter, ...]) -> tuple[int, int]:
        return sum(one.falls == last for one in group), sum(costs[one.at] for one in group)

    sizes = (combinations(living, size) for size in range(1, len(living) + 1))
    enough = ([group for group in groups if sum(one.deals for one in group) >= boss_left] for groups in sizes)
    return min(next(filter(None, enough)), key=loss)


MAX_SET = 60
"""Tokens of the largest deck that is searched for the best ones."""

MAX_CHOSEN = 5
"""The most tokens to choose."""

MAX_BRANCHES = 1_800_000
"""Branches that the search visits before it gives up: about two seconds."""


class BestTokensReport(Frozen):
    """The best choice: `chosen` are indexes into the set, in order; `exchange` is what they do.

    `branches`: how many the search visited, of `choices` ways to choose.
    """

    chosen: tuple[int, ...]
    exchange: e.ExchangeReport
    branches: int
    choices: int


class BestTokensRequest(Request):
    """The `count` tokens of a deck that do best together against a boss in one exchange.

    Best is the highest score; then the most damage to the boss, then the most health left. The order of tokens has no
    effect in an exchange. RuleError for a deck that is too large, or smaller than `count`.
    """

    max_seconds = 4.0

    boss: Boss
    deck: Deck
    count: Annotated[int, Field(ge=1, le=MAX_CHOSEN)] = MAX_CHOSEN

    @model_validator(mode="after")
    def _check_size(self) -> Self:
        size = len(self.deck.tokens)
        if size > MAX_SET:
            raise RuleError(f"I can find the best of at most {MAX_SET} tokens; here are {size:,}.")
        if size < self.count:
            raise RuleError(f"You want {self.count} tokens, but the deck has {size}.")
        return self

    def run(self) -> BestTokensReport:
        """Return the best choice; TooMuchError if the tokens are too alike for an exact answer in time."""
        boss, tokens = self.boss, self.deck.tokens
        rows = e.token_rows(boss, tokens)
        search = _Search(
            boss, [_figures(boss, token, row) for token, row in zip(tokens, rows, strict=True)], self.count
        )
        chosen = search.run()
        return BestTokensReport.model_construct(
            chosen=chosen,
            exchange=exchange(boss, Deck(tokens=tuple(tokens[at] for at in chosen))),
            branches=search.branches,
            choices=comb(len(tokens), self.count),
        )


_STOPS = 1 << 60
"""The power of 1/2 of a token that stops all magic: more than all others together."""

_Figures = tuple[int, int, int, int, int]
"""Damage and health in quarters, both together, powers of 1/2 of both kinds."""


def _sum(first: _Figures, second: _Figures) -> _Figures:
    return (
        first[0] + second[0],
        first[1] + second[1],
        first[2] + second[2],
        first[3] + second[3],
        first[4] + second[4],
    )


def _figures(boss: Boss, token: Token, row: e.TokenRow) -> _Figures:
    damage = row.physical_quarters + row.magical_quarters
    health = 4 * token.total("health")
    magical = _STOPS if row.doublings is None else row.magical_halves - row.doublings
    # Nobody needs to withstand damage that the boss doesn't deal.
    physical, magical = boss.physical_damage and row.physical_halves, boss.magical_damage and magical
    return damage, health, damage + health, physical, magical


_Key = tuple[int, int, int]
"""Score, damage to the boss, health left: compared in this order, larger is better."""


def _beaten(tokens: Sequence[_Figures], at: int) -> int:
    """Count the tokens that are as good in every figure; the earlier of two equal ones beats the later."""
    own = tokens[at]
    alike = (other for other, its in enumerate(tokens) if all(map(ge, its, own)))
    return sum(tokens[other] != own or other < at for other in alike)


class _Search:
    """One search in whole numbers, scaled so that nothing is rounded."""

    def __init__(self, boss: Boss, tokens: Sequence[_Figures], count: int) -> None:
        self.branches = 0
        self._count = count
        self._needed = 4 * boss.health
        kept = [at for at in range(len(tokens)) if _beaten(tokens, at) < count]
        self._at = sorted(kept, key=lambda at: (tokens[at][2], tokens[at][0]), reverse=True)
        self._kept = [tokens[at] for at in self._at]
        # The unit of damage and health is a quarter, halved as often as any choice can halve damage: sums are whole.
        *_, physical, magical = zip(*self._kept, strict=True)
        most = (sum(sorted(powers)[-count:]) for powers in (physical, [each for each in magical if each < _STOPS]))
        self._shift = max(0, *most)
        self._physical = 4 * boss.physical_damage << self._shift
        self._magical = 4 * boss.magical_damage << self._shift
        # From each index on, of each figure the sums of the largest 0, 1, …: what some of the tokens could add at best.
        self._most = [
            [*zip(*(self._largest(column) for column in zip(*self._kept[start:], strict=True)), strict=True)]
            for start in range(len(self._kept))
        ]
        self._best: _Key = (-1, 0, 0)
        self._chosen: tuple[int, ...] = ()

    def run(self) -> tuple[int, ...]:
        """Return the indexes of the best choice, in order."""
        self._branch(0, self._count, (0, 0, 0, 0, 0), ())
        return tuple(sorted(self._at[at] for at in self._chosen))

    def _largest(self, column: Iterable[int]) -> Iterable[int]:
        return accumulate(sorted(column, reverse=True)[: self._count], initial=0)

    def _rate(self, sums: _Figures) -> _Key:
        """Return the key of a choice with these sums, or an upper bound if they are upper bounds."""
        damage, health, both, physical, magical = sums
        needed, shift = self._needed, self._shift
        taken = self._physical >> physical
        taken += self._magical >> magical if magical >= 0 else self._magical << -magical  # nothing where it is stopped
        left = (health << shift) - taken
        score = 0 if damage < needed or left < 0 else max(0, ((both - needed) << shift) - taken)
        return score, damage, left

    def _branch(self, start: int, missing: int, sums: _Figures, chosen: tuple[int, ...]) -> None:
        """Add each token from `start` on in turn, as long as that may still beat the best choice."""
        for at in range(start, len(self._kept) - missing + 1):
            self.branches += 1
            if self.branches > MAX_BRANCHES:
                raise TooMuchError("These tokens are too alike for an exact search: leave some of them out.")
            if self._rate(_sum(sums, self._most[at][missing])) <= self._best:
                return  # the bound covers every later token, too
            extended = _sum(sums, self._kept[at])
            if missing > 1:
                self._branch(at + 1, missing - 1, extended, (*chosen, at))
            elif (key := self._rate(extended)) > self._best:
                self._best, self._chosen = key, (*chosen, at)
