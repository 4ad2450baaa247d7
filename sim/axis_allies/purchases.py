"""What can be bought within a budget, and which purchases for several fronts are worth most together."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from sim.axis_allies.units import Unit

SHOWN = 4
"""Plans in a report: the best and the next ones."""

_DECIMALS = 12  # of worths that decide which plan is better


class Option(NamedTuple):
    """A way to attack a front, or to leave it alone: what is bought, the planes of each group, and what comes of it."""

    ipc: int
    planes: tuple[int, ...]
    bought: Mapping[Unit, int]
    p_takes: float
    worth: float
    attacks: bool


def purchases_within(prices: Sequence[tuple[Unit, int]], budget: int, least: int = 0) -> Iterator[dict[Unit, int]]:
    """Yield every purchase for `least` to `budget` IPC, most of the first unit first; `prices`: of units for sale."""
    if not prices:
        if least <= 0:
            yield {}
        return
    (unit, price), *rest = prices
    for count in range(budget // price, (0 if rest else max(0, -(-least // price))) - 1, -1):
        for more in purchases_within(rest, budget - count * price, least - count * price):
            yield ({unit: count} if count else {}) | more


def ways_by_price(prices: Sequence[tuple[Unit, int]], budget: int) -> list[int]:
    """Return how many purchases there are for each number of IPC up to `budget`."""
    ways = [1] + [0] * budget
    for _, price in prices:
        for ipc in range(price, budget + 1):
            ways[ipc] += ways[ipc - price]
    return ways


def ranges(ways: Sequence[int], most: float) -> Iterator[tuple[int, int]]:
    """Yield the least and the most IPC of each part: together all, each part with about `most` purchases at most."""
    least = held = 0
    for ipc, count in enumerate(ways):
        if held and held + count > most:
            yield least, ipc - 1
            least, held = ipc, 0
        held += count
    yield least, len(ways) - 1


_Plan = tuple[float, tuple[Option, ...]]


def best_plans(options: Sequence[Sequence[Option]], budget: int, planes: Sequence[int]) -> Iterator[tuple[Option, ...]]:
    """Yield the best plans, `SHOWN` at most, the best one first: an option for every front.

    No plan costs more than `budget` IPC or sends more planes of a group than there are. Of two that are worth the same
    the cheaper one comes first.
    """
    plans: dict[tuple[int, ...], dict[int, list[_Plan]]] = {(0,) * len(planes): {0: [(0.0, ())]}}
    for ways in options:
        kept: dict[tuple[int, ...], dict[int, list[Option]]] = {}
        for option in sorted(ways, key=lambda way: (way.ipc, -way.worth)):
            kept.setdefault(option.planes, {}).setdefault(option.ipc, []).append(option)
        grown: dict[tuple[int, ...], dict[int, list[_Plan]]] = {}
        for (used, begun), (sent, several) in product(plans.items(), kept.items()):
            sums = tuple(map(sum, zip(used, sent, strict=True)))
            if all(map(int.__le__, sums, planes)):
                _join(grown.setdefault(sums, {}), begun, several, budget)
        plans = grown
    every = [
        (-round(worth, _DECIMALS), spent, plan)
        for same in plans.values()
        for spent, found in same.items()
        for worth, plan in found
    ]
    every.sort(key=lambda each: each[:2])
    yield from (plan for _, _, plan in every[:SHOWN])


def _join(
    grown: dict[int, list[_Plan]], begun: Mapping[int, list[_Plan]], several: Mapping[int, list[Option]], budget: int
) -> None:
    """Add to plans what becomes of those that were begun, by the IPC spent, with options by their IPC in order."""
    for spent, plans in begun.items():
        for ipc, ways in several.items():
            if spent + ipc > budget:
                break
            found = grown.setdefault(spent + ipc, [])
            if len(found) == SHOWN and plans[0][0] + ways[0].worth <= found[-1][0]:
                continue
            found += [(worth + each.worth, (*plan, each)) for worth, plan in plans for each in ways[:SHOWN]]
            found.sort(key=lambda plan: -plan[0])
            del found[SHOWN:]
