"""Who takes part in a battle, and with what, in whole numbers: shared by all ways to the odds, without NumPy."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from sim.marked_for_death.roster import Fighter, Roster
from sim.marked_for_death.stats import EXHAUSTION, LEAST_TO_HIT, MOST_TO_DEFEND, MOST_TO_HIT, Bonds

MILLION = 1_000_000
"""Bonuses and chances are whole millionths: `BONUS_PLACES` decimals."""

LEAST_HIT, MOST_HIT, MOST_DEFEND = (int(bound * MILLION) for bound in (LEAST_TO_HIT, MOST_TO_HIT, MOST_TO_DEFEND))
"""Where ToHit and ToDefend end, in millionths; the least ToDefend is 0."""

TIRED = int(EXHAUSTION * MILLION)
"""Millionths that each round fought takes from a raw ToDefend."""


class Boon(NamedTuple):
    """What a buff adds to the fighter number `to`, in millionths."""

    to: int
    hit: int
    defend: int


class Soldier(NamedTuple):
    """A fighter in whole numbers; `hit` and `defend` raw, without buffs. -1: guards or is linked to nobody there."""

    hp: int
    dice: int
    hit: int
    defend: int
    aoe: int
    guarded: int
    linked_to: int
    boons: tuple[Boon, ...]


class Terms(NamedTuple):
    """A battle in whole numbers: everybody, the first `heroes` of them heroes; `max_rounds` is None for no limit."""

    soldiers: Sequence[Soldier]
    heroes: int
    max_rounds: int | None
    seed: int


def line_up(heroes: Roster, villains: Roster) -> list[Soldier]:
    """Return everybody, the heroes first, numbered throughout."""
    return [*_side(heroes.fighters, 0), *_side(villains.fighters, len(heroes.fighters))]


def dice_at(dice: int, raw: int) -> int:
    """Return how many dice a fighter throws with a raw chance, in millionths: more beyond 1."""
    return dice if raw <= MILLION else -(-dice * raw // MILLION)


def to_hit(raw: int) -> int:
    """Return ToHit in millionths."""
    return min(max(raw, LEAST_HIT), MOST_HIT)


def to_defend(raw: int) -> int:
    """Return ToDefend in millionths."""
    return min(max(raw, 0), MOST_DEFEND)


def buffed(soldiers: Sequence[Soldier], here: Iterable[int]) -> list[tuple[int, int]]:
    """Return everybody's raw ToHit and ToDefend with the buffs of those who are `here`."""
    raw = [[soldier.hit, soldier.defend] for soldier in soldiers]
    for at in here:
        for boon in soldiers[at].boons:
            raw[boon.to][0] += boon.hit
            raw[boon.to][1] += boon.defend
    return [(hit, defend) for hit, defend in raw]


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
