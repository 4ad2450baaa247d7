"""What to buy: the cheapest reinforcement, tried in rising order of price, and what each purchase does at a front."""

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from sim.axis_allies.advice_reports import Purchase, PurchaseReport, Result
from sim.axis_allies.army import Army, army_words
from sim.axis_allies.casualties import LIFE_OF, CasualtyOrder, Slot
from sim.axis_allies.editions import EDITIONS, Guns
from sim.axis_allies.odds import layout
from sim.axis_allies.odds.army_graph import Builders, build_chain, build_graph, is_plain
from sim.axis_allies.odds.dominance import Failures, Strength
from sim.axis_allies.odds.engine import lines, solve
from sim.axis_allies.odds.layout import IPC
from sim.axis_allies.odds.tables import MAX_HITS, BattleTables, LandTables
from sim.axis_allies.odds.terms import after_antiaircraft_fire
from sim.axis_allies.purchases import purchases_within
from sim.axis_allies.question import BattleRequest, Terms
from sim.axis_allies.unit_stats import stats_of
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError, TooMuchError
from sim.core.numbers import amount, probability
from sim.core.values import Side

MAX_OTHERS = 3
"""Maximum purchases reported besides the best one."""

EXTRA_IPC = 12
"""Range above the cheapest price in which other purchases are searched for."""

_FIRST_STEP = 16  # IPC, a power of two
_KEPT = 3  # armies that are kept: the enemy's, one's own, and what is left of it by antiaircraft fire
_SAME = 1e-12  # chances that differ by less are the same
_DECIMALS = 12  # of chances that decide which purchase is better

_ORDER = 30e-6  # seconds to put an army in order, measured
_ARMY = 50e-6  # seconds to tell its strength, measured
_COMPARISON = 20e-9  # seconds to compare it with an army that failed, measured
_BATTLE = 250e-6  # seconds to prepare a battle after antiaircraft fire, measured
_LAND_CELL = 0.07e-6  # seconds for a pair of armies, measured
_NUMBER = 8e-9  # seconds for a number in the tables of a side's hits, measured
_SEA_CELL = 10e-9  # seconds for a pair of armies and each unit of both sides that fires, measured
_SHOOTER_PAIR = 1.5e-9  # seconds for a pair of units that fire, measured


class _PurchaseOdds:
    """Chances to win of one side with different purchases, and nothing else about each battle.

    `seconds`: estimate of the time spent; `count`: battles calculated. `wanted`: the chance to reach. `max_seconds`:
    maximum estimate for a battle. An army that is not better than a failed one, with any number of hits to go, is not
    calculated.
    """

    def __init__(
        self, battle: BattleRequest, side: Side, buyable: Sequence[Unit], wanted: float, max_seconds: float
    ) -> None:
        self.side, self.wanted, self.max_seconds = side, wanted, max_seconds
        self.seconds = 0.0
        self.count = 0
        self.book = EDITIONS[battle.edition]
        self._battle, self._terms = battle, battle.terms()
        self._builders = Builders(lru_cache(_KEPT)(build_chain), lru_cache(_KEPT)(build_graph))
        self._own: dict[Slot, int] = battle.casualty_order(side).kinds
        self._arms = battle.stats(side)
        self._failures = Failures(self._arms, low_luck=battle.low_luck)
        everything = self._order_with(dict.fromkeys(buyable, 1))
        terms = self._terms_with(everything, 0)
        # One more plane may draw antiaircraft fire on a better one.
        planes = min(buyable, key=self.book.cost).category is Category.AIR
        risk = side is Side.ATTACKER and planes and terms.guns > 0
        self.more_never_hurts = is_plain(terms.attacker, terms.defender) and not risk

    def chance(self, bought: Mapping[Unit, int]) -> float | None:
        """Return the chance to win with a purchase, None if it is known to be below the wanted one."""
        order = self._order_with(bought)
        terms = self._terms_with(order, bought.get(Unit.GUN, 0))
        if max(terms.attacker.hits, terms.defender.hits) > MAX_HITS:
            raise TooMuchError("These armies are too large for exact odds.")
        self.seconds += _ORDER
        if not order.hits:
            return 0.0
        if not is_plain(terms.attacker, terms.defender):
            return self._fight(terms)
        strength = self._strength(terms)
        self.seconds += len(self._failures) * _COMPARISON
        if self._failures.dominate(strength):
            return None
        chance = self._fight(terms)
        if chance < self.wanted:
            self._failures.add(strength)
        return chance

    def _order_with(self, bought: Mapping[Unit, int]) -> CasualtyOrder:
        counts = dict(self._own)
        for unit, count in bought.items():
            counts[unit] = counts.get(unit, 0) + count
            if lives := self.book.lives(unit):
                counts[LIFE_OF[unit]] = counts.get(LIFE_OF[unit], 0) + count * lives
        losses = self._battle.casualties_of(self.side)
        return CasualtyOrder.of(counts, self._arms, losses, must_take=self._battle.must_take)

    def _terms_with(self, order: CasualtyOrder, guns: int) -> Terms:
        """Return the terms with an own army that has bought this many antiaircraft guns."""
        if self.side is Side.DEFENDER:
            return self._terms._replace(defender=order, guns=self._terms.guns + guns)
        if not self._battle.bombard:
            return self._terms._replace(attacker=order)
        landed = sum(order.counts[at] for at in order.slots_in(Category.LAND))
        return self._terms._replace(attacker=order, bombardment=self._battle.bombardment_for(landed))

    def _strength(self, terms: Terms) -> Strength:
        """Return the strength of the own army, by what antiaircraft fire may leave of it."""
        attacks = self.side is Side.ATTACKER
        orders = [order for _, order in after_antiaircraft_fire(terms)] if attacks else [terms.defender]
        own = self._builders.chain(*orders, low_luck=terms.low_luck)
        self.seconds += _ARMY * len(own.firsts)
        alike: Hashable = 0
        if terms.guns:
            _, slots, counts, _ = terms.attacker
            planes = {slots[at]: counts[at] for at in terms.attacker.slots_in(Category.AIR) if counts[at]}
            if self.side is Side.ATTACKER:
                alike = tuple(planes.items())
            elif self.book.rules.guns is Guns.UNIT:
                alike = self.book.rules.gun_dice(terms.guns, sum(planes.values()))
        takes = any(own.order.counts[at] for at in own.order.slots_in(Category.LAND))
        return self._failures.strength(own, alike, bombarding=len(terms.bombardment), takes=takes)

    def _fight(self, terms: Terms) -> float:
        """Return the chance to win a battle; TooMuchError if that may take too long."""
        self.count += 1
        total = 0.0
        for line in lines(terms, builders=self._builders, most_seconds=math.inf):
            tables = line.tables
            if isinstance(tables, LandTables):
                sides = tables.attacker, tables.defender
                volleys = sum(len(side.counts) * side.order.shooters for side in sides)
                seconds = tables.over.size * _LAND_CELL + volleys * _NUMBER
            else:
                seconds = tables.over.size * tables.shooters * _SEA_CELL + tables.shooters**2 * _SHOOTER_PAIR
            if _BATTLE + seconds > self.max_seconds:
                raise TooMuchError("These armies are too large for exact odds.")
            self.seconds += _BATTLE + seconds
            start = tables.first_round(line.start, terms.joining) if terms.joining else line.start
            pairs, _ = tables.fight(start)
            if self.side is Side.DEFENDER:
                total += pairs.sum_of(layout.DEFENDER)
            else:
                won = tables.attacker.won(pairs.codes, pairs.rows, must_take=self._battle.must_take)
                total += float(pairs.chances[won].sum())
        return probability(total)


def purchase_report(
    battle: BattleRequest, side: Side, wanted: float, units: Sequence[Unit], seconds: float
) -> PurchaseReport:
    """Return the cheapest purchase of `units` that reaches the wanted chance; `seconds`: limit of the search.

    All times are estimates, so that the same request always gets the same answer.
    """
    odds = _PurchaseOdds(battle, side, units, wanted - _SAME, seconds)
    search = _Search(odds, units)
    nothing = Purchase(units=Army(edition=battle.edition), ipc=0, chance=odds.chance({}) or 0.0)
    if nothing.chance >= odds.wanted:
        search.found.append(nothing)
    else:
        search.nearest = nothing
        search.run(_max_useful(battle, side, units))
    best, *others = search.found
    return PurchaseReport(
        **battle.subject,
        side=side,
        wanted=wanted,
        chance_before=nothing.chance,
        best=best,
        others=tuple(others),
        looked_up_to=search.price,
        battles=odds.count,
    )


def _max_useful(battle: BattleRequest, side: Side, units: Sequence[Unit]) -> int | None:
    """Return the IPC above which more units change nothing; None if more may always help.

    Transports that are lost last: with one per enemy unit that fires, they are never gone before the rest.
    """
    book = EDITIONS[battle.edition]
    arms = stats_of(battle.edition, side)
    last = all(unit is Unit.TRANSPORT and not arms.score(unit) for unit in units) and book.rules.transports_last
    if not last or not isinstance(battle.casualties_of(side), str):
        return None
    return book.cost(Unit.TRANSPORT) * max(1, battle.casualty_order(side.other).shooters)


class _Search:
    """A search.

    `found`: purchases that reach the chance, best first. `nearest`: the best that doesn't. `enough`: one that reaches
    it, perhaps not the cheapest. `price`: up to it, every purchase was checked or can't reach the chance.
    """

    def __init__(self, odds: _PurchaseOdds, units: Sequence[Unit]) -> None:
        self.odds = odds
        self.prices = sorted(((unit, odds.book.cost(unit)) for unit in units), key=lambda price: price[1])
        self.found: list[Purchase] = []
        self.nearest: Purchase | None = None
        self.enough: Purchase | None = None
        self.price = 0
        self.limit = odds.max_seconds

    def run(self, useful: int | None) -> None:
        """Try all purchases in rising order of price, until a little after the wanted chance is reached."""
        if self.odds.more_never_hurts and useful is None:
            self._skip()
            self.limit += self.odds.max_seconds / 3  # the price is known; this is for the best purchase at that price
        while len(self.found) <= MAX_OTHERS and not (self.found and self.price >= self.found[0].ipc + EXTRA_IPC):
            if useful is not None and self.price >= useful:
                names = " and ".join(unit.plural for unit, _ in self.prices)
                raise RuleError(f"{self._best_so_far()} More {names} won't help: they never hit.")
            reached = list(self._at(self.price + 1))
            if self._out_of_time():
                return
            self.price += 1
            reached.sort(key=lambda purchase: (-round(purchase.chance, _DECIMALS), purchase.units.size()))
            for purchase in reached:
                contained = any(
                    all(purchase.units.count(group.unit) >= group.count for group in known.units.groups)
                    for known in self.found
                )
                if len(self.found) <= MAX_OTHERS and not contained:
                    self.found.append(purchase)

    def _skip(self) -> None:
        """Find the last price up to which nothing reaches the chance, by doubling and bisection.

        A cheaper purchase plus some of the cheapest unit falls into any range of prices as wide as that unit's price:
        if nothing in such a range reaches the chance, nothing below it does.
        """
        step = _FIRST_STEP
        while not self._reaches(self.price + step):
            step *= 2
        # What is asked for is left in `self.price`.
        bisect_left(range(self.price + 1, self.price + step), x=True, key=self._reaches)

    def _reaches(self, price: int) -> bool:
        """Return whether any purchase for `price` or less reaches the chance; if none does, it is `self.price` now."""
        for below in range(min(self.prices[0][1], price)):
            if (purchase := next(self._at(price - below), None)) is not None:
                self.enough = purchase
                return True
        self._out_of_time()
        self.price = price
        return False

    def _out_of_time(self) -> bool:
        """Return whether the time is up; TooMuchError if nothing was found."""
        if self.odds.seconds <= self.limit:
            return False
        if not self.found:
            raise TooMuchError(f"{self._best_so_far()} Searching further would take too long.")
        return True

    def _best_so_far(self) -> str:
        price = f"up to {self.price:,} IPC" if self.price else "tried so far"
        text = f"Nothing {price} reaches {amount(100 * self.odds.wanted, 4)}%"
        if self.enough is not None:
            return f"{text}; {_purchase_text(self.enough)} does. The cheapest is in between."
        if self.nearest is None or not self.nearest.units:
            return f"{text}, and nothing tried so far helps."
        return f"{text}: the best found is {amount(100 * self.nearest.chance, 4)}% with {_purchase_text(self.nearest)}."

    def _at(self, price: int) -> Iterator[Purchase]:
        """Yield the purchases for exactly `price` that reach the chance."""
        for bought in purchases_within(self.prices, price, price):
            if self.odds.seconds > self.limit:
                return
            try:
                chance = self.odds.chance(bought)
            except TooMuchError:
                self.limit = 0.0  # nothing more expensive is feasible
                return
            if chance is None:
                continue
            if chance < self.odds.wanted and self.nearest is not None and chance <= self.nearest.chance:
                continue
            army = Army.of({unit: bought[unit] for unit in Unit if unit in bought}, self.odds.book.name)
            purchase = Purchase(units=army, ipc=price, chance=chance)
            if chance >= self.odds.wanted:
                yield purchase
            else:
                self.nearest = purchase


def _purchase_text(purchase: Purchase) -> str:
    return f"{army_words(purchase.units)} for {purchase.ipc:,} IPC"


def results(front: BattleRequest, armies: Sequence[Army], *, by_land: bool) -> list[Result]:
    """Return what becomes of each attack on a front; TooMuchError for too large armies.

    `by_land`: it is taken by a land unit that is left; at sea it takes none.
    """
    most = {unit: max((int(army.count(unit)) for army in armies), default=0) for unit in Unit}
    terms = front.model_copy(update={"attacker": Army.of(most, front.edition)}).terms()
    # All attackers lose their units in one order, and nothing happens but rounds of fighting.
    opening = terms.guns or terms.bombardment or terms.attacker.exposed or terms.defender.exposed
    ends = terms.stop_after is not None or terms.withdrawal.possible or front.must_take
    if armies and is_plain(terms.attacker, terms.defender) and not (opening or ends):
        return list(_together(terms, armies, by_land=by_land))
    found = []
    for army in armies:
        solution = solve(front.model_copy(update={"attacker": army}).terms(), course=False)
        (here, there), (rows, columns, chances, _) = solution.sides, solution.ends
        own_lost = here.order.ipc - float(here.totals[IPC][rows] @ chances)
        enemy_lost = there.order.ipc - float(there.totals[IPC][columns] @ chances)
        found.append(Result(probability(solution.p_won(must_take=by_land)), own_lost, enemy_lost))
    return found


def _together(terms: Terms, armies: Sequence[Army], *, by_land: bool) -> Iterator[Result]:
    order, defender = terms.attacker, terms.defender
    builders = Builders(lru_cache(1)(build_chain), build_graph)
    room = LandTables.room(order, defender)
    for at in range(0, len(armies), room):
        orders = [order.with_counts(order.placed(army)) for army in armies[at : at + room]]
        tables = BattleTables.of(terms, orders, builders)
        firsts = tables.attacker.firsts
        ends, _ = tables.fight(tables.pairs(firsts, np.zeros_like(firsts), np.ones(len(firsts))))
        which = np.searchsorted(firsts, ends.rows, side="right") - 1
        weights = (
            tables.attacker.won(ends.codes, ends.rows, must_take=by_land),
            tables.attacker.totals[IPC][ends.rows],
            tables.defender.totals[IPC][ends.columns],
        )
        means = (np.bincount(which, ends.chances * each, len(orders)).tolist() for each in weights)
        for attacker, takes, own_left, enemy_left in zip(orders, *means, strict=True):
            yield Result(probability(takes), attacker.ipc - own_left, defender.ipc - enemy_left)
