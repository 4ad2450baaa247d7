"""What to buy for several fronts at once: the purchase and its split between them that are worth most, exactly.

A front is a battle of its own. What it is worth with every purchase that the budget allows, and with every choice of
the planes that reach it, is calculated once; the split is then a knapsack over IPC and planes. Source:
.docs/rules/axis_allies.md, "The war room". Fronts, planes and units to buy are read from texts; the card has what goes
where, and how often each territory is taken.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from heapq import nlargest
from itertools import product
from math import prod
from operator import attrgetter
from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.axis_allies.army import Army, army_words
from sim.axis_allies.cards import Choice, ChoicesCard
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.parse import named_edition, parse_army, parse_question, without_edition
from sim.axis_allies.purchases import SHOWN, Option, best_plans, purchases_within, ranges, ways_by_price
from sim.axis_allies.question import BattleRequest, Question
from sim.axis_allies.units import Category, Unit
from sim.core import RuleError, TextError, TooMuchError, flaw
from sim.core.numbers import percent, quantity
from sim.core.values import Frozen, Probability, Request

MAX_FRONTS = 8
MAX_BUDGET = 1_000
MAX_PLANES = 12
"""Of one type that reach several fronts."""

MAX_SECONDS = 30.0
"""Maximum estimate for all battles of a question."""

_PART, _LONGEST = 0.8, 4.0  # seconds of a part, and of a single battle that is one, estimated


Value = Annotated[float, Field(ge=0, le=1_000_000)]
Budget = Annotated[int, Field(ge=0, le=MAX_BUDGET)]
PlaneCount = Annotated[int, Field(ge=1, le=MAX_PLANES)]


class Aim(StrEnum):
    """What a plan is worth: the territories alone, or with the IPC that both sides lose."""

    TERRITORY = "territory"
    SWING = "swing"


class Front(BattleRequest):
    """A battle as it stands, and what its territory is worth in IPC; the attacker may have nothing there yet."""

    value: Value = 0

    @property
    def categories(self) -> set[Category]:
        """What can fight here besides planes."""
        naval = any(army.has(Category.NAVAL) for army in self.armies.values())
        return {Category.AIR, Category.NAVAL if naval else Category.LAND}

    @property
    def at_sea(self) -> bool:
        """Whether there is nothing to take, so that winning counts as taking."""
        return Category.NAVAL in self.categories and not self.defender.has(Category.LAND)

    @classmethod
    def of(cls, question: Question, attacker: Army, value: float) -> Self:
        """Return the front of a battle, with losses by score unless it says otherwise; RuleError for waves."""
        if not question.one_battle:
            raise RuleError("One attacker meets the defender at a front: leave out waves and a counterattack.")
        return cls(**question.fields | {"attacker": attacker, "value": value, "casualties": "score"})


class Planes(Frozen):
    """Planes of one type that may fly to any of some fronts, each to one of them or to none."""

    unit: Unit
    count: PlaneCount
    fronts: Annotated[tuple[int, ...], Field(min_length=1)]


class FrontPlan(Frozen):
    """What a plan does at a front. `gain`: the worth that the purchase and the planes add to it."""

    front: int
    attacks: bool
    units: Army
    planes: Army
    ipc: int
    p_takes: Probability
    worth: float
    gain: float

    def words(self) -> str:
        """Return what it does, for players: "2 infantry and 1 fighter"; "nothing new"."""
        sent = [army_words(army) for army in (self.units, self.planes) if army]
        return " and ".join(sent) or ("nothing new" if self.attacks else "no attack")


class SpendPlan(Frozen):
    """A purchase and its split; `worth` in IPC."""

    worth: float
    ipc: int
    purchases: tuple[FrontPlan, ...]

    def bought(self) -> Army:
        """Return everything that is bought."""
        return sum((each.units for each in self.purchases), Army(edition=self.purchases[0].units.edition))

    def words(self) -> str:
        """Return what is bought and what it is worth, for players: "2 infantry for 6 IPC, worth 4.2"."""
        return f"{army_words(self.bought()) or 'nothing'} for {self.ipc:,} IPC, worth {self.worth:,.2f}"


class SpendReport(Frozen):
    """The best plan and the next ones. `fronts`: as they were asked about; `battles`: how many were calculated."""

    aim: Aim
    budget: int
    fronts: tuple[Front, ...]
    best: SpendPlan
    others: tuple[SpendPlan, ...]
    battles: int


@dataclass(frozen=True, slots=True)
class FrontRequest:
    """A part: what a front is worth with some purchases, from `least` to `most` IPC, and with some choice of planes.

    `number`: of the front, from 0; `sent`: the planes of each group, all in `planes`.
    """

    number: int
    front: Front
    aim: Aim
    prices: tuple[tuple[Unit, int], ...]
    least: int
    most: int
    sent: tuple[int, ...]
    planes: Army

    def cost(self) -> float:
        """Return an estimate in seconds."""
        return 0.02 + sum(ways_by_price(self.prices, self.most)[self.least :]) * seconds_of(self.front)

    def run(self) -> tuple[Option, ...]:
        """Return the attacks that are worth most for each IPC, `SHOWN` at most; TooMuchError that names the front."""
        from sim.axis_allies.odds.purchase import results  # noqa: PLC0415

        before, edition = self.front.attacker + self.planes, self.front.edition
        attacks = [
            (each, attacker)
            for each in reversed(list(purchases_within(self.prices, self.most, self.least)))
            if (attacker := before + Army.of(each, edition))
        ]
        try:
            found = results(self.front, [attacker for _, attacker in attacks], by_land=not self.front.at_sea)
        except TooMuchError as error:
            raise TooMuchError(f"Front {self.number + 1}: {error} Leave it out.") from None
        kept: dict[int, list[Option]] = {}
        for (bought, _), result in zip(attacks, found, strict=True):
            worth = self.front.value * result.p_takes
            if self.aim is Aim.SWING:
                worth += result.enemy_lost - result.own_lost
            ipc = sum(bought.get(unit, 0) * price for unit, price in self.prices)
            option = Option(ipc, self.sent, bought, result.p_takes, worth, attacks=True)
            kept.setdefault(ipc, []).append(option)
        return tuple(best for same in kept.values() for best in nlargest(SHOWN, same, key=attrgetter("worth")))


def seconds_of(front: Front) -> float:
    """Return an estimate for one battle of a front."""
    return 80e-6 + front.estimate_seconds(front.stop_after or 0)  # 80 µs for a small one, measured


class SpendRequest(Request):
    """The purchase for up to `budget` IPC, and its split between the fronts, that are worth most by `aim`.

    `units`: what may be bought; `planes`: those that are there already and reach several fronts. RuleError for what
    can't be bought or reached, TooMuchError, with what to leave out, where there are too many battles.
    """

    budget: Budget
    fronts: Annotated[tuple[Front, ...], Field(min_length=1, max_length=MAX_FRONTS)]
    units: tuple[Unit, ...] = ()
    planes: tuple[Planes, ...] = ()
    aim: Aim = Aim.TERRITORY

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        book = EDITIONS[self.edition]
        if len({front.edition for front in self.fronts}) > 1:
            raise RuleError("All fronts must be from the same edition.")
        for unit in (*self.units, *(planes.unit for planes in self.planes)):
            if unit not in book.units:
                raise RuleError(f"{book.title} has no {unit.plural}.")
        if Unit.GUN in self.units:
            raise RuleError("Antiaircraft guns never attack: leave them out.")
        for planes in self.planes:
            if planes.unit.category is not Category.AIR:
                raise RuleError(f"Only planes reach several fronts; {planes.unit.plural} stand at one: add them to it.")
            if not set(planes.fronts) <= set(range(len(self.fronts))):
                raise RuleError(f"There are fronts 1 to {len(self.fronts)}; the {planes.unit.plural} reach others.")
        for number, front in enumerate(self.fronts):
            self._check_front(number, front)
        return self

    def _check_front(self, number: int, front: Front) -> None:
        more = {unit: 1 for unit, _ in self._prices(front)} | {planes.unit: 1 for planes in self._reaching(number)}
        most = front.model_copy(update={"attacker": front.attacker + Army.of(more, self.edition)})
        wrong: str | None
        if front.searched:
            wrong = "choose score, lives-first or an order of your own for the losses."
        elif not most.attacker:
            wrong = "nobody attacks, and nothing you can buy fights there."
        else:
            wrong = flaw(most.check)
        if wrong is not None:
            raise RuleError(f"Front {number + 1}: {wrong}")

    @property
    def edition(self) -> str:
        """The edition of all fronts."""
        return self.fronts[0].edition

    @property
    def buyable(self) -> tuple[Unit, ...]:
        """What may be bought; by default the edition's land units that attack."""
        units = self.units or (unit for unit in EDITIONS[self.edition].units if unit.category is Category.LAND)
        return tuple(dict.fromkeys(unit for unit in units if unit is not Unit.GUN))

    def _reaching(self, front: int) -> list[Planes]:
        return [planes for planes in self.planes if front in planes.fronts]

    def _prices(self, front: Front) -> tuple[tuple[Unit, int], ...]:
        """Return the units to buy that can fight at a front, with their prices."""
        book, kinds = EDITIONS[self.edition], front.categories
        return tuple((unit, book.cost(unit)) for unit in self.buyable if unit.category in kinds)

    @property
    def battles(self) -> int:
        """How many battles there are to calculate."""
        return sum(count for count, _ in self._sizes())

    def _sizes(self) -> Iterator[tuple[int, float]]:
        """Yield how many battles each front has, and the seconds of one."""
        for number, front in enumerate(self.fronts):
            ways = sum(ways_by_price(self._prices(front), self.budget))
            yield prod(each.count + 1 for each in self._reaching(number)) * ways, seconds_of(front)

    def cost(self) -> float:
        """Return an estimate in seconds; TooMuchError, with what to leave out, for too large or too many battles."""
        for number, front in enumerate(self.fronts, 1):
            if seconds_of(front) > _LONGEST:
                raise TooMuchError(f"Front {number}: these armies are too large. Leave it out.")
        before = (self.budget + 1) * prod(each.count + 1 for each in self.planes)
        here = sum(prod(each.count + 1 for each in self._reaching(at)) for at in range(len(self.fronts)))
        split = 0.4e-6 * before * here * (self.budget + 1) / 2  # 0.4 µs for a step of the knapsack, measured
        seconds = 0.1 + split + sum(count * each for count, each in self._sizes())
        if seconds <= MAX_SECONDS:
            return seconds
        what = f"That is too much: {quantity(self.battles, 'battle')} would have to be calculated."
        if self.planes:
            raise TooMuchError(f"{what} Leave out planes that reach several fronts.")
        fewer = ["Leave out fronts", "spend less"] if len(self.fronts) > 1 else ["Spend less"]
        if len(self.buyable) > 1:
            fewer[1:] = [f"buy no {max(self.buyable, key=EDITIONS[self.edition].cost).plural}"]
        raise TooMuchError(f"{what} {', or '.join(fewer)}.")

    def parts(self, partial: SpendReport | None) -> tuple[FrontRequest, ...]:
        """Return the battles of each front with each choice of planes; nothing is left once they are known."""
        if partial is not None:
            return ()
        self.cost()
        return tuple(self._parts())

    def _parts(self) -> Iterator[FrontRequest]:
        for number, front in enumerate(self.fronts):
            prices = self._prices(front)
            spans = list(ranges(ways_by_price(prices, self.budget), _PART / seconds_of(front)))
            flights = product(*(range(planes.count * (number in planes.fronts) + 1) for planes in self.planes))
            for sent, (least, most) in product(flights, spans):
                yield FrontRequest(number, front, self.aim, prices, least, most, sent, self._sent(sent))

    def _sent(self, choice: Sequence[int]) -> Army:
        counts: dict[Unit, int] = {}
        for planes, count in zip(self.planes, choice, strict=True):
            counts[planes.unit] = counts.get(planes.unit, 0) + count
        return Army.of(counts, self.edition)

    def join(self, _partial: SpendReport | None, reports: Sequence[tuple[Option, ...]]) -> SpendReport:
        """Return the best plans from what every front is worth."""
        nothing = Option(0, (0,) * len(self.planes), {}, 0.0, 0.0, attacks=False)
        options = [[nothing] for _ in self.fronts]
        for part, found in zip(self._parts(), reports, strict=True):
            options[part.number] += found
        plans = list(best_plans(options, self.budget, [planes.count for planes in self.planes]))
        best, *others = [self._plan(plan, options) for plan in plans]
        return SpendReport(
            aim=self.aim,
            budget=self.budget,
            fronts=self.fronts,
            best=best,
            others=tuple(others),
            battles=self.battles,
        )

    def _plan(self, plan: Sequence[Option], options: Sequence[Sequence[Option]]) -> SpendPlan:
        rows = []
        for number, (option, ways) in enumerate(zip(plan, options, strict=True)):
            before = max(way.worth for way in ways if not way.ipc and not any(way.planes))
            armies = {"units": Army.of(option.bought, self.edition), "planes": self._sent(option.planes)}
            same = {name: getattr(option, name) for name in ("attacks", "ipc", "p_takes", "worth")}
            rows.append(FrontPlan(front=number, **armies, **same, gain=option.worth - before))
        worth, ipc = sum(row.worth for row in rows), sum(row.ipc for row in rows)
        return SpendPlan(worth=worth, ipc=ipc, purchases=tuple(rows))

    def progress(self, partial: SpendReport | None, latest: Sequence[object]) -> tuple[float, str]:
        """Return roughly how much is done."""
        done = 1.0 if partial is not None else len(latest) / max(1, sum(1 for _ in self._parts()))
        return done, "weighing the fronts"

    def run(self) -> SpendReport:
        """Find the best plans, one part after the other."""
        return self.join(None, [part.run() for part in self.parts(None)])


FRONTS_EXAMPLE = "3 inf vs 2 inf worth 5; 2 inf, 1 tank vs 4 inf worth 8"

_WORTH_WORD = re.compile(r"=|\bworth\b|\bfor\b", re.IGNORECASE)
_WORTH = re.compile(
    rf"(?:{_WORTH_WORD.pattern})\s*([0-9]{{1,6}}(?:\.[0-9]{{1,3}})?)\s*(?:ipcs?)?\s*$", re.IGNORECASE | re.ASCII
)
_NOBODY = re.compile(r"\s*(?:nobody|no one|nothing|none|0|-)?\s*(?:vs?\.?|against|versus)\s+", re.IGNORECASE)
_REACH = re.compile(r"\s*(?:[:@=]|\breach(?:es)?\b|\bto\b)\s*", re.IGNORECASE)


def read_front(
    text: str, value: float, number: int, edition: str | None = None, casualties: Casualties | None = None
) -> Front:
    """Read a front's battle, in which the attacker may be nobody; RuleError that names the front."""
    bare, edition = without_edition(text), named_edition(text) or edition
    alone = _NOBODY.match(bare)
    # Both texts are alike but for who attacks, so that the places of mistakes are the same in them.
    shown, asked = (f"{who} vs {bare[alone.end() :]}" if alone else text for who in ("nobody", " 1 inf"))
    try:
        question = parse_question(asked, edition=edition).with_options(casualties=casualties)
        attacker = Army(edition=question.edition) if alone else question.waves[0].army
        return Front.of(question, attacker, value)
    except TextError as error:
        named = [replace(each, message=f"Front {number}: {each.message}") for each in error.problems]
        raise TextError(shown, named, error.more) from None
    except RuleError as error:
        raise RuleError(f"Front {number}: {error}") from None


def read_fronts(text: str, edition: str | None = None) -> tuple[Front, ...]:
    """Read fronts, each a line or up to a semicolon, with "worth 5" at its end; RuleError that names the front."""
    found = [part for part in re.split(r"[;\n]", text) if part.strip()]
    if not 1 <= len(found) <= MAX_FRONTS:
        raise RuleError(f"Name 1 to {MAX_FRONTS} fronts, such as: {FRONTS_EXAMPLE}")
    fronts: list[Front] = []
    for number, part in enumerate(found, 1):
        worth = _WORTH.search(part)
        if worth is None:
            battle = _WORTH_WORD.split(part)[0].strip()
            raise RuleError(f"Front {number}: say what its territory is worth, such as: {battle} worth 5")
        known = edition or (fronts[0].edition if fronts else None)
        fronts.append(read_front(part[: worth.start()].strip(), float(worth[1]), number, known))
    return tuple(fronts)


def read_planes(text: str, edition: str, fronts: int) -> Iterator[Planes]:
    """Yield the planes of a text such as "2 fighters: 1, 3; 1 bomber: all"; RuleError for what reaches nothing."""
    for part in filter(None, map(str.strip, re.split(r"[;\n]", text))):
        units, reach = (*_REACH.split(part, maxsplit=1), "")[:2]
        every = reach.strip().casefold() in {"all", "every", "any", "each"}
        numbers = range(1, fronts + 1) if every else [int(each) for each in re.findall("[0-9]{1,3}", reach)]
        if not numbers:
            raise RuleError(f'"{part}": say which fronts they reach, such as 2 fighters: 1, 3')
        for group in parse_army(units, edition).groups:
            where = tuple(dict.fromkeys(number - 1 for number in numbers))
            if group.count > MAX_PLANES or group.count.denominator > 1:
                raise RuleError(f'"{part}": at most {MAX_PLANES} whole planes of a type can reach several fronts.')
            yield Planes(unit=group.unit, count=int(group.count), fronts=where)


def read_units(names: Sequence[str], edition: str) -> tuple[Unit, ...]:
    """Read the names of units to buy; TextError for one that isn't known."""
    return tuple(group.unit for name in names for group in parse_army(name, edition).groups)


def spend_card(report: SpendReport) -> ChoicesCard:
    """Return the card of a report: a row for each front, with what is sent there and the chance to take it."""
    of = "" if report.aim is Aim.SWING else f" of {sum(front.value for front in report.fronts):,g}"
    return ChoicesCard(
        title=f"Spend {report.best.ipc:,} of {report.budget:,} IPC",
        aside=f"worth {report.best.worth:,.2f}{of} IPC",
        words=" ".join(plan_words(report)),
        choices=tuple(
            Choice(
                sign=f"{plan.front + 1}",
                words=plan.words(),
                units=plan.units + plan.planes,
                figure=percent(plan.p_takes) if plan.attacks else "-",
                share=plan.p_takes,
                good=plan.attacks,
            )
            for plan in report.best.purchases
        ),
    )


def front_words(report: SpendReport, plan: FrontPlan) -> str:
    """Return what a plan does at a front as a sentence without its period."""
    done = "won" if report.fronts[plan.front].at_sea else "taken"
    takes = f"{done} {percent(plan.p_takes)} of the time" if plan.attacks else "worth nothing now"
    return f"Front {plan.front + 1}: {plan.words()}, {takes}, gains {plan.gain:,.2f}"


def plan_words(report: SpendReport) -> Iterator[str]:
    """Yield what the best plan buys and what it does at each front, in sentences."""
    yield f"Buy {report.best.words()}."
    yield from (f"{front_words(report, each)}." for each in report.best.purchases)
