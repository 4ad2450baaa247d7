"""The best order of play of a party, exactly.

An exchange's damage depends on the member's deck alone, so the boss and each member fall in the same round whatever the
order. Only the last round is open: who has taken a step when the boss falls. Checking every group of members that can
defeat it then, at most 4,096, covers every order.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple

from sim.boss_fight.exchange import MAX_COUNTED, exchange, exchanges_to_fall
from sim.boss_fight.reports import BestOrderReport, OrderEntry
from sim.boss_fight.values import Boss, Entrant

First = Literal["exchanges", "standing"]
"""The first aim: few exchanges, or many survivors."""


class _Fighter(NamedTuple):
    """What a member deals and takes in each exchange; `falls`: in which of them, None for never."""

    at: int
    name: str
    health: int
    deals: Fraction
    takes: Fraction
    falls: int | None

    def lives_in(self, number: int) -> bool:
        """Return whether this member still has a step in that round."""
        return self.falls is None or self.falls >= number

    def loses_in(self, number: int) -> Fraction:
        """Return the health that a step in that round costs: the damage, but at most the health left."""
        return self.takes if self.falls != number else self.health - (number - 1) * self.takes

    def hits_in(self, rounds: int) -> int:
        """Return the number of this member's exchanges in that many complete rounds."""
        return rounds if self.falls is None else min(rounds, self.falls)

    def entry(self, hits: int, *, stands: bool) -> OrderEntry:
        """Return this member's part in a fight of `hits` exchanges of its own."""
        left, dealt = self.health - hits * self.takes, hits * self.deals
        return OrderEntry(at=self.at, name=self.name, stands=stands, health=self.health, left=left, dealt=dealt)


class _LastRound(NamedTuple):
    """The round in which the boss falls: who lives as it begins, and the health of the boss."""

    number: int
    fighters: list[_Fighter]
    boss_left: Fraction


def best_order(boss: Boss, times: int, entrants: Sequence[Entrant], first: First) -> BestOrderReport:
    """Return the best order of a party whose decks all have health."""
    fighters = [_fighter(boss, at, entrant) for at, entrant in enumerate(entrants)]
    last = _last_round(fighters, Fraction(boss.health * times))
    if last is None:
        return _without_victory(fighters)
    steppers = _best_steppers(last, first)
    ordered = [*steppers, *(fighter for fighter in fighters if fighter not in steppers)]
    fallen = {stepper.at for stepper in steppers if stepper.falls == last.number}
    alive = {fighter.at for fighter in last.fighters} - fallen
    return BestOrderReport(
        order=tuple(
            fighter.entry(fighter.hits_in(last.number - 1) + (fighter in steppers), stands=fighter.at in alive)
            for fighter in ordered
        ),
        winner="party",
        rounds=last.number,
        exchanges=sum(fighter.hits_in(last.number - 1) for fighter in fighters) + len(steppers),
        standing=len(alive),
    )


def _fighter(boss: Boss, at: int, entrant: Entrant) -> _Fighter:
    report = exchange(boss, entrant.deck)
    takes = report.to_player.total
    falls = exchanges_to_fall(report.player_health, takes)
    return _Fighter(at, entrant.name, report.player_health, report.to_boss.total, takes, falls)


def _last_round(fighters: list[_Fighter], health: Fraction) -> _LastRound | None:
    """Return the round in which the boss falls; None if it never does."""
    done = 0  # complete rounds; between two falls every round is like the one before
    left = health
    for until in [*sorted({fighter.falls for fighter in fighters if fighter.falls is not None}), None]:
        living = [fighter for fighter in fighters if fighter.lives_in(done + 1)]
        deals = sum((fighter.deals for fighter in living), Fraction(0))
        needed = exchanges_to_fall(left, deals)
        if needed is not None and (until is None or done + needed <= until):
            return _LastRound(done + needed, living, left - (needed - 1) * deals)
        if until is not None:
            left -= (until - done) * deals
            done = until
    return None


def _best_steppers(last: _LastRound, first: First) -> tuple[_Fighter, ...]:
    """Return who should take a step in the last round, in the order of joining."""
    best: tuple[tuple[int, int, int], tuple[_Fighter, ...]] | None = None
    finest = max(fighter.takes.denominator for fighter in last.fighters)  # all are powers of two
    costs = {fighter.at: int(fighter.loses_in(last.number) * finest) for fighter in last.fighters}
    for size in range(1, len(last.fighters) + 1):
        for group in combinations(last.fighters, size):
            if sum(fighter.deals for fighter in group) < last.boss_left:
                continue
            falling = sum(fighter.falls == last.number for fighter in group)
            counts = (size, falling) if first == "exchanges" else (falling, size)
            key = (*counts, sum(costs[fighter.at] for fighter in group))
            if best is None or key < best[0]:
                best = key, group
        if best is not None and first == "exchanges":
            break
    if best is None:
        raise AssertionError("the boss falls in this round if everybody takes a step")
    return best[1]


def _without_victory(fighters: list[_Fighter]) -> BestOrderReport:
    falls = [fighter.falls for fighter in fighters]
    last_fall = None if None in falls else max(fall for fall in falls if fall is not None)
    is_countable = last_fall is not None and last_fall <= MAX_COUNTED
    return BestOrderReport(
        # Nobody who is left can hurt the boss: it would fall in the end.
        order=tuple(fighter.entry(fighter.falls or 0, stands=fighter.falls is None) for fighter in fighters),
        winner=None if last_fall is None else "boss",
        rounds=last_fall if is_countable else None,
        exchanges=sum(fall or 0 for fall in falls) if is_countable else None,
        standing=falls.count(None),
    )
