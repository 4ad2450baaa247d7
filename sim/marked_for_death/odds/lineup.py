"""Who takes part in a battle, and with what, in whole numbers: shared by all ways to the odds, without NumPy."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from sim.core.cells import name_key
from sim.marked_for_death.roster import Fighter, Roster

MILLION = 1_000_000
"""Bonuses and chances are whole millionths: `BONUS_PLACES` decimals."""

LEAST_HIT, MOST_HIT, MOST_DEFEND = 50_000, 990_000, 900_000
"""Where ToHit and ToDefend end, in millionths; the least ToDefend is 0."""

TIRED = 100_000
"""Millionths that each round fought takes from a raw ToDefend."""

_BASE_HP = 2
_RAW = 300_000  # millionths of raw ToHit and ToDefend that everybody has
_XP_A_DIE = 1000


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
    raw = [[one.hit, one.defend] for one in soldiers]
    for at in here:
        for boon in soldiers[at].boons:
            raw[boon.to][0] += boon.hit
            raw[boon.to][1] += boon.defend
    return [(hit, defend) for hit, defend in raw]


def _side(fighters: Sequence[Fighter], first: int) -> list[Soldier]:
    numbers = {name_key(one.name): first + at for at, one in enumerate(fighters)}
    return [
        Soldier(
            hp=_BASE_HP + one.bonus_hp,
            dice=-(-(one.xp + one.bonus_xp) // _XP_A_DIE),
            hit=_RAW + _millionths(one.bonus_to_hit),
            defend=_RAW + _millionths(one.bonus_to_defend),
            aoe=one.aoe,
            guarded=_number(numbers, one.bodyguard_for),
            linked_to=_number(numbers, one.linked_to),
            boons=tuple(_boons(one, numbers)),
        )
        for one in fighters
    ]


def _boons(fighter: Fighter, numbers: dict[str, int]) -> Iterable[Boon]:
    """Give what a fighter's buffs add to whom; a name counts once in a buff."""
    for buff in fighter.buffs:
        for one in sorted({_number(numbers, name) for name in buff.who} - {-1}):
            yield Boon(one, _millionths(buff.offense), _millionths(buff.defense))


def _number(numbers: dict[str, int], name: str | None) -> int:
    return -1 if name is None else numbers.get(name_key(name), -1)


def _millionths(bonus: Decimal) -> int:
    return int(bonus * MILLION)
