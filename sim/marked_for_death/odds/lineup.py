"""A battle in whole numbers, and duels of single fighters: the input of all odds engines, without NumPy."""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple, Self

from sim.marked_for_death.roster import Fighter, Roster
from sim.marked_for_death.stats import EXHAUSTION, MAX_TO_DEFEND, MAX_TO_HIT, MIN_TO_HIT, Bonds

MILLION = 1_000_000
"""Bonuses and chances are whole millionths: `BONUS_PLACES` decimals."""

MIN_HIT, MAX_HIT, MAX_DEFEND = (int(bound * MILLION) for bound in (MIN_TO_HIT, MAX_TO_HIT, MAX_TO_DEFEND))
"""The bounds of ToHit and ToDefend in millionths; the lower bound of ToDefend is 0."""

EXHAUSTION_PER_ROUND = int(EXHAUSTION * MILLION)
"""Millionths by which each round fought lowers a raw ToDefend."""

_MAX_HP = 1_000
_CELL_SECONDS = 0.4e-9  # per pair of HP and HP lost, in a round
_ROUND_SECONDS = 150e-6
_DICE_SECONDS = 4e-9  # per pair of likely numbers of hits, in a round in which chances change
_WIDTH = 20.0  # standard deviations of a roll that matter
_LAST = 40.0  # multiples of a battle's likely length after which it is certainly over


class Boon(NamedTuple):
    """What a buff adds to the fighter number `to`, in millionths."""

    to: int
    hit: int
    defend: int


class Soldier(NamedTuple):
    """A fighter in whole numbers; `hit` and `defend`: raw, without buffs; `guarded`, `linked_to`: -1 for nobody."""

    hp: int
    dice: int
    hit: int
    defend: int
    aoe: int
    guarded: int
    linked_to: int
    boons: tuple[Boon, ...]

    @property
    def offense(self) -> tuple[int, int]:
        """Dice of an attack, and their chance in millionths."""
        return dice_at(self.dice, self.hit), to_hit(self.hit)

    def defense(self, fought: int) -> tuple[int, int]:
        """Return the dice of a defense after `fought` rounds, and their chance in millionths."""
        raw = self.defend - EXHAUSTION_PER_ROUND * fought
        return dice_at(self.dice, raw), to_defend(raw)

    @property
    def rested(self) -> int:
        """Rounds after which it can no longer block."""
        return max(0, -(-self.defend // EXHAUSTION_PER_ROUND))


class Lineup(NamedTuple):
    """A battle in whole numbers: the first `heroes` soldiers are heroes; `max_rounds`: None for no limit."""

    soldiers: Sequence[Soldier]
    heroes: int
    max_rounds: int | None
    seed: int


def line_up(heroes: Roster, villains: Roster) -> list[Soldier]:
    """Return all fighters, the heroes first, numbered throughout."""
    return [*_side(heroes.fighters, 0), *_side(villains.fighters, len(heroes.fighters))]


def dice_at(dice: int, raw: int) -> int:
    """Return how many dice a fighter rolls with a raw chance in millionths: a chance above 1 adds dice."""
    return dice if raw <= MILLION else -(-dice * raw // MILLION)


def to_hit(raw: int) -> int:
    """Return ToHit in millionths."""
    return min(max(raw, MIN_HIT), MAX_HIT)


def to_defend(raw: int) -> int:
    """Return ToDefend in millionths."""
    return min(max(raw, 0), MAX_DEFEND)


def buffed(soldiers: Sequence[Soldier], present: Iterable[int]) -> list[tuple[int, int]]:
    """Return everybody's raw ToHit and ToDefend with the buffs of the fighters in `present`."""
    raw = [[soldier.hit, soldier.defend] for soldier in soldiers]
    for at in present:
        for boon in soldiers[at].boons:
            raw[boon.to][0] += boon.hit
            raw[boon.to][1] += boon.defend
    return [(hit, defend) for hit, defend in raw]


class Duel(NamedTuple):
    """A battle of a hero and a villain, each with its number and its buffs; of nobody if a side has nobody with HP."""

    fighters: tuple[tuple[int, Soldier], ...]
    limit: int | None

    @classmethod
    def of(cls, lineup: Lineup) -> Self | None:
        """Return the duel if both sides have one fighter with HP, or a side has none; else None."""
        soldiers, heroes, limit, _ = lineup
        present = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
        sides = [[at for at in present if (at < heroes) is own] for own in (True, False)]
        if all(sides) and len(present) > len(sides):
            return None
        if not all(sides):
            return cls((), limit)
        raw = buffed(soldiers, present)
        duelists = (soldiers[at]._replace(hit=raw[at][0], defend=raw[at][1]) for at in present)
        return cls(tuple(zip(present, duelists, strict=True)), limit)

    def seconds(self) -> float:
        """Return a rough upper bound of the seconds that exact odds take; infinite if they would be too large."""
        if not self.fighters:
            return 0.01
        (_, hero), (_, villain) = self.fighters
        if max(hero.hp, villain.hp) > _MAX_HP:
            return math.inf
        changing = max(hero.rested, villain.rested)
        # Hits in a round without blocks, and how long the battle lasts with them.
        last = math.inf
        width = 0.0
        for attacker, defender in ((hero, villain), (villain, hero)):
            dice, chance = attacker.offense
            hits = dice * chance / MILLION * attacker.aoe
            last = min(last, 2 * defender.hp / hits + _LAST / min(1.0, hits))
            throws = max(dice, dice_at(defender.dice, defender.defend))
            width = max(width, min(throws, _WIDTH * math.sqrt(throws) + 40))
        rounds = min(changing + last, self.limit or math.inf)
        cells = hero.hp * villain.hp * (hero.hp + villain.hp)
        folds = sum(math.log2(1 + duelist.aoe) * duelist.hp**2 for duelist in (hero, villain))
        each = 2 * width * width * _DICE_SECONDS + folds * _CELL_SECONDS + _ROUND_SECONDS
        return 0.01 + rounds * (cells * _CELL_SECONDS + _ROUND_SECONDS) + min(rounds, changing + 1) * each


def _side(fighters: Sequence[Fighter], first: int) -> list[Soldier]:
    bonds = Bonds.of(fighters)
    nobody = [False] * len(fighters)
    boons: list[list[Boon]] = [[] for _ in fighters]
    for to, helpers in enumerate(bonds.helped):
        for helper, offense, defense in helpers:
            boons[helper].append(Boon(first + to, _millionths(offense), _millionths(defense)))
    soldiers = []
    for at, fighter in enumerate(fighters):
        numbers = bonds.numbers(fighters, nobody, at)
        guarded, linked_to = bonds.guarded[at], bonds.linked[at]
        soldiers.append(
            Soldier(
                hp=fighter.hp,
                dice=numbers.base_dice,
                hit=_millionths(numbers.raw_to_hit),
                defend=_millionths(numbers.raw_to_defend),
                aoe=fighter.aoe,
                guarded=-1 if guarded is None else first + guarded,
                linked_to=-1 if linked_to is None else first + linked_to,
                boons=tuple(boons[at]),
            )
        )
    return soldiers


def _millionths(bonus: Decimal) -> int:
    return int(bonus * MILLION)
