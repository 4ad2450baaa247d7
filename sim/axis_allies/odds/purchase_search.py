"""The search for the cheapest reinforcement: all purchases in rising order of price."""

from collections.abc import Iterator, Sequence

from sim.axis_allies.army import Army, shown_army
from sim.axis_allies.average import notes
from sim.axis_allies.odds.base_request import BattleRequest
from sim.axis_allies.odds.orders import Muster
from sim.axis_allies.odds.purchase_odds import Trials
from sim.axis_allies.odds.reports import NeedReport, Purchase
from sim.axis_allies.units import Unit
from sim.core.errors import RuleError, TooMuchError
from sim.core.outcomes import Side

MOST_OTHERS = 3
"""The most purchases told beside the best one."""

FURTHER = 12
"""How many IPC above the cheapest price other purchases are looked for."""

_FIRST_STEP = 16  # IPC, a power of two
_SAME = 1e-12  # chances that differ by less are the same
_GRAIN = 12  # decimals of chances that decide which purchase is better


def report(battle: BattleRequest, side: Side, wanted: float, units: Sequence[Unit], seconds: float) -> NeedReport:
    """Return the cheapest `units` that bring `side` the wanted chance to win; `seconds`: how long the search may take.

    All times are estimates, so that the same question always gets the same answer.
    """
    trials = Trials(battle, side, units, wanted - _SAME, seconds)
    search = _Search(trials, units)
    before = trials.chance({}) or 0.0
    if before >= trials.wanted:
        search.found.append(Purchase(units=Army(), ipc=0, chance=min(1.0, before)))
    else:
        search.nearest = Purchase(units=Army(), ipc=0, chance=before)
        search.look(_useful(battle, side, units))
    best, *others = search.found
    return NeedReport(
        attacker=battle.attacker,
        defender=battle.defender,
        side=side,
        wanted=wanted,
        chance_before=min(1.0, before),
        best=best,
        others=tuple(others),
        looked_up_to=search.price,
        battles=trials.count,
        notes=notes(battle.attacker, battle.defender),
    )


def purchases(units: Sequence[Unit], ipc: int) -> Iterator[dict[Unit, int]]:
    """Yield everything that can be bought of `units` for exactly `ipc` IPC."""
    if not units:
        if ipc == 0:
            yield {}
        return
    first, rest = units[0], units[1:]
    if not rest:
        if ipc % first.cost == 0:
            yield {first: ipc // first.cost} if ipc else {}
        return
    for count in range(ipc // first.cost, -1, -1):
        for more in purchases(rest, ipc - count * first.cost):
            yield ({first: count} if count else {}) | more


def _useful(battle: BattleRequest, side: Side, units: Sequence[Unit]) -> int | None:
    """Return the IPC above which nothing that is bought changes anything; None where more always may.

    Units that can't hit, lost last: as many as the enemy's guns are never gone before the rest.
    """
    if any(unit.score(side) > 0 for unit in units) or not isinstance(battle.losses(side), str):
        return None
    enemy: Muster = battle.muster(side.other)
    return max(unit.cost for unit in units) * max(1, enemy.guns)


class _Search:
    """A search in progress.

    `found`: what reaches the chance, best first. `nearest`: the best of what doesn't. `enough`: something that reaches
    it, perhaps not the cheapest. `price`: up to it, all that there is was looked at or can't reach it.
    """

    def __init__(self, trials: Trials, units: Sequence[Unit]) -> None:
        self.trials = trials
        self.units = sorted(units, key=lambda unit: unit.cost)
        self.found: list[Purchase] = []
        self.nearest: Purchase | None = None
        self.enough: Purchase | None = None
        self.price = 0
        self.limit = trials.most_seconds

    def look(self, useful: int | None) -> None:
        """Look at all purchases in rising order of price, until the wanted chance is reached and a little further."""
        if self.trials.more_never_hurts and useful is None:
            self._skip()
            self.limit += self.trials.most_seconds / 3  # the price is known; this is for the choice among what it buys
        while not self._done():
            if useful is not None and self.price >= useful:
                names = " and ".join(unit.stats.plural for unit in self.units)
                raise RuleError(f"{self._best_so_far()} More {names} change nothing: they never hit.")
            reached = list(self._at(self.price + 1))
            if self._out_of_time():
                return
            self.price += 1
            reached.sort(
                key=lambda purchase: (
                    -round(purchase.chance, _GRAIN),
                    sum(group.count for group in purchase.units.groups),
                )
            )
            for purchase in reached:
                if len(self.found) <= MOST_OTHERS and not any(_is_more(purchase, known) for known in self.found):
                    self.found.append(purchase)

    def _skip(self) -> None:
        """Find the last price up to which nothing reaches the chance, by doubling and halving.

        Whatever is cheaper can be filled up with the cheapest unit to come into a stretch of prices as long as that
        unit's: where nothing of a stretch reaches the chance, nothing below it does.
        """
        step = _FIRST_STEP
        while not self._reaches(self.price + step):
            self.price += step
            step *= 2
        while step > 1:
            step //= 2
            if not self._reaches(self.price + step):
                self.price += step

    def _reaches(self, price: int) -> bool:
        """Tell whether anything for `price` or less reaches the chance."""
        cheapest = min(unit.cost for unit in self.units)
        for below in range(min(cheapest, price)):
            purchase = next(self._at(price - below), None)
            if purchase is not None:
                self.enough = purchase
                return True
        self._out_of_time()
        return False

    def _done(self) -> bool:
        return bool(self.found) and (len(self.found) > MOST_OTHERS or self.price >= self.found[0].ipc + FURTHER)

    def _out_of_time(self) -> bool:
        """Tell whether the search has to end, with what was found; TooMuchError when that is nothing."""
        if self.trials.seconds <= self.limit:
            return False
        if not self.found:
            raise TooMuchError(f"{self._best_so_far()} The search ends there: to go on would take too long.")
        return True

    def _best_so_far(self) -> str:
        text = f"Nothing up to {self.price} IPC reaches {_percent(self.trials.wanted)}"
        if self.enough is not None:
            return f"{text}, while {_named(self.enough)} does; the cheapest is in between."
        if self.nearest is None or not self.nearest.units:
            return f"{text}, nor is anything found better than nothing."
        return f"{text}: the best found is {_percent(self.nearest.chance)} with {_named(self.nearest)}."

    def _at(self, price: int) -> Iterator[Purchase]:
        """Yield the purchases for exactly `price` that reach the wanted chance."""
        for bought in purchases(self.units, price):
            if self.trials.seconds > self.limit:
                return
            try:
                chance = self.trials.chance(bought)
            except TooMuchError:
                self.limit = 0.0  # nor would anything dearer fit
                return
            if chance is None:
                continue
            if chance < self.trials.wanted and self.nearest is not None and chance <= self.nearest.chance:
                continue
            army = Army.of({unit: bought[unit] for unit in Unit if unit in bought})
            purchase = Purchase(units=army, ipc=price, chance=min(1.0, chance))
            if chance >= self.trials.wanted:
                yield purchase
            else:
                self.nearest = purchase


def _named(purchase: Purchase) -> str:
    return f"{shown_army(purchase.units)} for {purchase.ipc} IPC"


def _percent(chance: float) -> str:
    return f"{100 * chance:.4f}".rstrip("0").rstrip(".") + " %"


def _is_more(purchase: Purchase, known: Purchase) -> bool:
    return all(purchase.units.count(group.unit) >= group.count for group in known.units.groups)
