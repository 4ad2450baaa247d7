"""How much a round can be, at most, so that no battle grows too large to be fought and shown attack by attack."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sim.core.errors import RuleError
from sim.marked_for_death.battle.values import State
from sim.marked_for_death.roster import Camp, Fighter
from sim.marked_for_death.stats import Bonds, Numbers

MAX_ATTACKS = 20_000
"""Attacks in a round of both sides together."""

MAX_DICE = 500_000
"""Dice in a round of both sides together."""

_SECONDS_PER_ATTACK = 1e-5  # measured, the log included; rough upper figures
_SECONDS_PER_DIE = 1.5e-6
_SECONDS_PER_FIGHTER = 1e-4
_NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Load:
    """What a round can't exceed: fighters who stand, their attacks, the dice of both sides."""

    fighters: int
    attacks: int
    dice: int

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return _SECONDS_PER_FIGHTER * self.fighters + _SECONDS_PER_ATTACK * self.attacks + _SECONDS_PER_DIE * self.dice


def load(state: State) -> Load:
    """Return what the next rounds can't exceed."""
    survivors = {camp: [combatant.fighter for combatant in state.force(camp) if combatant.stands] for camp in Camp}
    dice = {camp: _most_dice(survivors[camp]) for camp in Camp}
    attacks = thrown = 0
    for camp in Camp:
        hardest = max((defense for _, defense in dice[camp.other]), default=0)
        for fighter, (offense, _) in zip(survivors[camp], dice[camp], strict=True):
            attacks += fighter.aoe
            thrown += fighter.aoe * (offense + hardest)
    return Load(sum(map(len, survivors.values())), attacks, thrown)


def expect_bearable(state: State) -> None:
    """Raise RuleError for a battle whose rounds are too large."""
    found = load(state)
    if found.attacks > MAX_ATTACKS:
        raise RuleError(
            f"A round has {found.attacks:,} attacks, too many to show each one; at most {MAX_ATTACKS:,} are fought out."
        )
    if found.dice > MAX_DICE:
        raise RuleError(
            f"A round has up to {found.dice:,} dice, too many to throw each one; at most {MAX_DICE:,} are thrown."
        )


def _most_dice(fighters: Sequence[Fighter]) -> list[tuple[int, int]]:
    """Return the most dice of each fighter's attack and defence, whoever falls: harmful buffs may end."""
    bonds = Bonds.of(fighters)
    nobody = [False] * len(fighters)
    found = []
    for at in range(len(fighters)):
        alone = bonds.numbers(fighters, nobody, at)
        hit, defend = alone.raw_to_hit, alone.raw_to_defend
        for _, offense, defense in bonds.helped[at]:
            hit += max(offense, _NOTHING)
            defend += max(defense, _NOTHING)
        best = Numbers(hit, defend, alone.base_dice)
        found.append((best.offense_dice, best.defense_dice))
    return found
