"""Short ways to say an army, a battle and its odds, strategies that draw them, and known figures."""

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, Unpack

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from sim.axis_allies.army import MAX_COUNT, Army, Group
from sim.axis_allies.average import AverageRequest
from sim.axis_allies.casualties import LIFE_OF, Casualties, Last, Place, Slot
from sim.axis_allies.editions import DEFAULT, EDITIONS, Guns
from sim.axis_allies.odds_report import OddsReport, unit_key
from sim.axis_allies.parse import parse_army, parse_question
from sim.axis_allies.question import NEVER, Withdrawal
from sim.axis_allies.reports import AverageReport
from sim.axis_allies.requests import LuckRequest, OddsRequest
from sim.axis_allies.units import Category, Unit
from sim.axis_allies.waves import WaveRequest
from sim.core import TextError
from sim.core.values import Side
from tests.sim.axis_allies.enumerate_losses import Pair, Pile, Rules


class Options(TypedDict, total=False):
    """What may be asked about any battle."""

    casualties: Casualties
    attacker_casualties: Casualties
    defender_casualties: Casualties
    stop_after: int | None
    withdrawal: Withdrawal
    must_take: bool


class Terms(Options, total=False):
    """And how its odds are worked out and told."""

    low_luck: bool
    battles: int
    seed: int
    outcomes: int


def parse_battle(text: str, edition: str = DEFAULT) -> dict[Side, Army]:
    """Read both armies of a battle."""
    return parse_question(text, edition).armies


def read(text: str, edition: str = DEFAULT) -> Army:
    """Read an army; "" is nobody."""
    return parse_army(text, edition) if text else Army(edition=edition)


def asking(battle: str, **options: Unpack[Terms]) -> OddsRequest:
    """Ask for the odds of a battle such as "6 tanks vs 10 inf | rounds 2"."""
    return OddsRequest.model_validate({**parse_question(battle).fields, **options})


def odds(battle: str, **options: Unpack[Terms]) -> OddsReport:
    """Return the odds of such a battle with their course."""
    return asking(battle, **options).run(course=True)


def average(attacker: str, defender: str, **options: Unpack[Options]) -> AverageReport:
    """Fight an average battle between two armies as typed."""
    return AverageRequest(attacker=parse_army(attacker), defender=parse_army(defender), **options).run()


counts = st.one_of(
    st.integers(1, MAX_COUNT).map(Fraction),
    st.decimals(min_value="0.001", max_value=1000, places=3).map(Fraction),
)


@st.composite
def groups(draw: st.DrawFn, unit: Unit, lives: int) -> Group:
    """Draw a group, damaged at times; `lives`: hits that one of its units absorbs."""
    count = draw(counts)
    damage = count * lives * draw(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]))
    return Group(unit=unit, count=count, lives=count * lives - damage)


@st.composite
def armies(draw: st.DrawFn, edition: str = DEFAULT, some: Sequence[Unit] = (), most: int = 9) -> Army:
    """Draw an army of one to `most` unit types of an edition, by default of any, in any order."""
    book = EDITIONS[edition]
    units = draw(st.lists(st.sampled_from(some or list(book.units)), min_size=1, max_size=most, unique=True))
    return Army(groups=tuple(draw(groups(unit, book.lives(unit))) for unit in units), edition=edition)


def is_an_order(places: tuple[Place, ...]) -> bool:
    """Return whether the last unit of each kind goes after the others."""
    return not any(isinstance(last, Last) and last.unit in places[at:] for at, last in enumerate(places))


def marked(text: str, read: Callable[..., object], *more: str | None) -> list[list[str]]:
    """Return (marked stretch, sentence) of everything wrong with a text that `read` refuses."""
    with pytest.raises(TextError) as caught:
        read(text, *more)
    return [[text[problem.span.start : problem.span.end], problem.sentence()] for problem in caught.value.problems]


def known(name: str) -> list[Any]:
    """Return cases with figures from outside, which a file beside this one has: battles as typed with their odds."""
    cases: list[dict[str, Any]] = json.loads(Path(__file__).with_name(name).read_text())
    return [pytest.param(case, id=case.get("id", case["battle"])) for case in cases]


withdrawals = st.one_of(
    st.just(NEVER),
    st.builds(lambda below: Withdrawal(below=below), st.integers(1, 4)),
    st.builds(lambda ipc: Withdrawal(ipc_lost=ipc), st.integers(0, 30)),
    st.just(Withdrawal(only_air=True)),
    st.just(Withdrawal(last_land=True)),
    st.builds(lambda below: Withdrawal(defenders_below=below), st.integers(1, 4)),
)


@st.composite
def piles(draw: st.DrawFn, most: int = 4, edition: str = DEFAULT, units: Sequence[Unit] = ()) -> Pile:
    """Draw a small army of these units, by default of any, its ships whole or damaged, in any order."""
    book = EDITIONS[edition]
    drawn = draw(st.lists(st.sampled_from(units or list(book.units)), min_size=1, max_size=most))
    counts = {unit: drawn.count(unit) for unit in dict.fromkeys(drawn)}
    return tuple(
        (unit, count, draw(st.integers(0, count)) if book.lives(unit) else 0) for unit, count in counts.items()
    )


def to_army(pile: Pile, edition: str = DEFAULT) -> Army:
    """Return the army of a pile."""
    groups = (Group(unit=unit, count=Fraction(count), lives=Fraction(whole)) for unit, count, whole in pile)
    return Army(groups=tuple(groups), edition=edition)


def attackers(edition: str, *, at_sea: bool) -> list[Unit]:
    """Return the units that attack at sea or on land."""
    kinds = {Category.NAVAL if at_sea else Category.LAND, Category.AIR}
    return [unit for unit in EDITIONS[edition].units if unit.category in kinds and unit is not Unit.GUN]


Battle = tuple[Pair, Rules]


@st.composite
def battles(draw: st.DrawFn, *, at_sea: bool | None = None, most: int = 5) -> Battle:
    """Draw a battle, on land or at sea if it isn't said, up to `most` units a side, and its terms."""
    at_sea = draw(st.booleans()) if at_sea is None else at_sea
    edition = draw(st.sampled_from(list(EDITIONS)))
    book = EDITIONS[edition]
    units = attackers(edition, at_sea=at_sea)
    guns = [Unit.GUN] if book.rules.guns is Guns.UNIT and not at_sea else []
    attacker, defender = draw(piles(most, edition, units)), draw(piles(most, edition, [*units, *guns]))
    names = list(book.technology)
    known = [tuple(draw(st.lists(st.sampled_from(names), unique=True, max_size=2))) if names else () for _ in Side]
    lands = any(unit.category is Category.LAND for unit, _, _ in attacker)
    ships = [*book.rules.bombarding, *([Unit.DESTROYER] if "combined-bombardment" in known[0] else [])]
    rules = Rules(
        edition=edition,
        technology=(known[0], known[1]),
        take=lands and draw(st.booleans()),
        mark=book.rules.guns is Guns.MARK and not at_sea and draw(st.booleans()),
        bombard=tuple(draw(st.lists(st.sampled_from(ships), max_size=2))) if lands and ships else (),
        landing=draw(st.none() | st.integers(1, 2)),
        low_luck=draw(st.sampled_from([False, False, True])),
    )
    heavy = "heavy-bombers" in known[0] and any(unit is Unit.BOMBER for unit, _, _ in attacker)
    assume(not (rules.low_luck and heavy and edition in {"anniversary", "1940"}))
    return (attacker, defender), rules


def asked(battle: Battle) -> dict[str, Any]:
    """Return what a request asks about a battle."""
    (attacker, defender), rules = battle
    ships = tuple((ship, rules.bombard.count(ship), 0) for ship in dict.fromkeys(rules.bombard))
    return {
        "attacker": to_army(attacker, rules.edition),
        "defender": to_army((*defender, (Unit.GUN, 1, 0)) if rules.mark else defender, rules.edition),
        "must_take": rules.take,
        "bombard": to_army(ships, rules.edition),
        "landing": rules.landing,
        "attacker_technology": rules.technology[0],
        "defender_technology": rules.technology[1],
        "low_luck": rules.low_luck,
    }


def luck_of(battle: str, attacker_left: str = "", defender_left: str = "") -> LuckRequest:
    """Ask how lucky a result of a battle was."""
    question = parse_question(battle)
    left = (read(text, question.edition) for text in (attacker_left, defender_left))
    return LuckRequest.model_validate(
        question.fields | dict(zip(("attacker_left", "defender_left"), left, strict=True))
    )


def asking_waves(battle: str) -> WaveRequest:
    """Ask about several attackers such as "2 inf then 1 tank vs 3 inf", or about a counterattack."""
    return WaveRequest(question=parse_question(battle))


def pile(army: Army) -> Pile:
    """Return an army as the enumeration has it, without a gun that is a mark."""
    return tuple(
        (group.unit, int(group.count), int(group.lives))
        for group in army.groups
        if not army.book.units[group.unit].mark
    )


Left = frozenset[tuple[str, int]]
"""What is left of an army, by the names that reports have."""


def told(left: Mapping[Slot, int]) -> Left:
    """Return what is left, of units and lives."""
    return frozenset((unit_key(slot), int(count)) for slot, count in left.items() if count)


def named(pile: Pile) -> Left:
    """Return what is left, of a pile."""
    units: dict[Slot, int] = {unit: count for unit, count, _ in pile}
    return told(units | {LIFE_OF[unit]: whole for unit, _, whole in pile if whole})
