"""Tells what the units of one side can do in a battle: the edition's table with the side's technologies.

Source: .docs/rules/axis_allies.md, "Units", "Which rule in which edition" and "Technology".
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache

from sim.axis_allies.editions import EDITIONS, Edition, Lift, Rules, Strikes
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError
from sim.core.values import Side

DIE = 6


class HitGroup(IntEnum):
    """Hits with the same legal targets, the most restricted first."""

    SUBMARINES = 0  # never on air
    AIR = 1  # of an army without a destroyer: never on submarines
    REST = 2


@dataclass(frozen=True, slots=True)
class Weapon:
    """A unit's dice: `dice` of them, each the best of `best_of` throws; a face at or under `value` hits."""

    value: int
    dice: int = 1
    best_of: int = 1

    @property
    def chance(self) -> float:
        """The chance that one of its dice hits."""
        return 1.0 - (1.0 - self.value / DIE) ** self.best_of if self.best_of > 1 else self.value / DIE


@dataclass(frozen=True, slots=True, eq=False)
class UnitStats:
    """The weapons of a side's units, marks without one, and the pair bonuses of its fire; a key by itself.

    `gun_hits`: the highest face with which its antiaircraft guns hit. `bombarding`: ships that may bombard.
    """

    edition: Edition
    side: Side
    technology: tuple[str, ...]
    weapons: Mapping[Unit, Weapon]
    lifts: tuple[Lift, ...]
    gun_hits: int
    bombarding: tuple[Unit, ...]

    @property
    def rules(self) -> Rules:
        """The edition's rules."""
        return self.edition.rules

    @property
    def strikes(self) -> Strikes:
        """When the side's submarines strike before everything else."""
        return self.rules.attacker_strikes if self.side is Side.ATTACKER else self.rules.defender_strikes

    def score(self, unit: Unit) -> int:
        """Return the highest die that hits, without pair bonuses; 0 never hits."""
        return self.weapons[unit].value

    def group(self, unit: Unit, *, own_destroyer: bool = False) -> HitGroup:
        """Return the group of a unit's hits; `own_destroyer`: its side has one, with which air hits submarines."""
        if unit is Unit.SUBMARINE:
            return HitGroup.SUBMARINES
        seeing = own_destroyer or self.rules.air_hits_submarines
        return HitGroup.AIR if unit.category is Category.AIR and not seeing else HitGroup.REST

    def dice(self, counts: Mapping[Unit, int], *, surprise: bool, struck: bool) -> Iterator[tuple[Unit, Weapon, int]]:
        """Yield what `counts` of units fire, as `firing` says: unit, weapon, number of units that throw it.

        Pair bonuses count among these units; a unit is lifted once.
        """
        plain = {unit: counts[unit] for unit in firing(counts, self, surprise=surprise, struck=struck)}
        free = dict(plain)
        for lift in self.lifts:
            helpers = sum(free.get(unit, 0) for unit in lift.by)
            for unit in lift.lifts:
                pairs = min(helpers, plain.get(unit, 0))
                if pairs:
                    plain[unit] -= pairs
                    helpers -= pairs
                    yield unit, Weapon(lift.to), pairs
        for unit, count in plain.items():
            if count:
                yield unit, self.weapons[unit], count


@lru_cache(maxsize=256)
def stats_of(edition: str, side: Side, technology: tuple[str, ...] = ()) -> UnitStats:
    """Return the stats of a side; RuleError for a technology that the edition lacks."""
    book, attacks = EDITIONS[edition], side is Side.ATTACKER
    weapons = {unit: Weapon(row.attack if attacks else row.defence) for unit, row in book.units.items() if not row.mark}
    lifts, bombarding, gun_hits = list(book.rules.lifts), list(book.rules.bombarding), 1
    for name in technology:
        known = book.technology.get(name)
        if known is None:
            offered = ", ".join(book.technology)
            what = f"it has {offered}" if offered else "its rules print no technology"
            raise RuleError(f"{book.title} has no {name.replace('-', ' ')}: {what}.")
        if known.unit is not None:
            old, value = weapons[known.unit], known.attack if attacks else known.defence
            value = old.value if value is None else value
            weapons[known.unit] = Weapon(value, known.dice, known.best_of) if attacks else replace(old, value=value)
        if known.lift is not None:
            lifts.append(known.lift)
        if known.bombarding is not None:
            bombarding.append(known.bombarding)
        gun_hits = known.gun_hits or gun_hits
    return UnitStats(
        edition=book,
        side=side,
        technology=technology,
        weapons=weapons,
        lifts=tuple(lifts) if attacks else (),
        gun_hits=gun_hits,
        bombarding=tuple(bombarding),
    )


def may_fall_on(group: HitGroup, target: Unit) -> bool:
    """Return whether hits of `group` may take `target`."""
    if group is HitGroup.SUBMARINES:
        return target.category is not Category.AIR
    return group is HitGroup.REST or target is not Unit.SUBMARINE


def strikers(units_by_side: Mapping[Side, Container[Unit]], stats: Mapping[Side, UnitStats]) -> tuple[Side, ...]:
    """Return the sides whose submarines fire first in a round that begins with these units.

    That is by surprise, or where losses are marked: always. Both strikes come from the armies as the round begins.
    """

    def strikes(side: Side) -> bool:
        when, unseen = stats[side].strikes, Unit.DESTROYER not in units_by_side[side.other]
        first = stats[side].rules.marked_losses or when is Strikes.ALWAYS
        return Unit.SUBMARINE in units_by_side[side] and (first or (when is Strikes.NO_DESTROYER and unseen))

    return tuple(side for side in Side if strikes(side))


def firing(units: Iterable[Unit], stats: UnitStats, *, surprise: bool, struck: bool) -> Iterator[Unit]:
    """Yield the units that fire, in order.

    In a surprise strike only submarines fire; in the general fire everything else does, and submarines that have not
    `struck` this round. Units without a score never fire.
    """
    for unit in units:
        submarine = unit is Unit.SUBMARINE
        if unit in stats.weapons and stats.score(unit) and (submarine if surprise else not (submarine and struck)):
            yield unit


def can_harm(units: Collection[Unit], stats: UnitStats, targets: Collection[Unit]) -> bool:
    """Return whether any unit of a side can hit any of the targets."""
    firers, destroyer = firing(units, stats, surprise=False, struck=False), Unit.DESTROYER in units
    groups = (stats.group(unit, own_destroyer=destroyer) for unit in firers)
    return any(may_fall_on(group, foe) for group in groups for foe in targets)


def defenceless(units: Iterable[Unit], stats: UnitStats, enemy: Collection[Unit], enemy_stats: UnitStats) -> list[Unit]:
    """Return what a side loses without dice.

    Those are its defenceless units if nothing else is left and the enemy can hit them, and the defender's transports
    beside nothing but submarines below nothing but planes.
    """
    exposed = [unit for unit in units if unit in stats.rules.defenceless]
    others = set(units).difference(exposed)
    if stats.side is Side.DEFENDER and {unit.category for unit in enemy} == {Category.AIR}:
        others -= {Unit.SUBMARINE}
    return exposed if not others and can_harm(enemy, enemy_stats, exposed) else []
