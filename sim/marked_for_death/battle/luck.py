"""The dice of a battle as a measure of luck: those of attacks that hit, and those of defenses that block."""

from collections import Counter
from collections.abc import Iterable, Iterator

from sim.core.luck import Die, Throw, bag_of, chance
from sim.marked_for_death.battle.runner import exact_die
from sim.marked_for_death.battle.values import Event, Fought, State
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.stats import Bonds, Numbers

HITS, BLOCKS = "hits", "blocks"


def throws(state: State, events: Iterable[Event]) -> Iterator[Throw]:
    """Yield what each side threw in each round, its attacks before its defenses."""
    sides = {camp: _Side(state, camp) for camp in Camp}
    for event in events:
        if isinstance(event, Fought):
            numbers = {camp: side.numbers([name for name, _ in event.fighters(camp)]) for camp, side in sides.items()}
            for camp in Camp:
                yield from _round(event, camp, numbers)


def _round(event: Fought, camp: Camp, numbers: dict[Camp, list[Numbers]]) -> Iterator[Throw]:
    own = numbers[camp]
    hits: Counter[Die] = Counter()
    for attacker, *_ in event.attacks(camp):
        _add(hits, own[attacker].offense_dice, exact_die(own[attacker].to_hit))
    blocks: Counter[Die] = Counter()
    for _, _, struck, *_ in event.attacks(camp.other):
        _add(blocks, own[struck].defense_dice, exact_die(own[struck].to_defend))
    rolled = {
        HITS: sum(hit for *_, hit, _ in event.attacks(camp)),
        BLOCKS: sum(blocked for *_, blocked in event.attacks(camp.other)),
    }
    for unit, dice in ((HITS, hits), (BLOCKS, blocks)):
        yield Throw(seat=camp.value, unit=unit, moment=f"round {event.number}", dice=bag_of(dice), rolled=rolled[unit])


def _add(found: Counter[Die], count: int, die: tuple[int, int]) -> None:
    sides, target = die
    if target:
        found[chance(target, sides)] += count


class _Side:
    """A side's fighters, and how many rounds each of them has fought."""

    def __init__(self, state: State, camp: Camp) -> None:
        force = state.force(camp)
        self._fighters = [combatant.fighter for combatant in force]
        self._fought = [combatant.fought for combatant in force]
        self._bonds = Bonds.of(self._fighters)

    def numbers(self, living: Iterable[str]) -> list[Numbers]:
        """Return the numbers of the living fighters in the next round, and let it be fought."""
        names = set(living)
        alive = [fighter.name in names for fighter in self._fighters]
        standing = [at for at, lives in enumerate(alive) if lives]
        found = [self._bonds.numbers(self._fighters, alive, at, self._fought[at]) for at in standing]
        for at in standing:
            self._fought[at] += 1
        return found
