"""The exact odds of a small battle in plain Python, for a browser that has none of the engines.

Every pair of armies is fought round by round as `battle.runner` does it, with all results of the dice at once.
Source: .docs/rules/axis_allies.md, "Before the first round", "Hits" and "End, winner, territory".
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise, product

from sim.axis_allies.casualties import LIFE_OF, CasualtyOrder
from sim.axis_allies.parse import parse_question, share_text
from sim.axis_allies.question import Question
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.unit_stats import DIE, HitGroup, Weapon, can_harm, defenceless, may_fall_on, strikers
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError, TooMuchError
from sim.core.numbers import amount, percent
from sim.core.values import Side

MAX_UNITS = 12
"""The most units of a side."""

MAX_PAIRS = 20_000
"""The most pairs of armies, which a browser fights in some seconds."""

LIKELY = 0.001
"""The least chance of an end that is told."""

Counts = tuple[int, ...]
Pair = tuple[Counts, Counts]
"""What is left of the attacker and of the defender, by the slots of their casualty orders."""

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
            chances = [fewer * hit + same * miss for fewer, same in pairwise([0.0, *chances, 0.0])]
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
        """Return the chance of each pair that may be left, and the mean number of rounds; TooMuchError.

        With a limit pairs are fought round by round; else those with most left first, and a round in which nobody hits
        is divided out.
        """
        limit, rounds = self.request.stop_after, 0.0
        finals: dict[Pair, float] = defaultdict(float)
        chances: dict[tuple[int, int, Pair], float] = defaultdict(float)
        for pair, chance in self._openings():
            chances[0, 0, pair] += chance
        waiting = sorted(chances)
        fought = set[Pair]()
        while waiting:
            number, _, pair = here = heapq.heappop(waiting)
            chance = chances.pop(here)
            if number == limit or self._is_over(pair, fresh=not number):
                finals[pair] += chance
                continue
            fought.add(pair)
            if len(fought) > MAX_PAIRS:
                raise TooMuchError("This battle takes too long for a browser.")
            after = self._round(pair) if number else self._first_round(pair)
            then = 1 if limit is None else number + 1
            visits = chance / (1 - after.pop(pair, 0.0)) if then == number else chance
            rounds += visits
            for left, share in after.items():
                there = then, -sum(map(sum, left)), left
                if there not in chances:
                    heapq.heappush(waiting, there)
                chances[there] += visits * share
        return finals, rounds

    # Before the first round

    def _openings(self) -> Iterator[tuple[Pair, float]]:
        """Yield what antiaircraft fire may leave, with its chance."""
        attacker, defender = (self.orders[side] for side in Side)
        volleys = attacker.volleys_of(int(self.request.defender.count(Unit.GUN)), defender)
        gun = Weapon(defender.arms.gun_hits)
        fires = [_thrown(((gun, dice),), low_luck=self.request.low_luck) for dice, _ in volleys]
        for chance, counts in attacker.shot_at(volleys, fires):
            yield self._settled((counts, defender.counts)), chance

    def _first_round(self, pair: Pair) -> dict[Pair, float]:
        """Return what the first round with its bombardment leaves."""
        weapons = self.orders[Side.ATTACKER].arms.weapons
        ships = tuple((weapons[unit], number) for unit, number in self.request.ships_for())
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

    def _round(self, pair: Pair, ships: _Dice = ()) -> dict[Pair, float]:
        """Return the chance of each pair that a round leaves; `ships`: dice that are thrown with the attacker's."""
        stats = {side: order.arms for side, order in self.orders.items()}
        own, kinds = dict(zip(Side, pair, strict=True)), self._left(pair)
        marked = stats[Side.ATTACKER].rules.marked_losses
        striking = strikers(kinds, stats)
        struck: dict[Side, Mapping[Counts, float]] = {side: {counts: 1.0} for side, counts in own.items()}
        for side in striking:
            struck[side.other] = self._fired_at(side.other, own[side.other], own[side], surprise=True)
        found: dict[Pair, float] = defaultdict(float)
        for (here, p), (there, q) in product(struck[Side.ATTACKER].items(), struck[Side.DEFENDER].items()):
            left = {Side.ATTACKER: here, Side.DEFENDER: there}
            fires = {side: own[side] if marked and Unit.DESTROYER in kinds[side] else left[side] for side in Side}
            by_defender = self._fired_at(Side.ATTACKER, here, fires[Side.DEFENDER], struck=Side.DEFENDER in striking)
            by_attacker = self._fired_at(
                Side.DEFENDER, there, fires[Side.ATTACKER], struck=Side.ATTACKER in striking, more=ships
            )
            for (attacker, r), (defender, s) in product(by_defender.items(), by_attacker.items()):
                found[attacker, defender] += p * q * r * s
        settled: dict[Pair, float] = defaultdict(float)
        for after_pair, chance in found.items():
            settled[self._settled(after_pair)] += chance
        return settled

    def _fired_at(
        self,
        side: Side,
        target: Counts,
        shooter: Counts,
        *,
        surprise: bool = False,
        struck: bool = False,
        more: _Dice = (),
    ) -> Mapping[Counts, float]:
        """Return the chance of each army of `side` that its enemy's fire leaves."""
        stats, counts = self.orders[side.other].arms, self._units(side.other, shooter)
        targets = self._units(side, target)
        dice: dict[HitGroup, list[tuple[Weapon, int]]] = {group: [] for group in HitGroup}
        for unit, weapon, number in stats.dice(counts, surprise=surprise, struck=struck):
            group = stats.group(unit, own_destroyer=Unit.DESTROYER in counts)
            adds_up = not surprise and all(may_fall_on(group, one) for one in targets)
            dice[HitGroup.REST if adds_up else group].append((weapon, number * weapon.dice))
        dice[HitGroup.REST] += more
        after: dict[Counts, float] = defaultdict(float)
        for hits, chance in _grouped(tuple(map(tuple, dice.values())), low_luck=self.request.low_luck).items():
            after[self._place(side, target, hits)] += chance
        return after

    @cached_property
    def _place(self) -> Callable[[Side, Counts, _Hits], Counts]:
        """What is left of a side after hits, each worked out once."""
        return cache(lambda side, counts, hits: self.orders[side].place(counts, *hits))

    def _units(self, side: Side, counts: Counts) -> dict[Unit, int]:
        kinds = self.orders[side].kinds_of(counts)
        return {slot: count for slot, count in kinds.items() if count and isinstance(slot, Unit)}

    def _left(self, pair: Pair) -> dict[Side, dict[Unit, int]]:
        return {side: self._units(side, counts) for side, counts in zip(Side, pair, strict=True)}

    # The end

    def _settled(self, pair: Pair) -> Pair:
        """Return what is left when units that are lost without dice have gone."""
        units, left = self._left(pair), []
        for (side, order), counts in zip(self.orders.items(), pair, strict=True):
            enemy = self.orders[side.other].arms
            gone = defenceless(units[side], order.arms, units[side.other], enemy)
            left.append(tuple(0 if slot in gone else count for slot, count in zip(order.slots, counts, strict=True)))
        return left[0], left[1]

    def _is_over(self, pair: Pair, *, fresh: bool) -> bool:
        """Return whether a side is gone, nobody can hit anything, or, unless the battle is `fresh`, it breaks off."""
        units = self._left(pair)
        if not any(can_harm(units[side], order.arms, units[side.other]) for side, order in self.orders.items()):
            return True
        size, enemies = (sum(own.values()) for own in units.values())
        when, order = self.request.withdrawal, self.orders[Side.ATTACKER]
        if fresh or enemies < (when.defenders_below or 0):
            return not fresh
        air, land = (sum(pair[0][at] for at in order.slots_in(kind)) for kind in (Category.AIR, Category.LAND))
        return bool(when.leaves(size, air, land, order.ipc - order.with_counts(pair[0]).ipc))

    def told(self, finals: Mapping[Pair, float]) -> tuple[dict[str, float], dict[Side, float]]:
        """Return the chances of who wins, and what each side loses in IPC on average."""
        shares = dict.fromkeys(("Attacker", "Defender", "Tie", "Nobody"), 0.0)
        lost = {side: float(order.ipc) for side, order in self.orders.items()}
        for pair, chance in finals.items():
            attacker, defender = self._left(pair).values()
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
            kinds = order.kinds_of(counts)
            words = []
            for unit, count in self._units(side, counts).items():
                damaged = count - kinds.get(LIFE_OF[unit], count) if LIFE_OF.get(unit) in order.slots else 0
                words.append(f"{count} {unit.named(str(count))}" + (f" ({damaged} damaged)" if damaged else ""))
            left += [f"{side} {', '.join(words)}"] if words else []
        return "; ".join(left) or "nobody left"


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
    likeliest = sorted(finals.items(), key=lambda each: -each[1])[:12]
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
