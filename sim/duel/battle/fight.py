"""A round of two groups (.docs/rules/duel.md, "Initiative" and "A round"), and the luck of its dice."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from sim.core.battle import Seat
from sim.core.dice import Dice
from sim.core.luck import Bag, Die, Throw, bag_of, chance
from sim.duel.battle.values import FightEvent, Passed, RoundBegan, Struck
from sim.duel.critter import STRIKE_DIE, Critter, can_harm
from sim.duel.damage import Damage

HITS, DAMAGE = "hits", "damage"
"""What the luck of strikes is counted in: each d20 hits or not, and the damage dice of those that hit."""

_INITIATIVE_DIE = _MORALE_DIE = 6


class Fight:
    """Two groups in a fight; every round changes `hp` and `groups`.

    Fighters have numbers. `groups`: the fighters left in each group, in the order they entered.
    """

    def __init__(self, critters: Sequence[Critter], hp: Sequence[int], groups: Sequence[Sequence[int]]) -> None:
        self.critters = critters
        self.hp = list(hp)
        self.groups = tuple(list(group) for group in groups)

    @property
    def is_hopeless(self) -> bool:
        """Whether nobody left could ever hit anybody of the other group."""
        first, second = ([self.critters[who] for who in group] for group in self.groups)
        return not (can_harm(first, second) or can_harm(second, first))

    def round(self, number: int, dice: Dice) -> list[FightEvent]:
        """Fight one round and return its events."""
        order = self._initiative(dice)
        events: list[FightEvent] = [RoundBegan(number=number, order=tuple(order))]
        for who, _ in order:
            events += self._turn(who, dice)
        return events

    def leave(self, who: int) -> None:
        """Remove a fighter from the fight."""
        for group in self.groups:
            if who in group:
                group.remove(who)

    def _initiative(self, dice: Dice) -> list[tuple[int, int]]:
        """Return fighters and counts (d6 + Dexterity) in order of action; dice break ties, fighter by fighter."""
        by_count: dict[int, list[int]] = {}
        for who in (*self.groups[0], *self.groups[1]):
            by_count.setdefault(dice.roll(_INITIATIVE_DIE) + self.critters[who].dex_mod, []).append(who)
        order = []
        for count in sorted(by_count, reverse=True):
            tied = by_count[count]
            while tied:
                order.append((tied.pop(dice.roll(len(tied)) - 1), count))
        return order

    def _turn(self, who: int, dice: Dice) -> list[FightEvent]:
        # A fighter killed in this round is in neither group any more: it draws from group 1, to no effect.
        targets = self.groups[1] if who in self.groups[0] else self.groups[0]
        if not targets:
            return [Passed(who=who)]
        if not self.hp[who]:
            dice.roll(len(targets))
            return [Passed(who=who)]
        blows: list[FightEvent] = []
        for _ in range(self.critters[who].attacks):
            if targets:
                blows.append(self._strike(who, targets[dice.roll(len(targets)) - 1], dice, again=bool(blows)))
        return blows

    def _strike(self, who: int, target: int, dice: Dice, *, again: bool) -> Struck:
        attacker = self.critters[who]
        roll = dice.roll(STRIKE_DIE)
        damage = 0
        if roll + attacker.str_mod >= attacker.needed_roll(self.critters[target]):
            damage = attacker.damage.roll(dice)
            self.hp[target] = max(0, self.hp[target] - damage)
            if not self.hp[target]:
                self.leave(target)
        return Struck(who=who, target=target, roll=roll, damage=damage, left=self.hp[target], again=again)


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
            hits = round(striker.hit_chance(critters[event.target]) * STRIKE_DIE)
            die = chance(hits, STRIKE_DIE)
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


def roll_morale(dice: Dice) -> int:
    """Roll the 2d6 of a morale test."""
    return dice.roll(_MORALE_DIE) + dice.roll(_MORALE_DIE)
