"""The best few tokens of a larger set for one exchange, exactly.

Branch and bound: tokens are taken one after another; as soon as even the best of every figure among those left to
choose from, taken together, couldn't beat the best choice so far, that branch is left. Tokens that as many others beat
in everything as are to be chosen are left out before.
"""

from dataclasses import dataclass
from itertools import accumulate
from math import comb
from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.boss_fight.exchange import ExchangeReport, TokenRow, exchange
from sim.boss_fight.values import Boss, Deck, Token
from sim.core.errors import RuleError, TooMuchError
from sim.core.frozen import Frozen
from sim.core.request import Request

MAX_SET = 60
"""Tokens that are searched at once."""

MAX_CHOSEN = 5
"""Tokens that are chosen at most."""

MOST_NODES = 1_800_000
"""Branches that are looked at before the search gives up: about two seconds."""


class BestTokensReport(Frozen):
    """The best choice: `chosen` are places in the set, from 0, in order; `exchange` is what they do.

    `branches`: how many were looked at, of `choices` ways to choose.
    """

    chosen: tuple[int, ...]
    exchange: ExchangeReport
    branches: int
    choices: int


class BestTokensRequest(Request):
    """Which `count` tokens of a set do best together against a boss in one exchange; the job that answers it.

    Best is the highest score; among equal ones, as where all are 0, the most damage to the boss, then the most health
    left. The order of tokens changes nothing in an exchange. RuleError for a set that is smaller than `count`.
    """

    max_seconds = 4.0

    boss: Boss
    tokens: Annotated[tuple[Token, ...], Field(min_length=1)]
    count: Annotated[int, Field(ge=1, le=MAX_CHOSEN)] = MAX_CHOSEN

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if len(self.tokens) > MAX_SET:
            raise RuleError(f"The best of at most {MAX_SET} tokens can be searched; here are {len(self.tokens):,}.")
        if len(self.tokens) < self.count:
            raise RuleError(f"{self.count} tokens are to be chosen, but there are only {len(self.tokens)}.")
        Deck(tokens=self.tokens)  # the names differ
        return self

    def run(self) -> BestTokensReport:
        """Search; TooMuchError where the tokens are too alike for an exact answer in time."""
        whole = exchange(self.boss, Deck(tokens=self.tokens))
        search = _Search(self.boss, [_offer(at, self, row) for at, row in enumerate(whole.tokens)], self.count)
        chosen = search.run()
        return BestTokensReport.model_construct(
            chosen=chosen,
            exchange=exchange(self.boss, Deck(tokens=tuple(self.tokens[at] for at in chosen))),
            branches=search.nodes,
            choices=comb(len(self.tokens), self.count),
        )


@dataclass(frozen=True, slots=True)
class _Offer:
    """A token as the search sees it: damage and health in quarters, powers of 1/2, whether it stops all magic."""

    at: int
    damage: int
    health: int
    physical: int
    magical: int
    nothing: bool

    def beats(self, other: "_Offer") -> bool:
        """Tell whether it is as good in everything; the earlier of two equal ones beats the later."""
        mine = (self.damage, self.health, self.physical, self.magical)
        its = (other.damage, other.health, other.physical, other.magical)
        if self.nothing is other.nothing and mine == its:
            return self.at < other.at
        if self.nothing and not other.nothing:
            return all(a >= b for a, b in zip(mine[:3], its[:3], strict=True))
        return self.nothing is other.nothing and all(a >= b for a, b in zip(mine, its, strict=True))


def _offer(at: int, request: BestTokensRequest, row: TokenRow) -> _Offer:
    boss = request.boss
    magic = boss.magical_damage > 0
    return _Offer(
        at=at,
        damage=row.physical_quarters + row.magical_quarters,
        health=4 * sum(trait.health for trait in request.tokens[at].traits),
        # What a boss doesn't deal, nobody needs to withstand.
        physical=row.physical_halves if boss.physical_damage else 0,
        magical=row.magical_halves - (row.doublings or 0) if magic and row.doublings is not None else 0,
        nothing=magic and row.doublings is None,
    )


_Sums = tuple[int, int, int, int, bool]
"""Of a choice so far: damage, health, powers of 1/2 of both kinds, whether all magic is stopped."""

_Key = tuple[int, int, int]
"""Score, damage to the boss, health left: what is compared, in this order, larger is better."""


class _Search:
    """One search; whole numbers only, all scaled so that nothing is rounded."""

    def __init__(self, boss: Boss, offers: list[_Offer], count: int) -> None:
        self.nodes = 0
        self._count = count
        self._boss = boss
        self._needed = 4 * boss.health
        kept = [offer for offer in offers if sum(other.beats(offer) for other in offers) < count]
        self._kept = sorted(kept, key=lambda offer: (offer.damage + offer.health, offer.damage), reverse=True)
        self._scale()
        self._bounds()
        self._best: _Key = (-1, 0, 0)
        self._chosen: tuple[int, ...] = ()

    def run(self) -> tuple[int, ...]:
        """Return the places of the best choice, in order."""
        self._start()
        self._branch(0, self._count, (0, 0, 0, 0, False), ())
        return tuple(sorted(self._kept[at].at for at in self._chosen))

    def _scale(self) -> None:
        """Prepare the damage of each stack, times 4 and a power of two that leaves no fraction."""
        boss, count = self._boss, self._count
        most_physical = sum(sorted((offer.physical for offer in self._kept), reverse=True)[:count])
        magical = sorted(offer.magical for offer in self._kept)
        least_magical, most_magical = sum(magical[:count]), sum(magical[-count:])
        shift = max(most_physical, most_magical, 0)
        self._shift = shift
        self._physical = [4 * boss.physical_damage << (shift - power) for power in range(most_physical + 1)]
        powers = range(least_magical, most_magical + 1)
        self._magical = {power: 4 * boss.magical_damage << (shift - power) for power in powers}

    def _bounds(self) -> None:
        """Prepare the best sums of each figure that some of the tokens from a place on could bring."""
        kept = self._kept
        self._most: list[list[tuple[int, ...]]] = []
        self._may_stop: list[bool] = []
        for start in range(len(kept) + 1):
            rest = kept[start:]
            columns = (
                [offer.damage for offer in rest],
                [offer.health for offer in rest],
                [offer.damage + offer.health for offer in rest],
                [offer.physical for offer in rest],
                [offer.magical for offer in rest],
            )
            sums = [_best_sums(column, self._count) for column in columns]
            self._most.append(list(zip(*sums, strict=True)))
            self._may_stop.append(any(offer.nothing for offer in rest))

    def _start(self) -> None:
        """Find a good choice to begin with, by exchanging single tokens while that helps."""
        chosen = list(range(self._count))
        best = self._key(chosen)
        better = True
        while better:
            better = False
            for place in range(self._count):
                for other in range(len(self._kept)):
                    tried = [*chosen[:place], other, *chosen[place + 1 :]]
                    if other not in chosen and self._key(tried) > best:
                        chosen, best, better = tried, self._key(tried), True
        self._best, self._chosen = best, tuple(chosen)

    def _key(self, chosen: list[int]) -> _Key:
        offers = [self._kept[at] for at in chosen]
        return self._rated(
            sum(offer.damage for offer in offers),
            sum(offer.health for offer in offers),
            sum(offer.damage + offer.health for offer in offers),
            sum(offer.physical for offer in offers),
            sum(offer.magical for offer in offers),
            nothing=any(offer.nothing for offer in offers),
        )

    def _rated(self, damage: int, health: int, both: int, physical: int, magical: int, *, nothing: bool) -> _Key:
        """Return the key of a choice of these sums, or a bound where they are bounds."""
        needed = self._needed
        taken = self._physical[physical]
        if not nothing:
            taken += self._magical[magical]
        left = (health << self._shift) - taken
        score = 0 if damage < needed or left < 0 else ((both - needed) << self._shift) - taken
        return score, damage, left

    def _branch(self, start: int, missing: int, sums: _Sums, chosen: tuple[int, ...]) -> None:
        """Take every token from `start` on in turn, as long as the best may still be beaten."""
        damage, health, physical, magical, nothing = sums
        for at in range(start, len(self._kept) - missing + 1):
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise TooMuchError("These tokens are too alike for an exact search: leave some of them out.")
            most = self._most[at][missing]
            bound = self._rated(
                damage + most[0],
                health + most[1],
                damage + health + most[2],
                physical + most[3],
                magical + most[4],
                nothing=nothing or self._may_stop[at],
            )
            if bound <= self._best:
                return  # what is left from here on is a part of what was weighed
            offer = self._kept[at]
            taken = (
                damage + offer.damage,
                health + offer.health,
                physical + offer.physical,
                magical + offer.magical,
                nothing or offer.nothing,
            )
            if missing > 1:
                self._branch(at + 1, missing - 1, taken, (*chosen, at))
            else:
                self._weigh(taken, (*chosen, at))

    def _weigh(self, sums: _Sums, chosen: tuple[int, ...]) -> None:
        damage, health, physical, magical, nothing = sums
        key = self._rated(damage, health, damage + health, physical, magical, nothing=nothing)
        if key > self._best:
            self._best, self._chosen = key, chosen


def _best_sums(column: list[int], count: int) -> list[int]:
    """Return the sums of the largest 0, 1, … `count` figures, as far as there are so many."""
    sums = [0, *accumulate(sorted(column, reverse=True)[:count])]
    return sums + sums[-1:] * (count + 1 - len(sums))
