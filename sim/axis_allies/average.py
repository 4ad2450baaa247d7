"""The average battle: no dice; every unit scores count x score / 6 hits, in exact fractions.

NumPy is loaded only to search for the best losses. Source: .docs/rules/axis_allies.md, "The average battle".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple, Self

from pydantic import model_validator
from typing_extensions import override

from sim.axis_allies.army import NEGLIGIBLE_COUNT, Army, Group, battle_notes
from sim.axis_allies.casualties import Life, Slot, unit_of
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds import SearchingRequest
from sim.axis_allies.question import MAX_ROUNDS, Withdrawal
from sim.axis_allies.reports import AverageReport, Hit, Round, Volley
from sim.axis_allies.unit_stats import DIE, HitGroup, firing, may_fall_on, stats_of, strikers
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError, TooMuchError
from sim.core.values import Ending, Side


class Choice(NamedTuple):
    """The hits of a type of units, and what of the army of `side` they may take, in its usual order of losses."""

    round: int
    side: Side
    by: Unit
    surprise: bool
    hits: Fraction
    army: Army
    slots: tuple[Slot, ...]


Choose = Callable[[Choice], Sequence[Slot]]
"""Returns which of the slots the hits take, first lost first; asked again if hits are left after them.

Without one of them the usual order decides.
"""


class _Force:
    """An army under fire: exact counts and lives that change as it takes hits.

    `order`: its slots, first lost first; of a slot that comes again the last unit is kept until then. `choose`: asked
    for the losses instead, where there is a choice.
    """

    def __init__(self, army: Army, side: Side, order: Sequence[Slot], choose: Choose | None) -> None:
        self.start = army
        self.stats = stats_of(army.edition, side)
        self.counts = {group.unit: group.count for group in army.groups}
        self.lives = {group.unit: group.lives for group in army.groups}
        self.order = [(slot, int(slot in order[at + 1 :])) for at, slot in enumerate(order)]
        self.choose = choose

    def army(self) -> Army:
        return self.start.with_groups(
            Group(unit=unit, count=count, lives=self.lives[unit]) for unit, count in self.counts.items()
        )

    def apply_hits(self, shot: Choice, group: HitGroup) -> Iterator[Hit]:
        """Apply the hits of one firing type; hits beyond the last unit are not counted at all."""
        order = [(slot, keep) for slot, keep in self.order if may_fall_on(group, unit_of(slot))]
        hits = shot.hits
        taken: dict[Unit, Fraction] = {}
        while hits and (slots := tuple(dict.fromkeys(slot for slot, _ in order if self._left(slot)))):
            losses = order
            is_choice = len(set(map(unit_of, slots))) > 1 and sum(map(self._left, slots)) > hits
            if self.choose is not None and is_choice:
                chosen = self.choose(shot._replace(hits=hits, army=self.army(), slots=slots))
                losses = [(slot, 0) for slot in chosen if slot in slots] or order
            for slot, keep in losses:
                here = self._take(slot, hits, keep)
                if here:
                    taken[unit_of(slot)] = taken.get(unit_of(slot), Fraction(0)) + here
                hits -= here
        for unit, amount in taken.items():
            yield Hit(by=shot.by, on=unit, amount=amount)
        if hits and self.counts:
            yield Hit(by=shot.by, on=None, amount=hits)

    def _left(self, slot: Slot) -> Fraction:
        left = self.lives if isinstance(slot, Life) else self.counts
        return left.get(unit_of(slot), Fraction(0))

    def _take(self, slot: Slot, hits: Fraction, keep: int) -> Fraction:
        """Take up to `hits` on a slot, all but `keep` of it; return how many had a target."""
        unit = unit_of(slot)
        taken = min(hits, max(Fraction(0), self._left(slot) - keep))
        if not taken:
            return taken
        if isinstance(slot, Life):
            self.lives[unit] -= taken
            return taken
        self.counts[unit] -= taken
        # A ship that is lost whole takes its life with it.
        self.lives[unit] = min(self.lives[unit], self.counts[unit] * self.start.book.lives(unit))
        if self.counts[unit] <= NEGLIGIBLE_COUNT:
            del self.counts[unit], self.lives[unit]
        return taken


def _fire(
    number: int, shooter: dict[Unit, Fraction], target: _Force, *, surprise: bool = False, struck: bool = False
) -> Volley:
    """Fire at `target` with each unit type of `shooter` in turn."""
    side = target.stats.side
    stats = stats_of(target.start.edition, side.other)
    destroyer = Unit.DESTROYER in shooter
    hits: list[Hit] = []
    for unit in firing(shooter, stats, surprise=surprise, struck=struck):
        shot = Choice(number, side, unit, surprise, shooter[unit] * stats.score(unit) / DIE, target.start, ())
        hits.extend(target.apply_hits(shot, stats.group(unit, own_destroyer=destroyer)))
    return Volley(side=stats.side, surprise=surprise, hits=tuple(hits))


def _play_round(number: int, forces: Mapping[Side, _Force]) -> Round:
    attacker, defender = forces[Side.ATTACKER], forces[Side.DEFENDER]
    start = {side: dict(force.counts) for side, force in forces.items()}
    armies = {side: force.army() for side, force in forces.items()}
    striking = strikers(start, {side: force.stats for side, force in forces.items()})
    # Both strikes come from the armies as the round begins: submarines that were just sunk still strike.
    volleys = [_fire(number, start[side], forces[side.other], surprise=True) for side in striking]
    # The defender fires with what survived the strikes, before the losses to the attacker's general fire.
    return_fire = dict(defender.counts)
    volleys.append(_fire(number, attacker.counts, defender, struck=Side.ATTACKER in striking))
    volleys.append(_fire(number, return_fire, attacker, struck=Side.DEFENDER in striking))
    return Round(number=number, attacker=armies[Side.ATTACKER], defender=armies[Side.DEFENDER], volleys=tuple(volleys))


def _ending(last: Round, forces: Mapping[Side, _Force], withdrawal: Withdrawal) -> Ending | None:
    survivors = sum(bool(force.counts) for force in forces.values())
    if survivors == 0:
        return Ending.MUTUAL
    if survivors == 1:
        return Ending.ANNIHILATION
    if withdrawal.possible:
        left = forces[Side.ATTACKER].army()
        units = left.size(), left.size(Category.AIR), left.size(Category.LAND)
        stops = forces[Side.DEFENDER].army().size() < (withdrawal.defenders_below or 0)
        if stops or withdrawal.leaves(*units, forces[Side.ATTACKER].start.ipc - left.ipc):
            return Ending.RETREAT
    harmed = any(hit.on is not None for volley in last.volleys for hit in volley.hits)
    return None if harmed else Ending.STALEMATE


class AverageRequest(SearchingRequest):
    """The average battle, which only some editions have.

    RuleError for another edition and for contradictory terms; armies may have fractions of units.
    """

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if not EDITIONS[self.edition].average:
            able = " and ".join(book.title for book in EDITIONS.values() if book.average)
            raise RuleError(f"Only {able} has the average battle, the one in which fractions of units fight.")
        self.rounded_up.check()
        self.withdrawal.check(self.attacker, self.defender)
        if not self.whole and self.search_seconds:
            raise RuleError("The best order of losses is found for whole units only: choose another one.")
        return self

    @property
    def whole(self) -> bool:
        """Whether there are only whole units, so that dice can decide the battle, too."""
        return all(group.count.denominator == 1 for side in Side for group in self.army(side).groups)

    @property
    def rounded_up(self) -> Self:
        """The battle with fractions of units rounded up, which has the same orders of losses."""
        armies = self.armies.items()
        counts = {side: {group.unit: ceil(group.count) for group in army.groups} for side, army in armies}
        return self.model_copy(update={side: Army.of(counts[side], army.edition) for side, army in armies})

    @override
    def cost(self) -> float:
        # A round takes up to 200 microseconds, measured with full armies.
        return self.search_seconds + (self.stop_after or MAX_ROUNDS) * 200e-6

    def run(self, choose: Mapping[Side, Choose] | None = None) -> AverageReport:
        """Fight until a side is gone, the attacker leaves, no hit takes effect, or `stop_after` rounds are over.

        TooMuchError if there is no end after `MAX_ROUNDS` rounds. `choose`: a side's player, who chooses its losses.
        The best orders are those of the odds.
        """
        resolved, _ = self.resolved()
        whole, choose = resolved.rounded_up, choose or {}
        forces = {
            side: _Force(army, side, whole.casualty_order(side).slots, choose.get(side))
            for side, army in self.armies.items()
        }
        rounds: list[Round] = []
        ending = None
        while ending is None:
            if len(rounds) == MAX_ROUNDS:
                raise TooMuchError(
                    f"This battle goes on for more than {MAX_ROUNDS:,} rounds; say when to stop, as in: | rounds 20."
                )
            rounds.append(_play_round(len(rounds) + 1, forces))
            ending = _ending(rounds[-1], forces, self.withdrawal)
            if ending is None and len(rounds) == self.stop_after:
                ending = Ending.ROUND_LIMIT
        winner = next(side for side in Side if forces[side].counts) if ending is Ending.ANNIHILATION else None
        if self.must_take and winner is Side.ATTACKER and not forces[Side.ATTACKER].army().has(Category.LAND):
            winner = None
        return AverageReport(
            attacker=self.attacker,
            defender=self.defender,
            rounds=tuple(rounds),
            attacker_left=forces[Side.ATTACKER].army(),
            defender_left=forces[Side.DEFENDER].army(),
            winner=winner,
            ending=ending,
            must_take=self.must_take,
            notes=battle_notes(self.attacker, self.defender),
        )
