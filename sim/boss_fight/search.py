"""The chance to win a fight alone under the best play, exactly, from any position of one hand against a boss.

Source: .docs/rules/boss_fight.md, "The coach". More health, or less of the boss's, is never worse. So what is found out
about a position is kept as a region: the healths of both between which it is worth the same. It is weighed as if every
token had rested, and again without those that the best choice would need and that are tired.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sim.boss_fight.hands import ATTACKS, HAND, IDLE_ROUNDS, Attack, HandSet, attacking, has_choice, set_table
from sim.boss_fight.values import Boss, Deck, Token, Trait
from sim.core import TooMuchError
from sim.core.coach import SoFar
from sim.core.kernels import kernel

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MAX_REGIONS = 300_000
"""The most regions that a search keeps, 56 bytes each."""

MAX_LOOKS = 100_000_000
"""The most times that a search looks at a region: some three seconds."""

PART_LOOKS = 20_000_000
"""As many of them as a part of a search takes."""

_BUCKETS = 12
"""Regions are kept by twelfths of both healths, so that few are looked at."""

_DEEPEST = 400
_FAR = 1 << 60
_MOST_POWER = 40

_BOSS_LOW, _BOSS_HIGH, _LEFT_LOW, _LEFT_HIGH, _USED, _OLDER = range(6)
_LOOKS, _REGIONS, _FULL, _UNTIL = range(4)


class LongSearch(Exception):  # noqa: N818  # no error: it goes on
    """A part of a search is over: the next one goes on with `Search.so_far`."""


class Search:
    """Weighs positions of a fight; what it has found out about one helps with the next.

    A position is the boss's health in quarters, the member's in units of 1/2^`power`, the tired tokens as bits, the
    numbers of this attack and the next one, and the rounds without a scratch.
    """

    def __init__(self, boss: Boss, health: int, hand: Deck) -> None:
        tables = [set_table(boss, attack, hand.tokens) for attack in ATTACKS]
        self.power = max(table.power for table in tables)
        if self.power > _MOST_POWER:
            raise TooMuchError("The coach can't search this fight: its tokens have too many traits.")
        self.faces = len(ATTACKS) if has_choice(boss) else 1
        most = hand.health << self.power  # more damage than that changes nothing
        useful = [_useful(table.sets, (1 << len(hand.tokens)) - 1) for table in tables]
        self._sets = np.zeros((len(ATTACKS), max(map(len, useful)), 3), dtype=np.int64)
        self._strongest = np.zeros((len(ATTACKS), 1 << HAND), dtype=np.int64)
        tired = np.arange(1 << HAND)[:, np.newaxis]
        for at, (table, kept) in enumerate(zip(tables, useful, strict=True)):
            rows = [(one.bits, one.deals, min(most, one.takes << (self.power - table.power))) for one in kept]
            rows.sort(key=lambda row: row[2] / most - row[1] / (4 * health))
            self._sets[at, : len(rows)] = rows
            bits, deals, _ = self._sets[at, : len(rows)].T
            self._strongest[at] = np.where(bits & tired, -1, deals).max(axis=1)
        self._many = np.array([len(kept) for kept in useful])
        foes = [attacking(boss, attack) for attack in ATTACKS]
        bare = [foe.physical_damage + foe.magical_damage << self.power for foe in foes]
        self._bare = np.array([min(most, takes) for takes in bare])
        self._widths = np.array([4 * health // _BUCKETS + 1, most // _BUCKETS + 1])
        self._newest = np.zeros((1 << HAND) * len(ATTACKS) ** 2 * IDLE_ROUNDS * _BUCKETS**2, dtype=np.int64)
        self._regions = np.zeros((MAX_REGIONS, 6), dtype=np.int64)
        self._values = np.zeros(MAX_REGIONS)
        self._regions[0, :_USED] = -_FAR, _FAR, 1, _FAR  # region 0: nothing is known
        self._here = np.zeros((_DEEPEST, 6), dtype=np.int64)
        self._count = np.array([0, 1, 0, PART_LOOKS])

    @property
    def so_far(self) -> SoFar:
        """What has been found out."""
        found = self._count[_REGIONS]
        kept = self._count, self._newest, self._regions[:found], self._values[:found]
        return SoFar(min(1.0, float(self._count[_LOOKS]) / MAX_LOOKS), tuple(array.tobytes() for array in kept))

    def go_on(self, so_far: SoFar) -> None:
        """Begin with what has been found out."""
        for array, known in zip((self._count, self._newest, self._regions, self._values), so_far.kept, strict=True):
            found = np.frombuffer(known, array.dtype).reshape(-1, *array.shape[1:])
            array[: len(found)] = found
        self._count[_FULL] = 0
        self._count[_UNTIL] = self._count[_LOOKS] + PART_LOOKS

    def chance(self, boss: int, left: int, tired: int, now: Attack, then: Attack, idle: int = 0) -> float:
        """Return the chance to win from a position; TooMuchError if it is too far from the end."""
        if boss <= 0 or left <= 0 or idle == IDLE_ROUNDS:
            return float(boss <= 0)
        chance = weigh(
            *(0, boss, left, tired, ATTACKS.index(now), ATTACKS.index(then), idle, self.faces),
            *(self._sets, self._many, self._strongest, self._bare, self._widths),
            *(self._newest, self._regions, self._values, self._here, self._count),
        )
        if self._count[_FULL]:
            if self._count[_UNTIL] < self._count[_LOOKS] <= MAX_LOOKS and self._count[_REGIONS] < MAX_REGIONS:
                raise LongSearch
            raise TooMuchError("The coach can't search this fight: it may go on in too many ways.")
        return chance

    def worth(self, boss: int, left: int, tired: int, shown: Sequence[Attack], idle: int) -> float:
        """Return the chance to win if the next attacks, at most two, are `shown`; the mean over those that aren't."""
        if len(shown) > 1:
            now, then = shown
            return self.chance(boss, left, tired, now, then, idle)
        return sum(self.worth(boss, left, tired, [*shown, one], idle) for one in ATTACKS) / len(ATTACKS)

    def best(self, boss: int, tired: int, now: Attack) -> int:
        """Return the best set in the position that was weighed last, as bits."""
        if self._strongest[ATTACKS.index(now), tired] < boss:
            return int(self._here[0, _USED])
        sets: list[list[int]] = self._sets[ATTACKS.index(now)].tolist()
        return min((bits for bits, deals, _ in sets if deals >= boss and not bits & tired), key=int.bit_count)


def _useful(sets: Iterable[HandSet], every: int) -> Sequence[HandSet]:
    """Return the sets without those that a part of them is as good as: it leaves more tokens rested.

    The whole hand, `every`, stays: nothing needs to be put up after it.
    """
    kept: list[HandSet] = []
    for one in sets:  # small ones first
        parts = (other for other in kept if not other.bits & ~one.bits)
        if one.bits == every or not any(part.deals >= one.deals and part.takes <= one.takes for part in parts):
            kept.append(one)
    return kept


@kernel
def weigh(  # noqa: C901, PLR0912, PLR0915 - calls would count references and take twice the time
    depth: int,
    boss: int,
    left: int,
    tired: int,
    now: int,
    then: int,
    idle: int,
    faces: int,
    sets: Ints,
    many: Ints,
    strongest: Ints,
    bare: Ints,
    widths: Ints,
    newest: Ints,
    regions: Ints,
    values: Floats,
    here: Ints,
    count: Ints,
) -> float:
    """Return the chance to win; `here[depth]` becomes the region where it is the same, and the set that is best.

    `sets`: bits, damage dealt and taken, `many` of them for each attack. `strongest`: the most damage that is dealt, by
    attack and tired tokens, -1 for none rested. `bare`: taken without a token. Nothing it returns counts once
    `count[2]` is set: the search was too long.
    """
    region = here[depth]
    most_dealt = strongest[now, tired]
    if most_dealt >= boss:
        region[_BOSS_LOW], region[_BOSS_HIGH], region[_LEFT_LOW], region[_LEFT_HIGH] = -_FAR, most_dealt, 1, _FAR
        return 1.0
    if depth + 1 == len(here) or count[_REGIONS] == len(values) or count[_LOOKS] > count[_UNTIL]:
        count[_FULL] = 1
        return 0.0
    without = tired if most_dealt < 0 else 0
    while True:
        key = ((without * 3 + now) * 3 + then) * IDLE_ROUNDS + idle
        slot = (key * _BUCKETS + boss // widths[0]) * _BUCKETS + left // widths[1]
        least, most, lower, upper = 0.0, 1.0, 0, 0  # bounds, and the regions that they are from
        at = newest[slot]
        while at > 0 and least < most:
            count[_LOOKS] += 1
            if values[at] > least and boss <= regions[at, _BOSS_HIGH] and left >= regions[at, _LEFT_LOW]:
                least, lower = values[at], at
            if values[at] < most and boss >= regions[at, _BOSS_LOW] and left <= regions[at, _LEFT_HIGH]:
                most, upper = values[at], at
            at = regions[at, _OLDER]
        best = -1.0
        region[_BOSS_LOW], region[_LEFT_HIGH] = -_FAR, _FAR
        if least >= most:
            best = least
            region[_BOSS_HIGH], region[_LEFT_LOW] = regions[lower, _BOSS_HIGH], regions[lower, _LEFT_LOW]
            region[_USED] = regions[lower, _USED]
        for choice in range(1 if most_dealt < 0 else many[now]):
            if best >= most:
                break
            used, deals, takes = sets[now, choice, 0], sets[now, choice, 1], sets[now, choice, 2]
            if most_dealt < 0:
                used, deals, takes = 0, 0, bare[now]
            if used & without:
                continue
            total, boss_low, boss_high, left_low, left_high = 0.0, deals + 1, _FAR, 1, _FAR
            quiet = 0 if deals + takes else idle + 1
            if deals >= boss:
                total, boss_low, boss_high = float(faces), -_FAR, deals
            elif left <= takes:
                left_high = takes
            elif quiet < IDLE_ROUNDS:
                left_low = takes + 1
                for face in range(faces):
                    next_face = face if faces > 1 else 2
                    total += weigh(
                        depth + 1, boss - deals, left - takes, used, then, next_face, quiet, faces, sets, many,
                        strongest, bare, widths, newest, regions, values, here, count,
                    )  # fmt: skip
                    boss_low = max(boss_low, here[depth + 1, _BOSS_LOW] + deals)
                    boss_high = min(boss_high, here[depth + 1, _BOSS_HIGH] + deals)
                    left_low = max(left_low, here[depth + 1, _LEFT_LOW] + takes)
                    left_high = min(left_high, here[depth + 1, _LEFT_HIGH] + takes)
                    if total + faces - 1 - face <= best * faces:
                        break
            region[_BOSS_LOW] = max(region[_BOSS_LOW], boss_low)
            region[_LEFT_HIGH] = min(region[_LEFT_HIGH], left_high)
            if total > best * faces:
                best = total / faces
                region[_BOSS_HIGH], region[_LEFT_LOW], region[_USED] = boss_high, left_low, used
        if best >= most:
            region[_BOSS_LOW], region[_LEFT_HIGH] = regions[upper, _BOSS_LOW], regions[upper, _LEFT_HIGH]
        if least < most:
            at = count[_REGIONS]
            if at == len(values) or count[_FULL]:
                count[_FULL] = 1
                return 0.0
            count[_REGIONS] += 1
            for column in range(_OLDER):
                regions[at, column] = region[column]
            regions[at, _OLDER], newest[slot], values[at] = newest[slot], at, best
        blocked = region[_USED] & tired & ~without
        if most_dealt < 0 or best == 0 or blocked == 0:
            return best
        without |= blocked


def warm_up() -> None:
    """Compile the kernel, or load it from its cache on disk; call it once in a worker's initializer."""
    boss = Boss(name="One", health=2, physical_damage=1, magical_damage=1)
    hand = Deck(tokens=(Token(name="one", traits=(Trait(name="one", health=4, physical_damage=1),)),))
    Search(boss, 2, hand).chance(8, 4, 0, Attack.BLADE, Attack.BLADE)
