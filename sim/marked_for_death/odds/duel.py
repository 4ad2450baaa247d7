"""One fighter against one, in whole numbers, and what its exact odds would cost."""

import math
from typing import NamedTuple, Self

from sim.marked_for_death.odds.lineup import MILLION, TIRED, Terms, buffed, dice_at, to_defend, to_hit

_MOST_HP = 1_000
_CELL_SECONDS = 0.4e-9  # for each pair of HP and each HP that may be lost, in a round
_ROUND_SECONDS = 150e-6
_DICE_SECONDS = 4e-9  # for each pair of likely numbers of hits, in a round in which chances change
_WIDTH = 20.0  # standard deviations of a throw that show
_LAST = 40.0  # times that the likely end of a battle must have come before none goes on


class Duellist(NamedTuple):
    """One of the two: its number, its HP, and the figures that it throws with; `raw_defend` before the first round."""

    at: int
    hp: int
    dice: int
    raw_hit: int
    raw_defend: int
    aoe: int

    @property
    def offence(self) -> tuple[int, int]:
        """Dice and their chance in millionths when it attacks."""
        return dice_at(self.dice, self.raw_hit), to_hit(self.raw_hit)

    def defence(self, fought: int) -> tuple[int, int]:
        """Return dice and their chance in millionths when it defends after `fought` rounds."""
        raw = self.raw_defend - TIRED * fought
        return dice_at(self.dice, raw), to_defend(raw)

    @property
    def rested(self) -> int:
        """Rounds after which it blocks nothing any more."""
        return max(0, -(-self.raw_defend // TIRED))


class Duel(NamedTuple):
    """A battle of single fighters, the hero first; None for a side that has nobody with HP."""

    hero: Duellist | None
    villain: Duellist | None
    limit: int | None

    @classmethod
    def of(cls, terms: Terms) -> Self | None:
        """Return the battle if one side has nobody who takes part, or both have one; else None."""
        soldiers, heroes, limit, _ = terms
        here = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
        sides = [[at for at in here if (at < heroes) is own] for own in (True, False)]
        if all(sides) and len(here) > len(sides):
            return None
        if not all(sides):
            return cls(None, None, limit)
        raw = buffed(soldiers, here)
        hero, villain = (
            Duellist(side[0], soldiers[side[0]].hp, soldiers[side[0]].dice, *raw[side[0]], soldiers[side[0]].aoe)
            for side in sides
        )
        return cls(hero, villain, limit)

    def seconds(self) -> float:
        """Return the seconds that the exact odds take: a rough upper figure; infinite where they would be too large."""
        if self.hero is None or self.villain is None:
            return 0.01
        if max(self.hero.hp, self.villain.hp) > _MOST_HP:
            return math.inf
        changing = max(self.hero.rested, self.villain.rested)
        # Hits that come through each round when nobody blocks, and how long the battle lasts by them.
        last = math.inf
        width = 0.0
        for attacker, defender in ((self.hero, self.villain), (self.villain, self.hero)):
            dice, chance = attacker.offence
            hits = dice * chance / MILLION * attacker.aoe
            last = min(last, 2 * defender.hp / hits + _LAST / min(1.0, hits))
            throws = max(dice, dice_at(defender.dice, defender.raw_defend))
            width = max(width, min(throws, _WIDTH * math.sqrt(throws) + 40))
        rounds = min(changing + last, self.limit or math.inf)
        cells = self.hero.hp * self.villain.hp * (self.hero.hp + self.villain.hp)
        folds = sum(math.log2(1 + duellist.aoe) * duellist.hp**2 for duellist in (self.hero, self.villain))
        each = 2 * width * width * _DICE_SECONDS + folds * _CELL_SECONDS + _ROUND_SECONDS
        return 0.01 + rounds * (cells * _CELL_SECONDS + _ROUND_SECONDS) + min(rounds, changing + 1) * each
