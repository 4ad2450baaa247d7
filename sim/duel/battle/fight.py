"""A round of two groups (.docs/rules/duel.md, "Initiative" and "A round")."""

from collections.abc import Sequence

from sim.core.dice import Dice
from sim.duel.battle.values import FightEvent, Passed, RoundBegan, Struck
from sim.duel.critter import Critter, can_harm

_INITIATIVE_DIE = 6
_STRIKE_DIE = 20


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
        roll = dice.roll(_STRIKE_DIE)
        damage = 0
        if roll + attacker.str_mod >= attacker.needed_roll(self.critters[target]):
            damage = attacker.damage.roll(dice)
            self.hp[target] = max(0, self.hp[target] - damage)
            if not self.hp[target]:
                self.leave(target)
        return Struck(who=who, target=target, roll=roll, damage=damage, left=self.hp[target], again=again)
