"""The dice of strikes as a measure of luck: each d20 hits or not, and the damage dice of those that hit."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from sim.core.battle import Seat
from sim.core.luck import Bag, Die, Throw, bag_of, chance
from sim.duel.battle.values import RoundBegan, Struck
from sim.duel.critter import Critter
from sim.duel.damage import Damage

HITS, DAMAGE = "hits", "damage"

_STRIKE_DIE = 20


def throws(
    events: Iterable[object], critters: Sequence[Critter], seat_of: Callable[[int], Seat], number: int
) -> Iterator[Throw]:
    """Yield what was thrown for each strike; `seat_of`: by the fighter's number, `number`: the round before these."""
    for event in events:
        if isinstance(event, RoundBegan):
            number = event.number
        elif isinstance(event, Struck):
            striker, moment = critters[event.who], f"round {number}"
            seat = seat_of(event.who)
            hits = round(striker.hit_chance(critters[event.target]) * _STRIKE_DIE)
            die = chance(hits, _STRIKE_DIE)
            yield Throw(seat=seat, unit=HITS, moment=moment, dice=((die, 1),), rolled=event.damage > 0)
            if event.damage:
                dealt = damage_dice(striker.damage)
                yield Throw(seat=seat, unit=DAMAGE, moment=moment, dice=dealt, rolled=event.damage)


def damage_dice(damage: Damage) -> Bag:
    """Return the dice of a hit, with a die that always shows what is added to them.

    Where something is subtracted, it is one die for all: below 1 the sum is 1.
    """
    if damage.plus < 0:
        return ((damage.weights(), 1),)
    dice: dict[Die, int] = {(0, *(1,) * damage.sides): damage.count}
    if damage.plus:
        dice[*(0,) * damage.plus, 1] = 1
    return bag_of(dice)
