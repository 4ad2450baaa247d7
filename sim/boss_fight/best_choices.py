"""The best choices of a party, exactly: its order of play, and the best few tokens of a larger set for one exchange.

For the order of play: an exchange's damage depends on the member's deck alone, so the boss and each member fall in the
same round whatever the order. Only the last round is open: who has taken a step when the boss falls. Checking every
group of members that can defeat it then, at most 4,096, covers every order.

For tokens: branch and bound. Tokens are added one after another. A branch is cut as soon as the best of every figure
among the remaining tokens, combined, couldn't beat the best choice so far. A token that `count` others beat in every
figure is left out from the start.
"""

from fractions import Fraction
from itertools import accumulate, combinations
from math import comb
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.boss_fight import exchange as e
from sim.boss_fight.battle.values import MAX_MEMBERS, MAX_TIMES
from sim.boss_fight.exchange import exchange
from sim.boss_fight.values import Boss, Deck, Entrant, Exact, Name, Token
from sim.core.errors import RuleError, TooMuchError
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
    """What a member deals and takes in each exchange; `falls`: in which of them, None for never."""

    at: int
    name: str
    health: int
    deals: Fraction
    takes: Fraction
    falls: int | None

    def loses_in(self, number: int) -> Fraction:
        """Return the health that a step in that round costs: the damage, but at most the health left."""
        return self.takes if self.falls != number else self.health - (number - 1) * self.takes

    def hits_in(self, rounds: int) -> int:
        """Return the number of this member's exchanges in that many complete rounds."""
        return rounds if self.falls is None else min(rounds, self.falls)

    def entry(self, hits: int) -> OrderEntry:
        """Return this member's part in a fight of `hits` exchanges of its own."""
        left, dealt = self.health - hits * self.takes, hits * self.deals
        return OrderEntry(at=self.at, name=self.name, stands=left > 0, health=self.health, left=left, dealt=dealt)


class _LastRound(NamedTuple):
    """The round in which the boss falls: who lives as it begins, and the health of the boss."""

    number: int
    fighters: list[_Fighter]
    boss_left: Fraction


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
            fighters.append(_Fighter(at, entrant.name, health, deals, takes, e.exchanges_to_fall(health, takes)))
        last = _last_round(fighters, Fraction(self.boss.health * self.times))
        steppers = () if last is None else _best_steppers(last)
        # Where the boss doesn't fall, nobody who is left can hurt it.
        done = max((one.falls or 0 for one in fighters), default=0) if last is None else last.number - 1
        ordered = [*steppers, *(fighter for fighter in fighters if fighter not in steppers)]
        hits = [fighter.hits_in(done) + (fighter in steppers) for fighter in ordered]
        order = tuple(one.entry(count) for one, count in zip(ordered, hits, strict=True))
        winner: Literal["party", "boss"] | None = "party"
        if last is None:
            winner = None if any(entry.stands for entry in order) else "boss"
        countable = last is not None or (winner is not None and done <= e.MAX_COUNTED)
        return BestOrderReport(
            order=order,
            winner=winner,
            rounds=done + (last is not None) if countable else None,
            exchanges=sum(hits) if countable else None,
            standing=sum(entry.stands for entry in order),
        )


def _last_round(fighters: list[_Fighter], health: Fraction) -> _LastRound | None:
    """Return the round in which the boss falls; None if it never does."""
    done = 0  # complete rounds; between two falls every round is like the one before
    left = health
    for until in [*sorted({fighter.falls for fighter in fighters if fighter.falls is not None}), None]:
        living = [fighter for fighter in fighters if fighter.falls is None or fighter.falls > done]
        deals = sum((fighter.deals for fighter in living), Fraction(0))
        needed = e.exchanges_to_fall(left, deals)
        if needed is not None and (until is None or done + needed <= until):
            return _LastRound(done + needed, living, left - (needed - 1) * deals)
        if until is not None:
            left -= (until - done) * deals
            done = until
    return None


def _best_steppers(last: _LastRound) -> tuple[_Fighter, ...]:
    """Return who should take a step in the last round, in the order of joining: as few as are enough."""
    finest = max(fighter.takes.denominator for fighter in last.fighters)  # all are powers of two
    costs = {fighter.at: int(fighter.loses_in(last.number) * finest) for fighter in last.fighters}

    def loss(group: tuple[_Fighter, ...]) -> tuple[int, int]:
        return sum(one.falls == last.number for one in group), sum(costs[one.at] for one in group)

    sizes = (combinations(last.fighters, size) for size in range(1, len(last.fighters) + 1))
    enough = ([group for group in groups if sum(one.deals for one in group) >= last.boss_left] for groups in sizes)
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
        rows = zip(tokens, exchange(boss, self.deck).tokens, strict=True)
        search = _Search(boss, [_candidate(at, boss, token, row) for at, (token, row) in enumerate(rows)], self.count)
        chosen = search.run()
        return BestTokensReport.model_construct(
            chosen=chosen,
            exchange=exchange(boss, Deck(tokens=tuple(tokens[at] for at in chosen))),
            branches=search.branches,
            choices=comb(len(tokens), self.count),
        )


_Figures = tuple[int, int, int, int, int, bool]
"""Damage and health in quarters, both together, powers of 1/2 of both kinds, whether all magic is stopped."""


def _sum(first: _Figures, second: _Figures) -> _Figures:
    return (
        first[0] + second[0],
        first[1] + second[1],
        first[2] + second[2],
        first[3] + second[3],
        first[4] + second[4],
        first[5] or second[5],
    )


class _Candidate(NamedTuple):
    """A token as the search sees it."""

    at: int
    figures: _Figures

    def beats(self, other: "_Candidate") -> bool:
        """Return whether it is as good in every figure; the earlier of two equal tokens beats the later."""
        (*mine, stops), (*its, other_stops) = self.figures, other.figures
        if self.figures == other.figures:
            return self.at < other.at
        # What stops all magic needs no powers against it.
        compared = slice(4) if stops and not other_stops else slice(5)
        return stops >= other_stops and all(a >= b for a, b in zip(mine[compared], its[compared], strict=True))


def _candidate(at: int, boss: Boss, token: Token, row: e.TokenRow) -> _Candidate:
    magic = boss.magical_damage > 0
    damage = row.physical_quarters + row.magical_quarters
    health = 4 * sum(trait.health for trait in token.traits)
    # Nobody needs to withstand damage that the boss doesn't deal.
    physical = row.physical_halves if boss.physical_damage else 0
    magical = row.magical_halves - (row.doublings or 0) if magic and row.doublings is not None else 0
    return _Candidate(at, (damage, health, damage + health, physical, magical, magic and row.doublings is None))


_Key = tuple[int, int, int]
"""Score, damage to the boss, health left: compared in this order, larger is better."""


class _Search:
    """One search in whole numbers, scaled so that nothing is rounded."""

    def __init__(self, boss: Boss, candidates: list[_Candidate], count: int) -> None:
        self.branches = 0
        self._count = count
        self._boss = boss
        self._needed = 4 * boss.health
        kept = [token for token in candidates if sum(other.beats(token) for other in candidates) < count]
        self._kept = sorted(kept, key=lambda token: (token.figures[2], token.figures[0]), reverse=True)
        self._scale()
        self._bounds()
        self._best: _Key = (-1, 0, 0)
        self._chosen: tuple[int, ...] = ()

    def run(self) -> tuple[int, ...]:
        """Return the indexes of the best choice, in order."""
        self._branch(0, self._count, (0, 0, 0, 0, 0, False), ())
        return tuple(sorted(self._kept[at].at for at in self._chosen))

    def _scale(self) -> None:
        """Compute the damage for each stack, times 4 and a power of two that leaves no fraction."""
        boss, count = self._boss, self._count
        *_, physical, magical, _ = (
            sorted(column) for column in zip(*(token.figures for token in self._kept), strict=True)
        )
        most_physical = sum(physical[-count:])
        least_magical, most_magical = sum(magical[:count]), sum(magical[-count:])
        shift = max(most_physical, most_magical, 0)
        self._shift = shift
        self._physical = [4 * boss.physical_damage << (shift - power) for power in range(most_physical + 1)]
        powers = range(least_magical, most_magical + 1)
        self._magical = {power: 4 * boss.magical_damage << (shift - power) for power in powers}

    def _bounds(self) -> None:
        """Compute the best sums of each figure that some of the tokens from each index on could add."""
        self._most: list[list[_Figures]] = []
        for start in range(len(self._kept) + 1):
            rest = [token.figures for token in self._kept[start:]]
            *columns, stops = zip(*rest, strict=True) if rest else [()] * 6
            # Of each figure the sums of the largest 0, 1, … of them, or of all if there are fewer.
            best = [[0, *accumulate(sorted(column, reverse=True)[: self._count])] for column in columns]
            sums = zip(*(each + each[-1:] * (self._count + 1 - len(each)) for each in best), strict=True)
            self._most.append([(*each, any(stops)) for each in sums])

    def _rate(self, sums: _Figures) -> _Key:
        """Return the key of a choice with these sums, or an upper bound if they are upper bounds."""
        damage, health, both, physical, magical, no_magic = sums
        needed = self._needed
        taken = self._physical[physical]
        if not no_magic:
            taken += self._magical[magical]
        left = (health << self._shift) - taken
        score = 0 if damage < needed or left < 0 else max(0, ((both - needed) << self._shift) - taken)
        return score, damage, left

    def _branch(self, start: int, missing: int, sums: _Figures, chosen: tuple[int, ...]) -> None:
        """Add each token from `start` on in turn, as long as that may still beat the best choice."""
        for at in range(start, len(self._kept) - missing + 1):
            self.branches += 1
            if self.branches > MAX_BRANCHES:
                raise TooMuchError("These tokens are too alike for an exact search: leave some of them out.")
            if self._rate(_sum(sums, self._most[at][missing])) <= self._best:
                return  # the bound covers every later token, too
            extended = _sum(sums, self._kept[at].figures)
            if missing > 1:
                self._branch(at + 1, missing - 1, extended, (*chosen, at))
            elif (key := self._rate(extended)) > self._best:
                self._best, self._chosen = key, (*chosen, at)
