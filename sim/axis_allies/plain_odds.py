"""The odds of small land battles by a plain recursion: a second opinion that shares no code with the engines.

An army is the numbers of its infantry, artillery, tanks, fighters and bombers. Both sides lose the lowest score first,
then the cheapest; an attacker's last land unit goes last. Source: .docs/rules/axis_allies.md, "Units", "Hits".
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

Counts = tuple[int, ...]

COSTS = (3, 4, 6, 10, 12)
_ATTACK = (1, 2, 3, 3, 4)
_DEFENSE = (2, 2, 3, 4, 1)
_LOST_BY_ATTACKER = (0, 1, 2, 3, 4)
_LOST_BY_DEFENDER = (4, 0, 1, 2, 3)
_LAND = 3
_KEPT = 1 << 16


def ipc(army: Counts) -> int:
    """Return what an army costs."""
    return sum(count * cost for count, cost in zip(army, COSTS, strict=True))


@lru_cache(_KEPT)
def _hits(dice: tuple[tuple[int, int], ...]) -> tuple[float, ...]:
    """Return the chance of each number of hits; `dice`: pairs of a score and a number of dice."""
    chances = [1.0]
    for score, count in dice:
        hit, miss = score / 6, 1 - score / 6
        for _ in range(count):
            chances = [fewer * hit + same * miss for fewer, same in pairwise([0.0, *chances, 0.0])]
    return tuple(chances)


@lru_cache(_KEPT)
def _after(army: Counts, hits: int, *, attacks: bool) -> Counts:
    """Return what is left of an army after a number of hits."""
    left = list(army)
    for _ in range(min(hits, sum(army))):
        for kind in _LOST_BY_ATTACKER if attacks else _LOST_BY_DEFENDER:
            last_land = attacks and kind < _LAND and sum(left[:_LAND]) == 1 and sum(left) > 1
            if left[kind] and not last_land:
                left[kind] -= 1
                break
    return tuple(left)


def _round(attacker: Counts, defender: Counts) -> Iterator[tuple[float, Counts, Counts]]:
    """Yield what a round may lead to, with its chance."""
    helped = min(attacker[0], attacker[1])  # each artillery lifts one infantry to 2
    dice = (1, attacker[0] - helped), (2, helped), *zip(_ATTACK[1:], attacker[1:], strict=True)
    struck = _hits(tuple(zip(_DEFENSE, defender, strict=True)))
    for dealt, chance in enumerate(_hits(dice)):
        rest = _after(defender, dealt, attacks=False)
        for taken, other in enumerate(struck):
            if chance * other:
                yield chance * other, _after(attacker, taken, attacks=True), rest


@lru_cache(_KEPT)
def takes(attacker: Counts, defender: Counts) -> float:
    """Return the chance to take the territory in a fight to the end."""
    if not any(defender):
        return float(any(attacker[:_LAND]))
    if not any(attacker[:_LAND]):
        return 0.0
    stay = total = 0.0
    for chance, left, rest in _round(attacker, defender):
        if (left, rest) == (attacker, defender):
            stay += chance
        else:
            total += chance * takes(left, rest)
    return total / (1 - stay)


@lru_cache(_KEPT)
def going_on(attacker: Counts, defender: Counts, territory: int) -> float:
    """Return what another round is worth in IPC, with the best choice after it: losses of both sides, the territory."""
    stay = total = 0.0
    for chance, left, rest in _round(attacker, defender):
        swing = ipc(defender) - ipc(rest) - ipc(attacker) + ipc(left)
        if (left, rest) == (attacker, defender):
            stay += chance
        elif any(rest) and any(left):
            total += chance * (swing + max(0.0, going_on(left, rest, territory)))
        else:
            total += chance * (swing + territory * (not any(rest) and any(left[:_LAND])))
    return total / (1 - stay) if total > 0 else total
