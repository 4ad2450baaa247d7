"""The dice of a battle as a measure of luck: each hits at or under its score."""

from collections import Counter
from collections.abc import Iterable, Iterator

from sim.axis_allies.arms import DIE
from sim.axis_allies.battle.values import Event, Fired, RoundBegan, State
from sim.core.luck import Die, Throw, bag_of, chance

UNIT = "hits"
_SURE: Die = (0, 1)


def throws(state: State, events: Iterable[Event]) -> Iterator[Throw]:
    """Yield what each side threw, its ships and its antiaircraft guns included."""
    number = state.round
    for event in events:
        if isinstance(event, RoundBegan):
            number = event.number
        elif isinstance(event, Fired):
            moment = f"round {number}" if event.moment is None else event.moment.value
            dice = bag_of(_dice(event))
            yield Throw(seat=event.side.value, unit=UNIT, moment=moment, dice=dice, rolled=_hits(event))


def _dice(event: Fired) -> Counter[Die]:
    found: Counter[Die] = Counter()
    for throw in event.throws:
        every = DIE**throw.best_of
        missed = (DIE - throw.score) ** throw.best_of
        found[chance(every - missed, every)] += len(throw.faces) // throw.best_of
    for total in event.sums:
        found[_SURE] += total.sure
        if total.face is not None:
            found[chance(total.rest, DIE)] += 1
    return found


def _hits(event: Fired) -> int:
    return sum(throw.hits for throw in event.throws) + sum(total.hits for total in event.sums)
