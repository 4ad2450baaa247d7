"""Decides which unit is lost first, and shares the hits of one fire.

Source: .docs/rules/axis_allies.md, "Hits" and "Casualty orders". The kernels of the odds have the same rules as bit
masks.

A casualty order depends on the army and on what the enemy had when the battle began, never on what the enemy has left.
So an army has one successor per hit group.

- "score": lowest own score, then lowest cost, then the table's order; transports last where the edition has it so; at a
  ship's turn the lives of all ships of its type go before the first ship.
- "lives-first": the same, but lives before anything else.
- "smart", "thrifty": the best order there is, by the chance to win or by IPC. `odds.best_order` puts an explicit order
  in their place before anything is fought; an army by itself has the order of "lives-first".
- "formula": what "smart" was in battles of 1941 before it was searched for: lives first, then the lowest product of
  cost and score, then the lowest score; transports last. If the enemy came with submarines, the last destroyer is kept
  up to the transports: it protects the fleet from their surprise strikes and lets aircraft hit them.
- an explicit order: lives and units it does not name go as the edition's default order has it, the lives first where
  that is "lives-first", the units last. At a ship's turn the damaged ones go first; one that is named before its life
  sinks with it.

If a territory must be taken, the attacker's last land unit goes last of all.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import product, repeat
from math import prod
from operator import mul
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field

from sim.axis_allies.army import Army, Group, group_words
from sim.axis_allies.editions import Guns
from sim.axis_allies.unit_stats import UnitStats, Weapon
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError
from sim.core.values import Side


class Life(StrEnum):
    """A hit that a ship absorbs."""

    BATTLESHIP = "battleship life"
    CARRIER = "aircraft carrier life"

    @property
    def unit(self) -> Unit:
        """The ship that absorbs it."""
        return Unit.BATTLESHIP if self is Life.BATTLESHIP else Unit.CARRIER


class Last(StrEnum):
    """The last unit of its type, in an explicit order only: the others go when the type is named."""

    DESTROYER = "last destroyer"

    @property
    def unit(self) -> Unit:
        """Its type."""
        return Unit.DESTROYER


Slot = Unit | Life
"""What a hit may take: a unit, or a ship's life."""

Place = Slot | Last
"""What an explicit order may name."""

LIFE_OF: dict[Unit, Life] = {life.unit: life for life in Life}

Method = Literal["score", "lives-first", "smart", "thrifty"]
Order = Annotated[tuple[Place, ...], Field(min_length=1)]
Casualties = Method | Literal["formula"] | Order
"""How a side chooses its losses: by a method, or in an explicit order, first lost first."""


Volleys = list[tuple[int, list[int]]]
"""Of antiaircraft fire: the dice of each, and the slots of the planes that they may take, in order."""


def unit_of(slot: Place) -> Unit:
    """Return the unit of a slot, the ship of a life."""
    return slot if isinstance(slot, Unit) else slot.unit


class CasualtyOrder(NamedTuple):
    """An army as numbers: its slots, first lost first, and the count of each.

    A unit is there twice if its last ones are kept. `typed`: indexes of the slots in the order typed.
    """

    arms: UnitStats
    slots: tuple[Slot, ...]
    counts: tuple[int, ...]
    typed: tuple[int, ...]

    @classmethod
    def of(
        cls,
        counts: dict[Slot, int],
        arms: UnitStats,
        casualties: Casualties,
        *,
        against_submarines: bool = False,
        must_take: bool = False,
    ) -> Self:
        """Put counts by slot in casualty order; RuleError for a slot named twice in an explicit order.

        `against_submarines`: the enemy came with some, for "formula".
        """
        # More than three change nothing in the order; where one of them is kept apart, it goes with the other two.
        few = tuple(counts), tuple(map(min, counts.values(), repeat(3)))
        keep_land = must_take and arms.side is Side.ATTACKER
        slots, placed, typed = _arranged(few, arms, casualties, against_submarines, keep_land)
        if len(slots) == len(counts):
            placed = tuple(map(counts.__getitem__, slots))
        else:
            more = {slot: counts[slot] - count for slot, count in zip(*few, strict=True)}
            pairs = zip(slots, placed, strict=True)
            placed = tuple(count + more[slot] if count > 1 else count for slot, count in pairs)
        return cls(arms, slots, placed, typed)

    def with_counts(self, counts: tuple[int, ...]) -> Self:
        """Return the same order of an army with other counts."""
        return type(self)(self.arms, self.slots, counts, self.typed)

    @property
    def ipc(self) -> int:
        """Price of the army in IPC."""
        return sum(map(mul, _of_each(self.arms, self.slots)[0], self.counts))

    def kinds_of(self, counts: Sequence[int]) -> dict[Slot, int]:
        """Return `counts` by slot, first lost first, those that are kept with the others of their type."""
        kinds: dict[Slot, int] = {}
        for slot, count in zip(self.slots, counts, strict=True):
            kinds[slot] = kinds.get(slot, 0) + count
        return kinds

    @property
    def kinds(self) -> dict[Slot, int]:
        """The same of its own counts, in the order typed."""
        kinds = self.kinds_of(self.counts)
        return {self.slots[at]: kinds[self.slots[at]] for at in self.typed}

    @property
    def written(self) -> tuple[Place, ...]:
        """The same as an explicit order."""
        places: list[Place] = []
        for slot in self.slots:
            places.append(Last.DESTROYER if slot in places and slot is Unit.DESTROYER else slot)
        return tuple(dict.fromkeys(places))

    @property
    def exposed(self) -> bool:
        """Whether it has units that are lost without dice once nothing else is left."""
        return not set(self.arms.rules.defenceless).isdisjoint(self.slots)

    @property
    def hits(self) -> int:
        """Number of hits that destroy the whole army."""
        return sum(self.counts)

    @property
    def shooters(self) -> int:
        """The most dice that the army throws at once."""
        return sum(map(mul, _of_each(self.arms, self.slots)[1], self.counts))

    def count(self, unit: Unit) -> int:
        """Return how many of a unit there are."""
        return sum(count for slot, count in zip(self.slots, self.counts, strict=True) if slot is unit)

    def placed(self, army: Army) -> tuple[int, ...]:
        """Return the counts by slot of `army`, what is left of this one."""
        left = slot_counts(army, self.arms)
        counts = [0] * len(self.slots)
        for at in range(len(self.slots) - 1, -1, -1):  # of a unit that is there twice the last ones are left
            counts[at] = min(self.counts[at], left.get(self.slots[at], 0))
            left[self.slots[at]] = left.get(self.slots[at], 0) - counts[at]
        return tuple(counts)

    def slots_in(self, category: Category) -> list[int]:
        """Return the indexes of the slots of a category."""
        return [at for at, slot in enumerate(self.slots) if unit_of(slot).category is category]

    def volleys_of(self, guns: int, defender: "CasualtyOrder") -> Volleys:
        """Return the volleys of the defender's antiaircraft fire."""
        sky, rules = self.slots_in(Category.AIR) if guns else [], defender.arms.rules
        planes = sum(self.counts[at] for at in sky)
        if not planes or rules.guns is Guns.NONE:
            return []
        if rules.planes_by_type:
            return [(self.counts[at], [at]) for at in sky]
        return [(rules.gun_dice(guns, planes), sky)]

    def shot_at(self, volleys: Volleys, chances: Sequence[Sequence[float]]) -> Iterator[tuple[float, tuple[int, ...]]]:
        """Yield the counts that volleys may leave, each with its chance; `chances`: of the hits of each volley."""
        for numbers in product(*(range(len(each)) for each in chances)):
            chance = prod(each[hits] for each, hits in zip(chances, numbers, strict=True))
            counts = self.counts
            for (_, slots), hits in zip(volleys, numbers, strict=True):
                counts = without(counts, slots, hits)
            if chance > 0.0:
                yield chance, counts

    def life(self, at: int) -> int | None:
        """Return the slot of a ship's lives, None if it has none."""
        slot = self.slots[at]
        life = LIFE_OF.get(slot) if isinstance(slot, Unit) else None
        return self.slots.index(life) if life in self.slots else None

    def place(self, counts: Sequence[int], submarines: int, air: int, rest: int) -> tuple[int, ...]:
        """Return what is left of `counts` after the hits of one fire, by group.

        They are shared so that as many as possible take effect: the order is walked, and a unit is lost as long as the
        hits that may take it reach.
        """
        left = list(counts)
        total = wet = high = 0
        for at, slot in enumerate(self.slots):
            unit, life = unit_of(slot), self.life(at)
            while left[at]:
                reach = submarines + air + rest - total
                if unit is Unit.SUBMARINE:
                    reach = min(reach, submarines + rest - wet)
                elif unit.category is Category.AIR:
                    reach = min(reach, air + rest - high)
                if reach <= 0:
                    break
                # Of ships the damaged ones go first; a whole one takes its life with it.
                length = min(reach, left[at] if life is None else left[at] - left[life] or 1)
                left[at] -= length
                if life is not None:
                    left[life] = min(left[life], left[at])
                total += length
                wet += length if unit is Unit.SUBMARINE else 0
                high += length if unit.category is Category.AIR else 0
        return tuple(left)


@lru_cache(maxsize=1024)
def _of_each(arms: UnitStats, slots: tuple[Slot, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return what one of each slot costs, and how many dice it throws; lives do neither."""
    armed = [arms.weapons[slot] if isinstance(slot, Unit) else Weapon(0) for slot in slots]
    return (
        tuple(arms.edition.cost(slot) if isinstance(slot, Unit) else 0 for slot in slots),
        tuple(weapon.dice if weapon.value else 0 for weapon in armed),
    )


def without(counts: Sequence[int], slots: Iterable[int], hits: int) -> tuple[int, ...]:
    """Return counts after hits that take the units of some slots, in order."""
    left = list(counts)
    for at in slots:
        taken = min(hits, left[at])
        left[at] -= taken
        hits -= taken
    return tuple(left)


def slot_counts(army: Army, arms: UnitStats) -> dict[Slot, int]:
    """Return how many of each slot an army has; RuleError for fractions."""
    counts: dict[Slot, int] = {}
    for group in army.groups:
        (count, whole), unit = group.count.as_integer_ratio(), group.unit
        if whole != 1:
            require_whole(army, group)
        if unit not in arms.weapons:  # a mark
            continue
        counts[unit] = count
        if unit in LIFE_OF and arms.edition.lives(unit):
            require_whole(army, group)
            counts[LIFE_OF[unit]] = group.lives.numerator
    return counts


def require_whole(army: Army, group: Group) -> None:
    """Raise RuleError if a group has a fraction of a unit."""
    if group.count.denominator != 1 or group.lives.denominator != 1:
        raise RuleError(
            f"Dice need whole units: {group_words(army, group)} can fight an average battle, "
            "but odds are for whole units only."
        )


@lru_cache(maxsize=1024)
def _arranged(
    few: tuple[tuple[Slot, ...], tuple[int, ...]],
    arms: UnitStats,
    casualties: Casualties,
    against_submarines: bool,
    keep_land: bool,
) -> tuple[tuple[Slot, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the slots, first lost first, their counts, and the indexes of the slots in the order typed.

    `keep_land`: the last land unit goes last of all.
    """
    kinds, counts = few[0], dict(zip(*few, strict=True))
    named, method = ((), casualties) if isinstance(casualties, str) else (casualties, arms.rules.casualties)
    if len(set(named)) < len(named):
        raise RuleError("Name each unit only once in an order of losses.")
    keep = Last.DESTROYER in named or (against_submarines and not named)
    lasts = [Last.DESTROYER] if keep and counts.get(Unit.DESTROYER) else []
    places = _in_order((*kinds, *lasts), arms, named, method)
    land = [unit for unit in map(unit_of, places) if unit.category is Category.LAND] if keep_land else []
    ends = {*land[-1:], *map(unit_of, lasts)}
    lost: list[tuple[Slot, int]] = []
    for place in places:
        if isinstance(place, Last):
            lost.append((place.unit, 1))
        elif (count := counts[place] - (place in ends)) or place not in ends:
            lost.append((place, count))
    lost += [(unit, 1) for unit in land[-1:]]
    slots = tuple(slot for slot, _ in lost)
    typed = sorted(range(len(slots)), key=lambda at: kinds.index(slots[at]))
    return slots, tuple(count for _, count in lost), tuple(typed)


def _in_order(places: Sequence[Place], arms: UnitStats, named: Sequence[Place], method: str) -> list[Place]:
    """Return places, first lost first: as an order names them, and the rest by a method."""
    formula, table = method == "formula", tuple(Unit)

    def turn(place: Place) -> int:
        """Return when a place is lost; those of the same turn go by rank."""
        if place in named:
            return named.index(place)
        if isinstance(place, Life):
            return turn(place.unit) if method == "score" else -1
        return len(named)

    def rank(place: Place) -> tuple[int, ...]:
        unit, when = unit_of(place), turn(place)
        if when < 0:
            return when, unit is not Unit.BATTLESHIP
        if isinstance(place, Last):  # up to the transports
            return when, True
        score, cost = arms.score(unit), arms.edition.cost(unit)
        value = (score * cost, score, cost) if formula else (score, cost)
        last = unit is Unit.TRANSPORT and (formula or arms.rules.transports_last)
        return when, last, *value, table.index(unit), isinstance(place, Unit)

    return sorted(places, key=rank)
