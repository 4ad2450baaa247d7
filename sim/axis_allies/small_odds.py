"""The exact odds of a small battle in plain Python, for a browser that has none of the engines.

Every pair of armies is fought round by round as `battle.runner` does it, with all results of the dice at once.
Source: .docs/rules/axis_allies.md, "Before the first round", "Hits" and "End, winner, territory".
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

from sim.axis_allies.casualties import LIFE_OF, CasualtyOrder, unit_of
from sim.axis_allies.parse import parse_question, share_text
from sim.axis_allies.question import Question
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.unit_stats import DIE, HitGroup, Weapon, firing, may_fall_on, strikers
from sim.axis_allies.units import Category, Unit
from sim.core.errors import RuleError, TooMuchError
from sim.core.numbers import amount, percent
from sim.core.values import Side

MAX_UNITS = 12
"""The most units of a side."""

MAX_PAIRS = 20_000
"""The most pairs of armies, which a browser fights in some seconds."""

MAX_ENDS = 12
"""How many of the likeliest ends are told."""

LIKELY = 0.001
"""The least chance of an end that is told."""

Counts = tuple[int, ...]
Pair = tuple[Counts, Counts]
"""What is left of the attacker and of the defender, by the slots of their casualty orders."""

Chances = Mapping[Pair, float]
_Hits = tuple[int, int, int]
_Dice = tuple[tuple[Weapon, int], ...]


def _thrown(dice: _Dice, *, low_luck: bool) -> list[float]:
    """Return the chance of each number of hits of dice that are thrown together."""
    if low_luck:
        sure, rest = divmod(sum(weapon.value * number for weapon, number in dice), DIE)
        return [0.0] * sure + [1 - rest / DIE, rest / DIE]
    chances = [1.0]
    for weapon, number in dice:
        for _ in range(number):
            hit, miss = weapon.chance, 1 - weapon.chance
            chances = [
                (chances[hits] * miss if hits < len(chances) else 0.0) + (chances[hits - 1] * hit if hits else 0.0)
                for hits in range(len(chances) + 1)
            ]
    return chances


@dataclass(frozen=True)
class SmallBattle:
    """A battle of few units; `request` says all of it."""

    request: OddsRequest

    @cached_property
    def orders(self) -> dict[Side, CasualtyOrder]:
        """Both sides in casualty order."""
        return {side: self.request.casualty_order(side) for side in Side}

    def fight(self) -> tuple[dict[Pair, float], float]:
        """Return the chance of each pair that may be left, and the mean number of rounds; TooMuchError."""
        limit, rounds = self.request.stop_after, 0.0
        chances: dict[Pair, float] = defaultdict(float)
        for pair, chance in self._openings():
            if self._is_over(pair, fresh=True):
                chances[pair] += chance
                continue
            rounds += chance
            for after, then in self._first_round(pair).items():
                chances[after] += chance * then
        if limit is None:
            return self._to_the_end(chances, rounds)
        for _ in range(limit - 1):
            going = [(pair, chance) for pair, chance in chances.items() if not self._is_over(pair)]
            for pair, chance in going:
                rounds += chance
                chances[pair] -= chance
                for after, then in self._round(pair).items():
                    chances[after] += chance * then
        return dict(chances), rounds

    def _to_the_end(self, chances: dict[Pair, float], rounds: float) -> tuple[dict[Pair, float], float]:
        """Fight all pairs, those with most left first; a round in which nobody hits is divided out."""
        waiting = [(-sum(map(sum, pair)), pair) for pair in chances]
        heapq.heapify(waiting)
        finals: dict[Pair, float] = {}
        fought = 0
        while waiting:
            _, pair = heapq.heappop(waiting)
            chance = chances.pop(pair)
            if self._is_over(pair):
                finals[pair] = chance
                continue
            fought += 1
            if fought > MAX_PAIRS:
                raise TooMuchError("This battle takes too long for a browser.")
            after = self._round(pair)
            visits = chance / (1 - after.get(pair, 0.0))
            rounds += visits
            for then, share in after.items():
                if then != pair:
                    if then not in chances:
                        heapq.heappush(waiting, (-sum(map(sum, then)), then))
                        chances[then] = 0.0
                    chances[then] += visits * share
        return finals, rounds

    # Before the first round

    def _openings(self) -> Iterator[tuple[Pair, float]]:
        """Yield what antiaircraft fire may leave, with its chance."""
        attacker, defender = (self.orders[side] for side in Side)
        sky = [at for at, slot in enumerate(attacker.slots) if unit_of(slot).category is Category.AIR]
        guns, rules = int(self.request.defender.count(Unit.GUN)), defender.arms.rules
        volleys = [(rules.gun_dice(guns, sum(attacker.counts[at] for at in sky)), sky)] if guns else []
        if guns and rules.planes_by_type:
            volleys = [(attacker.counts[at], [at]) for at in sky]
        gun = Weapon(defender.arms.gun_hits)
        fires = [list(enumerate(_thrown(((gun, dice),), low_luck=self.request.low_luck))) for dice, _ in volleys]
        for shots in product(*fires):
            counts, chance = list(attacker.counts), 1.0
            for (_, slots), (hits, share) in zip(volleys, shots, strict=True):
                due, chance = hits, chance * share
                for at in slots:
                    taken = min(due, counts[at])
                    counts[at], due = counts[at] - taken, due - taken
            if chance:
                yield self._settled((tuple(counts), defender.counts)), chance

    def _first_round(self, pair: Pair) -> Chances:
        """Return what the first round with its bombardment leaves."""
        weapons = self.orders[Side.ATTACKER].arms.weapons
        ships = tuple((weapons[unit], number) for unit, number in self.request.ships) if self.request.bombard else ()
        if not ships or self.orders[Side.ATTACKER].arms.rules.bombarded_fire_back:
            return self._round(pair, ships)
        after: dict[Pair, float] = defaultdict(float)
        for hits, chance in enumerate(_thrown(ships, low_luck=self.request.low_luck)):
            left = pair[0], self.orders[Side.DEFENDER].place(pair[1], 0, 0, hits)
            fought = self._round(left) if any(left[1]) else {left: 1.0}
            for then, share in fought.items():
                after[then] += chance * share
        return after

    # A round

    def _round(self, pair: Pair, ships: _Dice = ()) -> Chances:
        """Return the chance of each pair that a round leaves; `ships`: dice that are thrown with the attacker's."""
        stats = {side: order.arms for side, order in self.orders.items()}
        own = dict(zip(Side, pair, strict=True))
        kinds = {side: self._units(side, own[side]) for side in Side}
        marked = stats[Side.ATTACKER].rules.marked_losses
        striking = strikers(kinds, stats)
        struck: dict[Side, dict[Counts, float]] = {}
        for side in Side:
            after: dict[Counts, float] = defaultdict(float)
            enemy = side.other
            fire: Mapping[_Hits, float] = {(0, 0, 0): 1.0}
            if enemy in striking:
                fire = self._fire(enemy, own[enemy], own[side], surprise=True, struck=False)
            for thrown, chance in fire.items():
                after[self._placed(side, own[side], thrown)] += chance
            struck[side] = after
        found: dict[Pair, float] = defaultdict(float)
        for (here, p), (there, q) in product(struck[Side.ATTACKER].items(), struck[Side.DEFENDER].items()):
            left = {Side.ATTACKER: here, Side.DEFENDER: there}
            lost: dict[Side, dict[Counts, float]] = {}
            for side in Side:
                enemy = side.other
                fires_on = marked and Unit.DESTROYER in kinds[enemy]
                shooter = own[enemy] if fires_on else left[enemy]
                more = ships if enemy is Side.ATTACKER else ()
                fire = self._fire(enemy, shooter, left[side], surprise=False, struck=enemy in striking, more=more)
                after = defaultdict(float)
                for thrown, chance in fire.items():
                    after[self._placed(side, left[side], thrown)] += chance
                lost[side] = after
            for (attacker, r), (defender, s) in product(lost[Side.ATTACKER].items(), lost[Side.DEFENDER].items()):
                found[attacker, defender] += p * q * r * s
        settled: dict[Pair, float] = defaultdict(float)
        for after_pair, chance in found.items():
            settled[self._settled(after_pair)] += chance
        return settled

    def _fire(
        self, side: Side, shooter: Counts, target: Counts, *, surprise: bool, struck: bool, more: _Dice = ()
    ) -> Mapping[_Hits, float]:
        """Return the chance of each number of hits, by hit group, of a side's fire."""
        stats, counts = self.orders[side].arms, self._units(side, shooter)
        units = list(firing(counts, stats, surprise=surprise, struck=struck))
        enemies = self._units(side.other, target)

        def group_of(unit: Unit) -> HitGroup:
            group = stats.group(unit)
            if group is HitGroup.AIR and Unit.DESTROYER in counts:
                return HitGroup.REST
            adds_up = not surprise and all(may_fall_on(group, enemy) for enemy in enemies)
            return HitGroup.REST if adds_up else group

        dice: dict[HitGroup, list[tuple[Weapon, int]]] = {group: [] for group in HitGroup}
        for unit, weapon, number in stats.lifted({unit: counts[unit] for unit in units}):
            dice[group_of(unit)].append((weapon, number * weapon.dice))
        dice[HitGroup.REST] += more
        return _grouped(tuple(tuple(dice[group]) for group in HitGroup), low_luck=self.request.low_luck)

    def _placed(self, side: Side, counts: Counts, hits: _Hits) -> Counts:
        key = side, counts, hits
        if key not in self._places:
            self._places[key] = self.orders[side].place(counts, *hits)
        return self._places[key]

    @cached_property
    def _places(self) -> dict[tuple[Side, Counts, _Hits], Counts]:
        return {}

    def _units(self, side: Side, counts: Counts) -> dict[Unit, int]:
        found: dict[Unit, int] = {}
        for slot, count in zip(self.orders[side].slots, counts, strict=True):
            if count and isinstance(slot, Unit):
                found[slot] = found.get(slot, 0) + count
        return found

    # The end

    def _settled(self, pair: Pair) -> Pair:
        """Return what is left when units that are lost without dice have gone."""
        units = {side: self._units(side, counts) for side, counts in zip(Side, pair, strict=True)}
        left = []
        for side, whole in zip(Side, pair, strict=True):
            counts = whole
            order, enemy = self.orders[side], units[side.other]
            defenceless = set(order.arms.rules.defenceless)
            flown = side is Side.DEFENDER and bool(enemy) and all(one.category is Category.AIR for one in enemy)
            others = units[side].keys() - defenceless - ({Unit.SUBMARINE} if flown else set())
            exposed = units[side].keys() & defenceless
            if not others and exposed and self._can_harm(side.other, enemy, exposed):
                counts = tuple(0 if slot in defenceless else n for slot, n in zip(order.slots, counts, strict=True))
            left.append(counts)
        return left[0], left[1]

    def _can_harm(self, side: Side, own: Mapping[Unit, int], enemy: Iterable[Unit]) -> bool:
        stats, destroyer = self.orders[side].arms, Unit.DESTROYER in own
        armed = list(firing(own, stats, surprise=False, struck=False))
        return any(stats.can_hit(unit, foe, own_destroyer=destroyer) for unit in armed for foe in enemy)

    def _is_over(self, pair: Pair, *, fresh: bool = False) -> bool:
        """Return whether a side is gone, nobody can hit anything, or, unless the battle is `fresh`, it breaks off."""
        attacker, defender = (self._units(side, counts) for side, counts in zip(Side, pair, strict=True))
        harm = self._can_harm(Side.ATTACKER, attacker, defender) or self._can_harm(Side.DEFENDER, defender, attacker)
        return not harm or (not fresh and self._leaves(attacker, defender))

    def told(self, finals: Chances) -> tuple[dict[str, float], dict[Side, float]]:
        """Return the chances of who wins, and what each side loses in IPC on average."""
        shares = dict.fromkeys(("Attacker", "Defender", "Tie", "Nobody"), 0.0)
        lost = {side: float(order.ipc) for side, order in self.orders.items()}
        for pair, chance in finals.items():
            attacker, defender = (self._units(side, counts) for side, counts in zip(Side, pair, strict=True))
            takes = not self.request.must_take or any(unit.category is Category.LAND for unit in attacker)
            name = "Attacker" if attacker and not defender and takes else "Defender" if not attacker else "Nobody"
            shares["Tie" if not (attacker or defender) else name] += chance
            for (side, order), counts in zip(self.orders.items(), pair, strict=True):
                lost[side] -= chance * order.with_counts(counts).ipc
        return shares, lost

    def left_text(self, pair: Pair) -> str:
        """Return what is left in words, such as "2 tanks" or "nobody left"."""
        left = []
        for (side, order), counts in zip(self.orders.items(), pair, strict=True):
            kinds = order.with_counts(counts).kinds
            words = []
            for unit, count in self._units(side, counts).items():
                damaged = count - kinds.get(LIFE_OF[unit], count) if LIFE_OF.get(unit) in order.slots else 0
                words.append(f"{count} {unit.named(str(count))}" + (f" ({damaged} damaged)" if damaged else ""))
            left += [f"{side} {', '.join(words)}"] if words else []
        return "; ".join(left) or "nobody left"

    def _leaves(self, attacker: Mapping[Unit, int], defender: Mapping[Unit, int]) -> bool:
        when, book = self.request.withdrawal, self.request.attacker.book
        size = sum(attacker.values())
        kinds = {category: sum(n for unit, n in attacker.items() if unit.category is category) for category in Category}
        lost = self.orders[Side.ATTACKER].ipc - sum(book.cost(unit) * n for unit, n in attacker.items())
        return (
            size < (when.below or 0)
            or (when.ipc_lost is not None and lost > when.ipc_lost)
            or (when.only_air and kinds[Category.AIR] == size)
            or (when.last_land and kinds[Category.LAND] <= 1)
            or sum(defender.values()) < (when.defenders_below or 0)
        )


@lru_cache(maxsize=4096)
def _grouped(dice: tuple[_Dice, ...], *, low_luck: bool) -> Mapping[_Hits, float]:
    """Return the chance of each number of hits of three groups of dice."""
    thrown = [[(hits, p) for hits, p in enumerate(_thrown(each, low_luck=low_luck)) if p] for each in dice]
    return {(s, a, r): p * q * o for (s, p), (a, q), (r, o) in product(*thrown)}


def expect_small(question: Question) -> None:
    """Raise RuleError, one sentence, for a question that is too large or too much for `small_answer`."""
    why = None
    if not question.one_battle:
        why = "waves and counterattacks are"
    elif {question.attacker_casualties, question.defender_casualties} & {"smart", "thrifty"}:
        why = "the search for the best losses is"
    elif any(army.size() > MAX_UNITS for army in question.armies.values()):
        why = f"more than {MAX_UNITS} units a side are"
    if why is not None:
        raise RuleError(f"This page answers small battles, and {why} too much for it. {_command(question)}")


def small_answer(text: str) -> list[str]:
    """Answer a battle's share text in lines; RuleError with what to do about one that can't be answered here."""
    question = parse_question(text)
    expect_small(question)
    battle = SmallBattle(OddsRequest(**question.fields))
    try:
        finals, rounds = battle.fight()
    except TooMuchError:
        raise RuleError(f"This battle takes too long for a browser. {_command(question)}") from None
    shares, lost = battle.told(finals)
    likeliest = sorted(finals.items(), key=lambda each: -each[1])[:MAX_ENDS]
    return [
        share_text(question),
        " · ".join(f"{name} {percent(chance)}" for name, chance in shares.items() if chance),
        f"{amount(round(rounds, 1))} rounds on average",
        " · ".join(f"{side.capitalize()} loses {amount(round(ipc, 1))} IPC" for side, ipc in lost.items()),
        "Likeliest ends:",
        *(f"{percent(chance)}: {battle.left_text(pair)}" for pair, chance in likeliest if chance >= LIKELY),
        _command(question),
    ]


def _command(question: Question) -> str:
    return f"In Discord: /aacalc battle:{share_text(question)}"
