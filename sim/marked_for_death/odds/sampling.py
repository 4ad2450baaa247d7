"""Battles as the odds engines take and count them, without NumPy: in whole numbers, duels, and how many are enough.

Counts and estimated work alone decide, never a clock, so the same request gives the same odds everywhere.

Who moves the odds is found by the same battles with and without each fighter. Each has its own random words in every
round of every battle (see `simulate`), so most battles go the same, and the differences come from that fighter alone.
Estimating only the difference, from pairs of battles, takes far fewer of them than two separate odds would.
"""

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple, Self

from sim.core.numbers import Interval, chance_interval
from sim.core.values import Summed
from sim.marked_for_death.roster import Roster
from sim.marked_for_death.stats import EXHAUSTION, MAX_TO_DEFEND, MAX_TO_HIT, MIN_TO_HIT, Bonds

MILLION = 1_000_000
"""Bonuses and chances are whole millionths: `BONUS_PLACES` decimals."""

MIN_HIT, MAX_HIT, MAX_DEFEND = (int(bound * MILLION) for bound in (MIN_TO_HIT, MAX_TO_HIT, MAX_TO_DEFEND))
"""The bounds of ToHit and ToDefend in millionths; the lower bound of ToDefend is 0."""

EXHAUSTION_PER_ROUND = int(EXHAUSTION * MILLION)
"""Millionths by which each round fought lowers a raw ToDefend."""

_MAX_HP = 1_000
_CELL_SECONDS = 0.4e-9  # per pair of HP and HP lost, in a round
_ROUND_SECONDS = 150e-6
_DICE_SECONDS = 4e-9  # per pair of likely numbers of hits, in a round in which chances change
_WIDTH = 20.0  # standard deviations of a roll that matter
_LAST = 40.0  # multiples of a battle's likely length after which it is certainly over


class Boon(NamedTuple):
    """What a buff adds to the fighter number `to`, in millionths."""

    to: int
    hit: int
    defend: int


class Soldier(NamedTuple):
    """A fighter in whole numbers; `hit` and `defend`: raw, without buffs; `guarded`, `linked_to`: -1 for nobody."""

    hp: int
    dice: int
    hit: int
    defend: int
    aoe: int
    guarded: int
    linked_to: int
    boons: tuple[Boon, ...]

    @property
    def offense(self) -> tuple[int, int]:
        """Dice of an attack, and their chance in millionths."""
        return dice_at(self.dice, self.hit), to_hit(self.hit)

    def defense(self, fought: int) -> tuple[int, int]:
        """Return the dice of a defense after `fought` rounds, and their chance in millionths."""
        raw = self.defend - EXHAUSTION_PER_ROUND * fought
        return dice_at(self.dice, raw), to_defend(raw)

    @property
    def rested(self) -> int:
        """Rounds after which it can no longer block."""
        return max(0, -(-self.defend // EXHAUSTION_PER_ROUND))


class Lineup(NamedTuple):
    """A battle in whole numbers: the first `heroes` soldiers are heroes; `max_rounds`: None for no limit."""

    soldiers: Sequence[Soldier]
    heroes: int
    max_rounds: int | None
    seed: int


def line_up(heroes: Roster, villains: Roster) -> list[Soldier]:
    """Return all fighters, the heroes first, numbered throughout."""
    soldiers: list[Soldier] = []
    for fighters in (heroes.fighters, villains.fighters):
        first, bonds = len(soldiers), Bonds.of(fighters)
        boons: list[list[Boon]] = [[] for _ in fighters]
        for to, helpers in enumerate(bonds.helped):
            for helper, offense, defense in helpers:
                boons[helper].append(Boon(first + to, _millionths(offense), _millionths(defense)))
        for at, fighter in enumerate(fighters):
            numbers = bonds.numbers(at)
            guarded, linked_to = bonds.guarded[at], bonds.linked[at]
            soldiers.append(
                Soldier(
                    hp=fighter.hp,
                    dice=numbers.base_dice,
                    hit=_millionths(numbers.raw_to_hit),
                    defend=_millionths(numbers.raw_to_defend),
                    aoe=fighter.aoe,
                    guarded=-1 if guarded is None else first + guarded,
                    linked_to=-1 if linked_to is None else first + linked_to,
                    boons=tuple(boons[at]),
                )
            )
    return soldiers


def _millionths(bonus: Decimal) -> int:
    return int(bonus * MILLION)


def dice_at(dice: int, raw: int) -> int:
    """Return how many dice a fighter rolls with a raw chance in millionths: a chance above 1 adds dice."""
    return dice if raw <= MILLION else -(-dice * raw // MILLION)


def to_hit(raw: int) -> int:
    """Return ToHit in millionths."""
    return min(max(raw, MIN_HIT), MAX_HIT)


def to_defend(raw: int) -> int:
    """Return ToDefend in millionths."""
    return min(max(raw, 0), MAX_DEFEND)


def buffed(soldiers: Sequence[Soldier], present: Iterable[int]) -> list[tuple[int, int]]:
    """Return everybody's raw ToHit and ToDefend with the buffs of the fighters in `present`."""
    raw = [[soldier.hit, soldier.defend] for soldier in soldiers]
    for at in present:
        for boon in soldiers[at].boons:
            raw[boon.to][0] += boon.hit
            raw[boon.to][1] += boon.defend
    return [(hit, defend) for hit, defend in raw]


class Duel(NamedTuple):
    """A battle of a hero and a villain, each with its number and its buffs; of nobody if a side has nobody with HP."""

    fighters: tuple[tuple[int, Soldier], ...]
    limit: int | None

    @classmethod
    def of(cls, lineup: Lineup) -> Self:
        """Return the duel of sides that have one fighter with HP each, or of which one has none."""
        soldiers, heroes, limit, _ = lineup
        present = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
        if {at < heroes for at in present} != {True, False}:
            return cls((), limit)
        raw = buffed(soldiers, present)
        duelists = (soldiers[at]._replace(hit=raw[at][0], defend=raw[at][1]) for at in present)
        return cls(tuple(zip(present, duelists, strict=True)), limit)

    def seconds(self) -> float:
        """Return a rough upper bound on the seconds that exact odds take; infinite if they would be too large."""
        if not self.fighters:
            return 0.01
        (_, hero), (_, villain) = self.fighters
        if max(hero.hp, villain.hp) > _MAX_HP:
            return math.inf
        changing = max(hero.rested, villain.rested)
        # Hits in a round without blocks, and how long the battle lasts with them.
        last = math.inf
        width = 0.0
        for attacker, defender in ((hero, villain), (villain, hero)):
            dice, chance = attacker.offense
            hits = dice * chance / MILLION * attacker.aoe
            last = min(last, 2 * defender.hp / hits + _LAST / min(1.0, hits))
            throws = max(dice, dice_at(defender.dice, defender.defend))
            width = max(width, min(throws, _WIDTH * math.sqrt(throws) + 40))
        rounds = min(changing + last, self.limit or math.inf)
        cells = hero.hp * villain.hp * (hero.hp + villain.hp)
        folds = sum(math.log2(1 + duelist.aoe) * duelist.hp**2 for duelist in (hero, villain))
        each = 2 * width * width * _DICE_SECONDS + folds * _CELL_SECONDS + _ROUND_SECONDS
        return 0.01 + rounds * (cells * _CELL_SECONDS + _ROUND_SECONDS) + min(rounds, changing + 1) * each


MAX_BATTLES = 1_000_000
"""The most battles that a request may ask for."""

PRECISION = 0.005
"""A chance is settled once its 95% interval reaches no further than this either way."""

MIN_BATTLES = 1_000
"""The fewest battles for anything to count as settled."""

MAX_BATCH = 50_000
"""The most battles in one batch."""

BATCH_WORK = 1_000_000_000
"""Work after which a batch ends: estimated nanoseconds, somewhat more than measured."""

MAX_BATTLE_WORK = BATCH_WORK // 2
"""Work after which a battle is given up as endless."""

MAX_WORK = 30_000_000_000
"""Work after which a simulation ends, settled or not."""

MAX_WEIGHING = 10_000_000_000
"""The same for one that finds out who matters most."""

MAX_LEFT_OUT = 40
"""The most fighters of both sides together to leave out in turn."""

_WEIGHT_PRECISION = 0.01  # how far the 95% interval of a difference may reach either way
_Z = 1.96
_PSEUDO = 0.5  # battles added to each kind of pair, so that an interval of few differences isn't too short
_STEEP = (1.96 / PRECISION) ** 2  # battles per unit of a chance's variance
_SPARE = 1.03  # a few battles more than seem needed, so that one more batch is enough
_THROW_SECONDS = 4e-7  # per attack or fighter, upper bound


class BatchCounts(Summed):
    """Base of counts over battles; `work`: their estimated nanoseconds, the same on every machine."""

    battles: int
    work: int

    @property
    @abstractmethod
    def settled(self) -> bool:
        """Whether the battles are enough."""

    @property
    def needed(self) -> int:
        """About how many battles will be, as far as the counts tell."""
        return MAX_BATTLES


class Tally(BatchCounts):
    """The counts of simulated battles.

    Battles won by each side, with `nobody` left, `undecided` at the round limit, and `cut_off` after too many rounds.
    `rounds`, `rounds_squared`: sums. By fighter, heroes first: battles survived, sums of the HP left and of its square
    (0 for the fallen), and battles in which the fighter was among the first to fall.
    """

    heroes: int
    villains: int
    nobody: int
    undecided: int
    cut_off: int
    rounds: int
    rounds_squared: int
    survived: tuple[int, ...]
    hp_left: tuple[int, ...]
    hp_squared: tuple[int, ...]
    fell_first: tuple[int, ...]

    def chances(self) -> Iterator[float]:
        """Yield the chances of the four endings, then everybody's to survive."""
        for count in (self.heroes, self.villains, self.nobody, self.undecided + self.cut_off, *self.survived):
            yield count / self.battles

    @property
    def settled(self) -> bool:
        """Whether all these chances are known to half a point."""
        intervals = (chance_interval(chance, self.battles) for chance in self.chances())
        return self.battles >= MIN_BATTLES and all((high - low) / 2 <= PRECISION for low, high in intervals)

    @property
    def needed(self) -> int:
        """About how many battles will settle everything."""
        steepest = max(p * (1 - p) for p in self.chances())
        return max(MIN_BATTLES, math.ceil(_SPARE * _STEEP * steepest))


class SensitivityTally(BatchCounts):
    """The counts of battles fought with everybody and without each fighter left out.

    `heroes`, `villains`: won with everybody. `lost`, `gained`: for each fighter left out, the battles that its side won
    only with it, and only without it. `cut_off`: battles given up, with any line-up; nobody has won them.
    """

    heroes: int
    villains: int
    lost: tuple[int, ...]
    gained: tuple[int, ...]
    cut_off: int

    @property
    def settled(self) -> bool:
        """Whether every difference is known to a point."""
        intervals = (paired_interval(*pair, self.battles) for pair in zip(self.lost, self.gained, strict=True))
        return self.battles >= MIN_BATTLES and all((high - low) / 2 <= _WEIGHT_PRECISION for low, high in intervals)


def paired_interval(lost: int, gained: int, battles: int) -> Interval:
    """Return the 95% interval of the difference of two chances seen in the same battles (Agresti and Min, 2005).

    `lost`: pairs in which only the first came true, `gained`: only the second, of `battles` pairs.
    """
    n = battles + 4 * _PSEUDO
    losses, gains = lost + _PSEUDO, gained + _PSEUDO
    gain = (losses - gains) / n
    half = _Z * math.sqrt(losses + gains - (losses - gains) ** 2 / n) / n
    return max(-1.0, gain - half), min(1.0, gain + half)


def left_out(soldiers: Sequence[Soldier]) -> tuple[int, ...]:
    """Return the numbers of the fighters to leave out in turn: those that seem to weigh most.

    A fighter weighs its dice for every opponent that it attacks, and the dice of those it buffs, guards or takes along.
    """
    weights = [soldier.dice * soldier.aoe for soldier in soldiers]
    for at, soldier in enumerate(soldiers):
        touched = {boon.to for boon in soldier.boons} | {soldier.guarded} - {-1}
        weights[at] += sum(soldiers[friend].dice for friend in touched - {at})
        if soldier.linked_to >= 0:
            weights[soldier.linked_to] += soldier.dice
    present = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
    return tuple(sorted(sorted(present, key=lambda at: -weights[at])[:MAX_LEFT_OUT]))


def seconds(lineup: Lineup, most_battles: int) -> float:
    """Return a rough upper bound on the seconds of a whole simulation, from both sides' dice and HP."""
    soldiers, heroes = lineup.soldiers, lineup.heroes
    present = [at for at, soldier in enumerate(soldiers) if soldier.hp > 0]
    raw = buffed(soldiers, present)
    sides = [at for at in present if at < heroes], [at for at in present if at >= heroes]
    rested = max((raw[at][1] / EXHAUSTION_PER_ROUND for at in present), default=0.0)  # rounds until nobody can block
    rounds = math.inf
    for own, foes in (sides, sides[::-1]):
        hits = sum(soldiers[at].dice * soldiers[at].aoe * to_hit(raw[at][0]) / 1e6 for at in own)
        if hits > 0:
            rounds = min(rounds, max(0.0, rested) + 4 + 2 * sum(soldiers[at].hp for at in foes) / hits)
    rounds = min(rounds, lineup.max_rounds or math.inf)
    throws = sum(1 + soldiers[at].aoe for at in present)
    battles = min(most_battles, _STEEP / 4)
    return min(MAX_WORK / 1e9, 0.1 + battles * rounds * throws * _THROW_SECONDS)
