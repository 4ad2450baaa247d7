"""The dice of strikes as a measure of luck: each d20 hits or not, and the damage dice of those that hit."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from sim.core.battle import Seat
from sim.core.luck import Throw, chance
from sim.duel.battle.values import RoundBegan, Struck
from sim.duel.critter import Critter

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
                dealt = striker.damage.weights()
                yield Throw(seat=seat, unit=DAMAGE, moment=moment, dice=((dealt, 1),), rolled=event.damage)
