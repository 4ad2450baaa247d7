"""What a side throws: the dice of its units with their pair bonuses and technologies, of its ships and of its guns.

The dice are a measure of luck, too: each hits at or under its score.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from sim.axis_allies.arms import DIE, Arms, Weapon, firing
from sim.axis_allies.army import Army
from sim.axis_allies.battle.values import Event, Exact, Fired, RoundBegan, Setup, Share, State, Sum, Tally, Throw
from sim.axis_allies.editions import Guns
from sim.axis_allies.units import Category, Unit
from sim.core import luck
from sim.core.dice import Dice
from sim.core.values import Side


@dataclass(frozen=True, slots=True)
class Shooters:
    """`count` units of one type that throw the same dice; the rest as in `Shots`."""

    unit: Unit
    weapon: Weapon
    count: int
    bombarding: bool = False
    target: Unit | None = None

    def throw(self, dice: Dice) -> Throw:
        """Throw all dice."""
        weapon = self.weapon
        return Throw(
            unit=self.unit,
            score=weapon.value,
            faces=tuple(dice.roll(DIE) for _ in range(self.count * weapon.dice * weapon.best_of)),
            bombarding=self.bombarding,
            target=self.target,
            dice=weapon.dice,
            best_of=weapon.best_of,
        )

    @property
    def share(self) -> Share:
        """Their part of a sum."""
        return Share(
            unit=self.unit,
            score=self.weapon.value,
            bombarding=self.bombarding,
            target=self.target,
            number=self.count,
            dice=self.weapon.dice,
        )


def general_fire(army: Army, arms: Arms, *, surprise: bool, struck: bool) -> list[Shooters]:
    """Return what of an army fires, by type in the order typed; units with a pair bonus go before their like."""
    counts = {group.unit: int(group.count) for group in army.groups}
    units = list(firing(counts, arms, surprise=surprise, struck=struck))
    alike: dict[tuple[Unit, Weapon], int] = {}
    for unit, weapon, count in arms.lifted({unit: counts[unit] for unit in units}):
        alike[unit, weapon] = alike.get((unit, weapon), 0) + count
    found = [Shooters(unit, weapon, count) for (unit, weapon), count in alike.items()]
    return sorted(found, key=lambda shooters: units.index(shooters.unit))


def bombardment(setup: Setup) -> list[Shooters]:
    """Return the ships that bombard."""
    weapons = setup.arms(Side.ATTACKER).weapons
    return [Shooters(unit, weapons[unit], count, bombarding=True) for unit, count in setup.ships]


def antiaircraft_fire(setup: Setup, attacker: Army) -> list[Shooters]:
    """Return the dice of antiaircraft guns, by type of plane where the edition throws them so."""
    arms = setup.arms(Side.DEFENDER)
    planes = [(group.unit, int(group.count)) for group in attacker.groups if group.unit.category is Category.AIR]
    if not setup.guns or not planes:
        return []
    gun = Weapon(arms.gun_hits)
    if arms.rules.planes_by_type:
        return [Shooters(Unit.GUN, gun, count, target=plane) for plane, count in planes]
    every = sum(count for _, count in planes)
    most = every if arms.rules.guns is Guns.MARK else arms.rules.dice_of_gun * setup.guns
    return [Shooters(Unit.GUN, gun, min(every, most))]


Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Volley(Generic[Key]):
    """The dice of shooters that fire at once; with low luck the sums. `hits`: by the key of their shooters."""

    throws: tuple[Throw, ...]
    sums: tuple[Sum, ...]
    hits: Mapping[Key, int]

    @classmethod
    def of(
        cls, shooters: Sequence[Shooters], key: Callable[[Shooters], Key], dice: Dice, *, low_luck: bool
    ) -> "Volley[Key]":
        """Throw the dice in order; with low luck those with the same key add up their scores."""
        groups: dict[Key, list[Shooters]] = {}
        for each in shooters:
            groups.setdefault(key(each), []).append(each)
        if low_luck:
            sums = {name: _sum(group, dice) for name, group in groups.items()}
            return cls((), tuple(sums.values()), {name: total.hits for name, total in sums.items()})
        throws = tuple(each.throw(dice) for each in shooters)
        hits = dict.fromkeys(groups, 0)
        for each, throw in zip(shooters, throws, strict=True):
            hits[key(each)] += throw.hits
        return cls(throws, (), hits)

    @property
    def tally(self) -> Tally:
        """The number of dice and their luck."""
        return added([*map(_tally, self.throws), *map(_tally_of_sum, self.sums)])


def _sum(group: Iterable[Shooters], dice: Dice) -> Sum:
    total = Sum(shares=tuple(shooters.share for shooters in group))
    return total.model_copy(update={"face": dice.roll(DIE)}) if total.rest else total


def _tally(throw: Throw) -> Tally:
    dice, missed = len(throw.faces) // throw.best_of, (DIE - throw.score) ** throw.best_of
    every = DIE**throw.best_of
    return Tally(
        dice=len(throw.faces),
        hits=throw.hits,
        sixths=_ratio(dice * DIE * (every - missed), every),
        variance=_ratio(dice * DIE**2 * missed * (every - missed), every**2),
    )


def _tally_of_sum(total: Sum) -> Tally:
    return Tally(
        dice=0 if total.face is None else 1,
        hits=total.hits,
        sixths=total.points,
        variance=total.rest * (DIE - total.rest),
    )


def added(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of tallies."""
    dice = hits = 0
    sixths: Exact = 0
    variance: Exact = 0
    for tally in tallies:
        dice += tally.dice
        hits += tally.hits
        sixths += tally.sixths
        variance += tally.variance
    return Tally(
        dice=dice,
        hits=hits,
        sixths=_ratio(sixths.numerator, sixths.denominator),
        variance=_ratio(variance.numerator, variance.denominator),
    )


def _ratio(numerator: int, denominator: int) -> Exact:
    return Fraction(numerator, denominator) if numerator % denominator else numerator // denominator


_UNIT = "hits"
_SURE: luck.Die = (0, 1)


def dice_luck(state: State, events: Iterable[Event]) -> Iterator[luck.Throw]:
    """Yield what each side threw, its ships and its antiaircraft guns included, as a measure of luck."""
    number = state.round
    for event in events:
        if isinstance(event, RoundBegan):
            number = event.number
        elif isinstance(event, Fired):
            moment = f"round {number}" if event.moment is None else event.moment.value
            dice = luck.bag_of(_dice(event))
            yield luck.Throw(seat=event.side.value, unit=_UNIT, moment=moment, dice=dice, rolled=_hits(event))


def _dice(event: Fired) -> Counter[luck.Die]:
    found: Counter[luck.Die] = Counter()
    for throw in event.throws:
        every = DIE**throw.best_of
        missed = (DIE - throw.score) ** throw.best_of
        found[luck.chance(every - missed, every)] += len(throw.faces) // throw.best_of
    for total in event.sums:
        found[_SURE] += total.sure
        if total.face is not None:
            found[luck.chance(total.rest, DIE)] += 1
    return found


def _hits(event: Fired) -> int:
    return sum(throw.hits for throw in event.throws) + sum(total.hits for total in event.sums)
