"""The dice of a live battle: what throws them, what they show, sums of low luck, and their luck.

Each die hits at or under its score.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import BeforeValidator, Field

from sim.axis_allies.unit_stats import DIE, Weapon
from sim.axis_allies.units import Unit
from sim.core import luck
from sim.core.dice import Dice
from sim.core.values import Frozen, Number, Summed, is_none, is_one, is_unset

Face = Annotated[int, Field(ge=1, le=DIE)]
Flag = Annotated[bool, Field(exclude_if=is_unset)]


def _plain(number: object) -> object:
    """Write a whole number as one: what is stored stays the same."""
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


Exact = Annotated[int | Fraction, BeforeValidator(_plain), Field(ge=0)]
Times = Annotated[int, Field(ge=1, exclude_if=is_one)]


class Tally(Summed):
    """A side's dice so far, exactly, as a measure of luck.

    `sixths`: 6 times the expected number of hits; `variance`: 36 times its variance; fractions only of dice of which
    the best counts.
    """

    dice: Number = 0
    hits: Number = 0
    sixths: Exact = 0
    variance: Exact = 0


class Shots(Frozen):
    """Dice of all units of one type that hit at or under `score`.

    `bombarding`: ships off the coast. `target`: the planes at which antiaircraft guns fire, where each type has its own
    dice. Every unit throws `dice` of them, or `best_of` of which only the lowest counts.
    """

    unit: Unit
    score: Face
    bombarding: Flag = False
    target: Annotated[Unit | None, Field(exclude_if=is_none)] = None
    dice: Times = 1
    best_of: Times = 1

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of units; of antiaircraft guns that of their dice."""

    @property
    def units(self) -> str:
        """Text of the units: `2 tanks`; of antiaircraft guns the planes or the dice."""
        count = self.count
        if self.unit is Unit.GUN and self.target is None:
            return f"{count} {'die' if count == 1 else 'dice'}"
        return f"{count} {(self.target or self.unit).named(str(count))}"


class Throw(Shots):
    """The faces that all units of one type have thrown."""

    faces: tuple[Face, ...]

    @property
    def count(self) -> int:
        """The number of units."""
        return len(self.faces) // (self.dice * self.best_of)

    @property
    def pairs(self) -> Iterator[tuple[Face, ...]]:
        """The faces, those of which only the lowest counts together."""
        return (self.faces[at : at + self.best_of] for at in range(0, len(self.faces), self.best_of))

    @property
    def hits(self) -> int:
        """Number of dice that hit."""
        return sum(min(faces) <= self.score for faces in self.pairs)


class Share(Shots):
    """`number` units of one type that throw alike: their dice, or what they add to a sum."""

    number: Annotated[int, Field(ge=1)]

    @classmethod
    def of(cls, unit: Unit, weapon: Weapon, number: int, **more: Any) -> Self:  # noqa: ANN401  # other fields
        """Return units with a weapon."""
        return cls(unit=unit, score=weapon.value, dice=weapon.dice, best_of=weapon.best_of, number=number, **more)

    @property
    def count(self) -> int:
        """The number of units."""
        return self.number

    def throw(self, dice: Dice) -> Throw:
        """Throw all dice."""
        faces = tuple(dice.roll(DIE) for _ in range(self.number * self.dice * self.best_of))
        return Throw(**{name: value for name, value in self if name != "number"}, faces=faces)


class Sum(Frozen):
    """Low luck: the scores of a group's dice are added up. Every 6 are a sure hit; one die decides on the rest."""

    shares: tuple[Share, ...]
    face: Face | None = None

    @classmethod
    def of(cls, shares: Iterable[Share], dice: Dice) -> Self:
        """Add up, and throw the die."""
        total = cls(shares=tuple(shares))
        return total.model_copy(update={"face": dice.roll(DIE)}) if total.rest else total

    @property
    def points(self) -> int:
        """The sum of the scores."""
        return sum(share.score * share.number * share.dice for share in self.shares)

    @property
    def sure(self) -> int:
        """The number of sure hits."""
        return self.points // DIE

    @property
    def rest(self) -> int:
        """The highest face with which the die hits, 0 if none is thrown."""
        return self.points % DIE

    @property
    def hits(self) -> int:
        """The number of hits."""
        return self.sure + (self.face is not None and self.face <= self.rest)


Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Volley(Generic[Key]):
    """The dice of units that fire at once; with low luck the sums. `hits`: by the key of those units."""

    throws: tuple[Throw, ...]
    sums: tuple[Sum, ...]
    hits: Mapping[Key, int]

    @classmethod
    def of(cls, units: Sequence[Share], key: Callable[[Share], Key], dice: Dice, *, low_luck: bool) -> "Volley[Key]":
        """Throw the dice in order; with low luck those with the same key add up their scores."""
        groups: dict[Key, list[Share]] = {}
        for each in units:
            groups.setdefault(key(each), []).append(each)
        if low_luck:
            sums = {name: Sum.of(group, dice) for name, group in groups.items()}
            return cls((), tuple(sums.values()), {name: total.hits for name, total in sums.items()})
        throws = tuple(each.throw(dice) for each in units)
        hits = dict.fromkeys(groups, 0)
        for each, throw in zip(units, throws, strict=True):
            hits[key(each)] += throw.hits
        return cls(throws, (), hits)

    @property
    def tally(self) -> Tally:
        """The number of dice and their luck."""
        dice = sum(len(throw.faces) for throw in self.throws) + sum(total.face is not None for total in self.sums)
        bag = bag_of(self.throws, self.sums)
        variance = sum((count * luck.mean(die) * (1 - luck.mean(die)) for die, count in bag), Fraction(0))
        sixths, hits = DIE * luck.expected(bag), sum(self.hits.values())
        return Tally(dice=dice, hits=hits, sixths=sixths, variance=DIE**2 * variance)


_SURE: luck.Die = (0, 1)


def bag_of(throws: Iterable[Throw], sums: Iterable[Sum]) -> luck.Bag:
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
