"""Waves and a counterattack in fractions, each a battle of `enumerate_battle`."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sim.axis_allies.units import Category, Unit
from sim.axis_allies.withdrawal import NEVER
from tests.sim.axis_allies.enumerate_battle import Enumeration, Pair, Pile, Rules, enumerate_battle, price

Attack = tuple[Pile, tuple[Unit, ...]]
"""An army, and the ships that bombard for it."""


@dataclass(frozen=True)
class Waves:
    """What becomes of waves.

    `wins`: chance that the attacker wins with each wave. `ends`: chances of the other ends. `holders`: chance of the
    land units that take the territory. `rounds`: their mean number. `lost`: chance of each price of what the attacker
    loses.
    """

    wins: list[Fraction]
    ends: dict[str, Fraction]
    holders: dict[Pile, Fraction]
    rounds: Fraction
    lost: dict[int, Fraction]


def fight_waves(waves: Sequence[Attack], defender: Pile, rules: Rules) -> Waves:
    """Fight wave after wave, each against what the one before has left."""
    states = {("defender", defender, 0): Fraction(1)}
    wins, rounds = [Fraction(0)] * len(waves), Fraction(0)
    holders: dict[Pile, Fraction] = defaultdict(Fraction)
    lost: dict[int, Fraction] = defaultdict(Fraction)
    for number, (army, ships) in enumerate(waves):
        terms = replace(rules, bombard=ships)
        battles = {met: _fight((army, met), terms) for met in {met for _, met, _ in states}}
        after: dict[tuple[str, Pile, int], Fraction] = defaultdict(Fraction)
        for (_, met, before), p in states.items():
            rounds += p * battles[met].rounds
            for (left, remaining), q in battles[met].finals.items():
                spent = before + price(army, rules.edition) - price(left, rules.edition)
                if left and not remaining:
                    wins[number] += p * q
                    lost[spent] += p * q
                    holders[_land(left)] += p * q
                else:
                    end = "nobody" if left else "defender" if remaining else "tie"
                    after[end, remaining, spent] += p * q
        states = after
    ends: dict[str, Fraction] = defaultdict(Fraction)
    for (end, _, spent), p in states.items():
        ends[end] += p
        lost[spent] += p
    holders.pop((), None)
    return Waves(wins, ends, holders, rounds, lost)


def _fight(pair: Pair, rules: Rules) -> Enumeration:
    """Fight a battle; if nobody is left, the attacker walks in."""
    return enumerate_battle(pair, rules) if pair[1] else Enumeration({pair: Fraction(1)}, Fraction(0))


def _land(pile: Pile) -> Pile:
    return tuple(group for group in pile if group[0].category is Category.LAND)


def holds(holders: dict[Pile, Fraction], counter: Attack, rules: Rules) -> Fraction:
    """Return the chance that the territory is taken and that land units of the counterattack don't take it back.

    `rules`: those of the waves. The sides' technologies change places, and guns that are a mark are left behind.
    """
    army, ships = counter
    here, there = rules.technology
    terms = replace(rules, technology=(there, here), withdrawal=NEVER, mark=False, bombard=ships)
    chance = Fraction(0)
    for pile, p in holders.items():
        finals = enumerate_battle((army, pile), terms).finals
        chance += p * sum(q for (left, remaining), q in finals.items() if remaining or not _land(left))
    return chance
