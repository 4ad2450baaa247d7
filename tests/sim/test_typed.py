"""Whatever players type has a result or an error for them, and what a result calls a probability is one."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from sim.axis_allies.advice_reports import PlanOdds
from sim.axis_allies.answers import CalcRequest
from sim.axis_allies.editions import EDITIONS
from sim.axis_allies.odds_report import OddsReport as ArmyOdds
from sim.axis_allies.parse import parse_army, parse_question, share_text
from sim.axis_allies.parse.options import parse_casualties
from sim.axis_allies.question import Withdrawal
from sim.axis_allies.requests import LuckRequest, PurchaseRequest, RetreatRequest
from sim.axis_allies.requests import OddsRequest as ArmyRequest
from sim.axis_allies.units import WORDS
from sim.boss_fight.exchange import ExchangeRequest
from sim.boss_fight.requests import DeckRequest, DeckSheetRequest, EveryBossRequest
from sim.boss_fight.tables import KNOWN_BOSSES, TABLE, Kind
from sim.boss_fight.values import Element
from sim.core import RuleError
from sim.core.staged_job import Job
from sim.core.values import Probability, Side
from sim.duel.group_text import parse_group
from sim.duel.reports import DuelOdds
from sim.duel.requests import DuelOddsRequest
from sim.mad_killer_agents.combat import parse_battle as parse_clash
from sim.mad_killer_agents.requests import BattleRequest as ClashRequest
from sim.marked_for_death.odds import OddsRequest as RosterRequest
from sim.marked_for_death.odds import SensitivityRequest
from sim.marked_for_death.reports import OddsReport as RosterOdds
from sim.marked_for_death.requests import CheckRequest, RunRequest
from sim.marked_for_death.tables import BUFF, FIXED
from sim.workers.queue import PoolLimits, checked_cost
from tests.sim.axis_allies.builders import parse_battle
from tests.sim.duel.builders import critter

pytestmark = pytest.mark.torture

CHEAP = PoolLimits(cost_seconds=0.5)
"""What costs more is refused, as the bot refuses what costs more than its limit."""

EXACT = 1e-9
"""How far the rounding of what adds up to 1 may go."""

examples = settings(max_examples=1250)


def probabilities(report: object) -> Iterator[float]:
    """Yield everything in a report that its type calls a probability."""
    if isinstance(report, BaseModel):
        for name, hint in get_type_hints(type(report), include_extras=True).items():
            yield from _hinted(hint, getattr(report, name, None))
    elif isinstance(report, Mapping):
        for value in report.values():
            yield from probabilities(value)
    elif isinstance(report, Sequence) and not isinstance(report, str | bytes):
        for value in report:
            yield from probabilities(value)


def _hinted(hint: object, value: object) -> Iterator[float]:
    if hint == Probability:
        assert isinstance(value, float)
        yield value
    elif isinstance(value, tuple) and Probability in get_args(hint):
        yield from value
    else:
        yield from probabilities(value)


def sums(report: object) -> Iterator[tuple[float, float]]:
    """Yield what has to add up to 1, and what is known to be missing from it."""
    match report:
        case DuelOdds():
            missing = report.lost_mass
            yield report.p_win_first + report.p_win_second + report.p_never + report.p_given_up, missing
            # A fight that never ends has no round in which it does.
            yield sum(report.rounds) + report.rounds_beyond, missing + report.p_never
            yield from ((sum(side.survivors), missing) for side in (report.first, report.second))
            yield from ((sum(side.hp_left), missing) for side in (report.first, report.second) if side.hp_left)
        case ArmyOdds():
            missing = report.lost_mass
            yield report.p_attacker + report.p_defender + report.p_tie + report.p_none, missing
            yield sum(outcome.p for outcome in report.outcomes) + report.outcomes_beyond, missing
            # Chances below 1e-12 make no bar.
            for side, chance in ((Side.ATTACKER, report.p_attacker), (Side.DEFENDER, report.p_defender)):
                lost = 1 - chance
                yield lost + sum(bar.p for bar in report.odds(side).units_of_winner), missing + EXACT
        case PlanOdds():
            yield sum((report.p_attacker, report.p_defender, report.p_tie, report.p_retreat, report.p_none)), 0.0
        case RosterOdds():
            yield sum((report.p_heroes, report.p_villains, report.p_both_fall, report.p_undecided)), 0.0
    if isinstance(report, BaseModel):
        for name in type(report).model_fields:
            yield from sums(getattr(report, name))


def run(build: Callable[[], Job[Any]], limits: PoolLimits = CHEAP) -> object:
    """Return the report of a job as the bot runs it, its probabilities checked; None for a RuleError."""
    try:
        job = build()
        checked_cost(job, limits)
        report = job.run()
    except RuleError as error:
        assert str(error)
        return None
    assert all(0 <= chance <= 1 for chance in probabilities(report))
    for total, missing in sums(report):
        assert math.isclose(total, 1, rel_tol=0, abs_tol=missing + EXACT)
    return report


def one_of(*choices: str) -> st.SearchStrategy[str]:
    return st.sampled_from(choices)


def mostly(usual: st.SearchStrategy[str], *edges: str) -> st.SearchStrategy[str]:
    """Return what is typed usually; one time in twelve, an edge."""
    return st.integers(0, 11).flatmap(lambda die: one_of(*edges) if die == 11 else usual)


def joined(parts: st.SearchStrategy[str], most: int, by: str = ", ") -> st.SearchStrategy[str]:
    return st.lists(parts, min_size=1, max_size=most).map(by.join)


NUMBERS = mostly(st.integers(1, 9).map(str), "0", "20", "99", "1000", "1001", "-1", "+3", "2.5", "0.000001", "½")
NOISE = one_of(
    *("", " ", ",", ";", "vs", "@", "(", ")", "\n", "\x07", "é", "\u202e", "x", "d", "%", "'", '"', "-", "9" * 12)
)


@st.composite
def slips(draw: st.DrawFn, typed: st.SearchStrategy[str]) -> str:
    """Type a text; sometimes with slips."""
    text = draw(typed)
    for _ in range(draw(st.sampled_from([*[0] * 12, 1, 2]))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(NOISE) + text[at + draw(st.integers(0, 2)) :]
    return text


def perhaps(form: str, *values: str | int) -> st.SearchStrategy[str]:
    """Return a form filled in, or nothing."""
    return st.one_of(st.just(""), st.sampled_from(values).map(form.format))


FIGHTER = st.builds(
    "{}{}{} hp{}{}{}{}{}".format,
    mostly(one_of("", "", "2 x ", "3 × "), "40 x ", "0 x ", "101x "),
    one_of("", "", "wolf ", "Ægir the 2nd "),
    mostly(one_of("1", "3", "5", "8", "30", "100"), "0", "1000", "1001"),
    perhaps(" ac {}", *range(-12, 15), 50),
    perhaps(" str {:+d}", *range(-4, 5)),
    perhaps(" dex {}", *range(3, 19), 2, "-1", "+2"),
    mostly(perhaps(" {}", "1d2", "d4", "1d6", "2d6+1", "1d4-3", "3d1", "1d100+50"), " 20d100", " 1d0", " 0d6", " 2x6"),
    mostly(perhaps(" attacks {}", 1, 2, 3), " attacks 0", " attacks 9", " thac0 40", " thac0 -10"),
)
GROUP = slips(joined(mostly(FIGHTER, "Brenna", "brena", ""), 2))
KNOWN = {"brenna": critter("Brenna", 8, str_mod=1)}


@examples
@given(GROUP, GROUP, st.integers(0, 9))
def test_typed_duels(first: str, second: str, seed: int) -> None:
    run(
        lambda: DuelOddsRequest(
            group1=parse_group(first, KNOWN), group2=parse_group(second, KNOWN), battles=200, seed=seed
        )
    )


def test_a_duel_of_a_thousand_rounds_has_its_odds() -> None:
    """Their rounding came to 1.0000000000000095, which was refused."""
    groups = {"group1": parse_group("5 hp ac -5 1d2", {}), "group2": parse_group("100 hp ac 0 1d4", {})}
    report = run(lambda: DuelOddsRequest.model_validate(groups))
    assert isinstance(report, DuelOdds)
    assert (report.p_win_first, report.rounds_beyond) == (1.0, 1.0)


UNITS = st.builds(
    "{}{}{}".format,
    st.one_of(NUMBERS, one_of("", "1", "2")),
    one_of(" ", " x "),
    one_of(*WORDS),
)
LAND = st.builds("{} {}".format, NUMBERS, one_of("inf", "infantry", "tanks", "t", "fighters", "bmr"))
ARMY = joined(
    mostly(
        st.one_of(LAND, LAND, UNITS),
        *(
            "2 bb (1 hit)",
            "1 damaged cv",
            "3 tonks",
            "1 battleship (1 life)",
            "2 art",
            "1 aa",
            "Infantry: 3",
            "tank x2",
        ),
    ),
    3,
)
ATTACKER = st.builds("{}{}".format, ARMY, one_of("", "", "", " + 1 bb bombard", ", bombard: 2 bb, 1 cru", " landing 1"))
EDITION = one_of("", "", "edition:1942 ", *(f"{name}: " for name in EDITIONS))
OPTIONS = mostly(
    one_of("", "", " | order attacker: inf, tank", " | tech attacker: jets; defender: radar", " | low luck"),
    *(
        " | rounds 2",
        " | retreat below 2 | retreat with only air",
        " | strafe 2",
        " | take",
        " | counter 2 inf",
        " | x",
    ),
)
ORDERS = mostly(one_of("", "", "score", "cheapest", "smart", "order: inf, tank, bb-life"), "order: inf, inf", "x")
ROUNDS = st.sampled_from([None, None, None, 1, 3])


@st.composite
def questions(draw: st.DrawFn) -> Callable[[], Job[Any]]:
    """Type a battle and ask one of four questions about it."""
    text = draw(slips(st.builds("{}{} vs {}{}".format, EDITION, ATTACKER, ARMY, OPTIONS)))
    left, order = draw(slips(UNITS)), draw(ORDERS)
    rounds, must_take, retreat = draw(ROUNDS), draw(st.booleans()), draw(st.sampled_from([None, None, 1, 2, 100]))

    def odds() -> Job[Any]:
        question = parse_question(text)
        assert parse_question(share_text(question)) == question
        question = question.with_options(
            attacker_casualties=parse_casualties(order) if order else None,
            stop_after=rounds,
            must_take=must_take or None,
            withdrawal=Withdrawal(below=retreat),
        )
        return ArmyRequest(**question.fields, battles=1000)

    def sides() -> dict[str, Any]:
        return {side.value: army for side, army in parse_battle(text).items()}

    asked: list[Callable[[], Job[Any]]] = [
        odds,
        lambda: CalcRequest.of(parse_question(text).with_options(stop_after=rounds)),
        lambda: RetreatRequest(**sides(), territory=len(text) % 20, stop_after=rounds, must_take=must_take),
        lambda: LuckRequest(
            **sides(), attacker_left=parse_army(left), defender_left=parse_army(left), stop_after=rounds
        ),
    ]
    build: Callable[[], Job[Any]] = draw(st.sampled_from([odds, odds, *asked]))
    return build


@examples
@given(questions())
def test_typed_armies(build: Callable[[], Job[Any]]) -> None:
    run(build)


@settings(examples, max_examples=60)
@given(slips(LAND), slips(LAND), st.sampled_from([0.5, 0.9, 0.999]), st.sampled_from(Side), st.booleans())
def test_typed_purchases(attacker: str, defender: str, chance: float, side: Side, must_take: bool) -> None:
    """A search may cost what the bot allows at most, so there are fewer."""

    def purchase() -> Job[Any]:
        armies = {"attacker": parse_army(attacker), "defender": parse_army(defender)}
        return PurchaseRequest(**armies, chance=chance, side=side, must_take=must_take)

    run(purchase, PoolLimits())


@st.composite
def tokens(draw: st.DrawFn) -> str:
    """Type a token with traits of its kind, and perhaps one that the game's table doesn't have."""
    kind = draw(st.sampled_from(Kind))
    known = one_of(*(row.trait.name for row in TABLE if row.kind is kind))
    own = st.builds("{} ({}/{}/{} {})".format, one_of("Fang", "Ä"), *[NUMBERS] * 3, one_of("", "PP", "MR PR"))
    traits = draw(joined(mostly(st.one_of(known, known, own), "Asasin", "Fang (1/2)", "Ä (1/1/1 XX)"), 4))
    element = draw(mostly(one_of("", *(f" @{element}" for element in Element)), " @none", " @fier"))
    return f"{kind}: {traits}{element}"


@examples
@given(slips(joined(tokens(), 4, "; ")), st.sampled_from(KNOWN_BOSSES), st.integers(0, 3))
def test_typed_decks(text: str, boss: Any, which: int) -> None:  # noqa: ANN401  # one of the game's own
    reader = DeckRequest(deck=text.encode() if which == 1 else text)
    jobs: list[Callable[[], Job[Any]]] = [
        lambda: DeckSheetRequest(deck=reader.run()),
        lambda: DeckSheetRequest(deck=reader.run()),
        lambda: ExchangeRequest(boss=boss, deck=reader.run()),
        lambda: EveryBossRequest(bosses=KNOWN_BOSSES, deck=reader.run()),
    ]
    run(jobs[which])


NAMES = ("Tom", "Dragon", "Summoner", "Zoë")
CHANCES = mostly(one_of("", "", "0", "0.15", "-0.3", "1"), "1000", "-7", "0,5", "0.0000001", "15%")


@st.composite
def rosters(draw: st.DrawFn) -> str:
    """Type a roster of one to three fighters."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    cells = {
        "XP": mostly(one_of("1", "500", "1000", "1001", "3000", "8000"), "0", "x", "1e3", "2000000"),
        "BonusXP": mostly(one_of("", "500"), "-500", "-9000"),
        "BonusHP": mostly(one_of("", "0", "1", "3"), "-2", "100000"),
        "BonusToHit": CHANCES,
        "BonusToDefend": CHANCES,
        "AOE": mostly(one_of("", "1", "2"), "0", "1000"),
        "BodyguardFor": mostly(one_of("", *names), "Nobody"),
        "LinkedTo": mostly(one_of("", *names), "Nobody"),
        "BuffName": one_of("Song"),
        "BuffWho": mostly(one_of(*names), "", "tom", "#1"),
        "BuffOffense": CHANCES,
        "BuffDefense": CHANCES,
    }
    columns = draw(st.lists(st.sampled_from(FIXED[1:]), unique=True).map(lambda some: ["Name", "XP", *some]))
    columns = [*dict.fromkeys(columns), *(BUFF if draw(st.booleans()) else ())]
    rows = [[name, *(draw(cells[column]) for column in columns[1:])] for name in names]
    return "\n".join(map(",".join, [columns, *rows]))


ROSTER = slips(rosters())


@examples
@given(ROSTER, ROSTER, st.sampled_from([None, None, 1, 5]), st.integers(0, 5))
def test_typed_rosters(heroes: str, villains: str, rounds: int | None, which: int) -> None:
    data = heroes.encode(), villains.encode()

    def odds() -> RosterRequest:
        rosters = [CheckRequest(source=side).run().roster for side in data]
        return RosterRequest(heroes=rosters[0], villains=rosters[1], max_rounds=rounds, battles=50)

    if which == 0:
        run(lambda: SensitivityRequest(odds=odds(), battles=50))
    elif which == 1:
        request = RunRequest(heroes=data[0], villains=data[1], max_rounds=rounds)
        try:
            request.run()
        except RuleError as error:
            assert str(error)
    else:
        run(odds)


TILES = mostly(st.integers(1, 6).map(str), "0", "7")
CLASH = st.builds(
    "{}@{} vs {}@{} {}".format, NUMBERS, TILES, NUMBERS, TILES, one_of("", "city 4", "drill", "masonry city 0")
)


@settings(max_examples=300)
@given(slips(CLASH))
def test_typed_clashes(text: str) -> None:
    run(lambda: ClashRequest(clash=parse_clash(text)))


def test_the_walk_finds_every_probability() -> None:
    """Otherwise the tests above would look at nothing."""
    duel = DuelOddsRequest(group1=parse_group("3 hp", {}), group2=parse_group("3 hp", {})).run()
    assert len([*probabilities(duel)]) == 5 + len(duel.rounds) + 2 * (2 + 4)
    calc = CalcRequest.of(parse_question("2 inf vs 2 inf")).run()
    assert len([*probabilities(calc)]) > 9 + len(calc.odds.outcomes if calc.odds else ())
    assert len([*sums(calc)]) == 4
