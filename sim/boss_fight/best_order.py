"""The best order of play of a party, exactly.

An exchange's damage depends on the member's deck alone, so everybody falls in the same round whatever the order, and so
does the boss; only how the last round goes is open: who has had a step when the boss falls. Looking at every group of
members that can fell it then, at most 4,096, is looking at every order.
"""

from fractions import Fraction
from itertools import combinations
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.boss_fight.battle.values import MAX_MEMBERS, MAX_TIMES
from sim.boss_fight.exchange import exchange
from sim.boss_fight.outlook import MOST_COUNTED
from sim.boss_fight.values import Boss, Deck, Name
from sim.core.errors import RuleError
from sim.core.frozen import Frozen
from sim.core.request import Request


class Entrant(Frozen):
    """Somebody who wants to fight, with a deck that has health."""

    name: Name
    deck: Deck


class Place(Frozen):
    """A place in the order: `at`, which of the entrants, from 0; whether this member stands at the end."""

    at: int
    name: Name
    stands: bool


class BestOrderReport(Frozen):
    """The best order, and how the fight ends in it.

    `winner`: None for a stalemate, and then, as when the boss wins, every order is as good as the order of joining.
    `rounds` and `exchanges`: how long it takes; None for numbers beyond counting.
    """

    order: tuple[Place, ...]
    winner: Literal["party", "boss"] | None
    rounds: int | None
    exchanges: int | None
    standing: int


class BestOrderRequest(Request):
    """In which order a party should step; the job that answers it.

    Best is a victory in the fewest exchanges, then with the most members standing ("standing": the other way round),
    then with the most health left to these. Who has no step in the last round is after those who have. RuleError for a
    deck without health.
    """

    boss: Boss
    times: Annotated[int, Field(ge=1, le=MAX_TIMES)] = 1
    entrants: Annotated[tuple[Entrant, ...], Field(min_length=1, max_length=MAX_MEMBERS)]
    first: Literal["exchanges", "standing"] = "exchanges"

    @model_validator(mode="after")
    def _fit(self) -> Self:
        for entrant in self.entrants:
            if not entrant.deck.health:
                raise RuleError(f"The deck of {entrant.name} has no health: it can't fight.")
        return self

    @override
    def cost(self) -> float:
        size = sum(entrant.deck.size for entrant in self.entrants)
        return 0.1 + 1e-5 * size + 1e-4 * (1 << len(self.entrants))

    def run(self) -> BestOrderReport:
        """Find it."""
        fighters = [_fighter(self.boss, at, entrant) for at, entrant in enumerate(self.entrants)]
        last = _last_round(fighters, Fraction(self.boss.health * self.times))
        if last is None:
            return self._lost(fighters)
        steppers = self._steppers(last)
        gone = {stepper.at for stepper in steppers if stepper.falls == last.number}
        before = _exchanges(fighters, last.number - 1)
        ordered = [*steppers, *(fighter for fighter in fighters if fighter not in steppers)]
        stands = {fighter.at for fighter in fighters if fighter.lives_in(last.number) and fighter.at not in gone}
        return BestOrderReport(
            order=tuple(Place(at=fighter.at, name=fighter.name, stands=fighter.at in stands) for fighter in ordered),
            winner="party",
            rounds=last.number,
            exchanges=before + len(steppers),
            standing=len(stands),
        )

    def _steppers(self, last: "_LastRound") -> "tuple[_Fighter, ...]":
        """Return who has a step in the last round, the order of joining kept."""
        best: tuple[tuple[int, int, int], tuple[_Fighter, ...]] | None = None
        finest = max(fighter.takes.denominator for fighter in last.fighters)  # all are powers of two
        costs = {fighter.at: int(fighter.loses_in(last.number) * finest) for fighter in last.fighters}
        for size in range(1, len(last.fighters) + 1):
            for group in combinations(last.fighters, size):
                if sum(fighter.deals for fighter in group) < last.boss_left:
                    continue
                falling = sum(fighter.falls == last.number for fighter in group)
                counts = (size, falling) if self.first == "exchanges" else (falling, size)
                key = (*counts, sum(costs[fighter.at] for fighter in group))
                if best is None or key < best[0]:
                    best = key, group
            if best is not None and self.first == "exchanges":
                break
        if best is None:
            raise AssertionError("the boss falls in this round when everybody steps")
        return best[1]

    def _lost(self, fighters: "list[_Fighter]") -> BestOrderReport:
        falls = [fighter.falls for fighter in fighters]
        ends = None if None in falls else max(fall for fall in falls if fall is not None)
        counted = ends is not None and ends <= MOST_COUNTED
        return BestOrderReport(
            order=tuple(Place(at=fighter.at, name=fighter.name, stands=fighter.falls is None) for fighter in fighters),
            winner=None if ends is None else "boss",
            rounds=ends if counted else None,
            exchanges=sum(fall or 0 for fall in falls) if counted else None,
            standing=falls.count(None),
        )


class _Fighter(NamedTuple):
    """What a member deals and takes in each exchange; `falls`: in which of them, None for never."""

    at: int
    name: str
    health: int
    deals: Fraction
    takes: Fraction
    falls: int | None

    def lives_in(self, number: int) -> bool:
        """Tell whether this member still has a step in that round."""
        return self.falls is None or self.falls >= number

    def loses_in(self, number: int) -> Fraction:
        """Return what a step in that round costs: the damage, but no more than what is left."""
        return self.takes if self.falls != number else self.health - (number - 1) * self.takes


class _LastRound(NamedTuple):
    """The round in which the boss falls: who lives as it begins, and what the boss has left."""

    number: int
    fighters: list[_Fighter]
    boss_left: Fraction


def _fighter(boss: Boss, at: int, entrant: Entrant) -> _Fighter:
    report = exchange(boss, entrant.deck)
    takes = report.to_player.total
    falls = -(-report.player_health * takes.denominator // takes.numerator) if takes else None
    return _Fighter(at, entrant.name, report.player_health, report.to_boss.total, takes, falls)


def _last_round(fighters: list[_Fighter], health: Fraction) -> _LastRound | None:
    """Return the round in which the boss falls; None when it never does."""
    done = 0  # rounds that are over; between two falls every round is like the one before
    left = health
    for until in [*sorted({fighter.falls for fighter in fighters if fighter.falls is not None}), None]:
        living = [fighter for fighter in fighters if fighter.lives_in(done + 1)]
        deals = sum((fighter.deals for fighter in living), Fraction(0))
        needed = -(-left // deals) if deals else None
        if needed is not None and (until is None or done + needed <= until):
            return _LastRound(done + needed, living, left - (needed - 1) * deals)
        if until is None:
            return None
        left -= (until - done) * deals
        done = until
    raise AssertionError("the last stretch has no end")


def _exchanges(fighters: list[_Fighter], rounds: int) -> int:
    """Return how many exchanges are fought in so many whole rounds."""
    return sum(rounds if fighter.falls is None else min(rounds, fighter.falls) for fighter in fighters)
