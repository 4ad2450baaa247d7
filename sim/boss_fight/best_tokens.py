"""The best few tokens of a larger set for one exchange, exactly.

Branch and bound: tokens are added one after another. A branch is cut as soon as the best of every figure among the
remaining tokens, combined, couldn't beat the best choice so far. A token that `count` others beat in every figure is
left out from the start.
"""

from dataclasses import dataclass
from itertools import accumulate
from math import comb

from sim.boss_fight.exchange import exchange
from sim.boss_fight.reports import BestTokensReport, TokenRow
from sim.boss_fight.values import Boss, Deck, Token
from sim.core.errors import TooMuchError

MAX_BRANCHES = 1_800_000
"""Branches that the search visits before it gives up: about two seconds."""


def best_tokens(boss: Boss, tokens: tuple[Token, ...], count: int) -> BestTokensReport:
    """Return the best `count` of some tokens for one exchange.

    TooMuchError if the tokens are too alike for an exact answer in time.
    """
    rows = exchange(boss, Deck(tokens=tokens)).tokens
    candidates = [_candidate(at, boss, token, row) for at, (token, row) in enumerate(zip(tokens, rows, strict=True))]
    search = _Search(boss, candidates, count)
    chosen = search.run()
    return BestTokensReport.model_construct(
        chosen=chosen,
        exchange=exchange(boss, Deck(tokens=tuple(tokens[at] for at in chosen))),
        branches=search.branches,
        choices=comb(len(tokens), count),
    )


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A token as the search sees it: damage and health in quarters, powers of 1/2, whether it stops all magic."""

    at: int
    damage: int
    health: int
    physical: int
    magical: int
    stops_magic: bool

    def beats(self, other: "_Candidate") -> bool:
        """Return whether it is as good in every figure; the earlier of two equal tokens beats the later."""
        mine = (self.damage, self.health, self.physical, self.magical)
        its = (other.damage, other.health, other.physical, other.magical)
        if self.stops_magic is other.stops_magic and mine == its:
            return self.at < other.at
        if self.stops_magic and not other.stops_magic:
            return all(a >= b for a, b in zip(mine[:3], its[:3], strict=True))
        return self.stops_magic is other.stops_magic and all(a >= b for a, b in zip(mine, its, strict=True))


def _candidate(at: int, boss: Boss, token: Token, row: TokenRow) -> _Candidate:
    magic = boss.magical_damage > 0
    return _Candidate(
        at=at,
        damage=row.physical_quarters + row.magical_quarters,
        health=4 * sum(trait.health for trait in token.traits),
        # Nobody needs to withstand damage that the boss doesn't deal.
        physical=row.physical_halves if boss.physical_damage else 0,
        magical=row.magical_halves - (row.doublings or 0) if magic and row.doublings is not None else 0,
        stops_magic=magic and row.doublings is None,
    )


_Sums = tuple[int, int, int, int, bool]
"""Of a choice so far: damage, health, powers of 1/2 of both kinds, whether all magic is stopped."""

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
        self._kept = sorted(kept, key=lambda token: (token.damage + token.health, token.damage), reverse=True)
        self._scale()
        self._bounds()
        self._best: _Key = (-1, 0, 0)
        self._chosen: tuple[int, ...] = ()

    def run(self) -> tuple[int, ...]:
        """Return the indexes of the best choice, in order."""
        self._start()
        self._branch(0, self._count, (0, 0, 0, 0, False), ())
        return tuple(sorted(self._kept[at].at for at in self._chosen))

    def _scale(self) -> None:
        """Compute the damage for each stack, times 4 and a power of two that leaves no fraction."""
        boss, count = self._boss, self._count
        most_physical = sum(sorted((token.physical for token in self._kept), reverse=True)[:count])
        magical = sorted(token.magical for token in self._kept)
        least_magical, most_magical = sum(magical[:count]), sum(magical[-count:])
        shift = max(most_physical, most_magical, 0)
        self._shift = shift
        self._physical = [4 * boss.physical_damage << (shift - power) for power in range(most_physical + 1)]
        powers = range(least_magical, most_magical + 1)
        self._magical = {power: 4 * boss.magical_damage << (shift - power) for power in powers}

    def _bounds(self) -> None:
        """Compute the best sums of each figure that some of the tokens from each index on could add."""
        kept = self._kept
        self._most: list[list[tuple[int, ...]]] = []
        self._may_stop: list[bool] = []
        for start in range(len(kept) + 1):
            rest = kept[start:]
            columns = (
                [token.damage for token in rest],
                [token.health for token in rest],
                [token.damage + token.health for token in rest],
                [token.physical for token in rest],
                [token.magical for token in rest],
            )
            sums = [_best_sums(column, self._count) for column in columns]
            self._most.append(list(zip(*sums, strict=True)))
            self._may_stop.append(any(token.stops_magic for token in rest))

    def _start(self) -> None:
        """Find a good first choice by swapping single tokens while that helps."""
        chosen = list(range(self._count))
        best = self._key(chosen)
        better = True
        while better:
            better = False
            for at in range(self._count):
                for other in range(len(self._kept)):
                    tried = [*chosen[:at], other, *chosen[at + 1 :]]
                    if other not in chosen and self._key(tried) > best:
                        chosen, best, better = tried, self._key(tried), True
        self._best, self._chosen = best, tuple(chosen)

    def _key(self, chosen: list[int]) -> _Key:
        tokens = [self._kept[at] for at in chosen]
        return self._rate(
            sum(token.damage for token in tokens),
            sum(token.health for token in tokens),
            sum(token.damage + token.health for token in tokens),
            sum(token.physical for token in tokens),
            sum(token.magical for token in tokens),
            no_magic=any(token.stops_magic for token in tokens),
        )

    def _rate(self, damage: int, health: int, both: int, physical: int, magical: int, *, no_magic: bool) -> _Key:
        """Return the key of a choice with these sums, or an upper bound if they are upper bounds."""
        needed = self._needed
        taken = self._physical[physical]
        if not no_magic:
            taken += self._magical[magical]
        left = (health << self._shift) - taken
        score = 0 if damage < needed or left < 0 else ((both - needed) << self._shift) - taken
        return score, damage, left

    def _branch(self, start: int, missing: int, sums: _Sums, chosen: tuple[int, ...]) -> None:
        """Add each token from `start` on in turn, as long as that may still beat the best choice."""
        damage, health, physical, magical, no_magic = sums
        for at in range(start, len(self._kept) - missing + 1):
            self.branches += 1
            if self.branches > MAX_BRANCHES:
                raise TooMuchError("These tokens are too alike for an exact search: leave some of them out.")
            most = self._most[at][missing]
            bound = self._rate(
                damage + most[0],
                health + most[1],
                damage + health + most[2],
                physical + most[3],
                magical + most[4],
                no_magic=no_magic or self._may_stop[at],
            )
            if bound <= self._best:
                return  # the bound covers every later token, too
            token = self._kept[at]
            extended = (
                damage + token.damage,
                health + token.health,
                physical + token.physical,
                magical + token.magical,
                no_magic or token.stops_magic,
            )
            if missing > 1:
                self._branch(at + 1, missing - 1, extended, (*chosen, at))
            else:
                self._compare(extended, (*chosen, at))

    def _compare(self, sums: _Sums, chosen: tuple[int, ...]) -> None:
        damage, health, physical, magical, no_magic = sums
        key = self._rate(damage, health, damage + health, physical, magical, no_magic=no_magic)
        if key > self._best:
            self._best, self._chosen = key, chosen


def _best_sums(column: list[int], count: int) -> list[int]:
    """Return the sums of the largest 0, 1, … `count` figures, or of all if there are fewer."""
    sums = [0, *accumulate(sorted(column, reverse=True)[:count])]
    return sums + sums[-1:] * (count + 1 - len(sums))
