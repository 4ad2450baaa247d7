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
        dice = sum(len(throw.faces) for throw in self.throws) + sum(total.face is not None for total in self.sums)
        bag = _bag(self.throws, self.sums)
        variance = sum((count * luck.mean(die) * (1 - luck.mean(die)) for die, count in bag), Fraction(0))
        sixths, hits = DIE * luck.expected(bag), sum(self.hits.values())
        return Tally(dice=dice, hits=hits, sixths=_plain(sixths), variance=_plain(DIE**2 * variance))


def _sum(group: Iterable[Shooters], dice: Dice) -> Sum:
    total = Sum(shares=tuple(shooters.share for shooters in group))
    return total.model_copy(update={"face": dice.roll(DIE)}) if total.rest else total


def added(tallies: Sequence[Tally]) -> Tally:
    """Return the sum of tallies."""
    return Tally(
        dice=sum(tally.dice for tally in tallies),
        hits=sum(tally.hits for tally in tallies),
        sixths=_plain(sum((tally.sixths for tally in tallies), Fraction(0))),
        variance=_plain(sum((tally.variance for tally in tallies), Fraction(0))),
    )


def _plain(number: int | Fraction) -> Exact:
    return int(number) if number.denominator == 1 else number


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
            dice = _bag(event.throws, event.sums)
            rolled = sum(throw.hits for throw in event.throws) + sum(total.hits for total in event.sums)
            yield luck.Throw(seat=event.side.value, unit=_UNIT, moment=moment, dice=dice, rolled=rolled)


def _bag(throws: Iterable[Throw], sums: Iterable[Sum]) -> luck.Bag:
    """Return dice as a measure of luck; those of which the best counts are one."""
    found: Counter[luck.Die] = Counter()
    for throw in throws:
        every, missed = DIE**throw.best_of, (DIE - throw.score) ** throw.best_of
        found[luck.chance(every - missed, every)] += len(throw.faces) // throw.best_of
    for total in sums:
        found[_SURE] += total.sure
        if total.face is not None:
            found[luck.chance(total.rest, DIE)] += 1
    return luck.bag_of(found)
