"""The engine against a simulation, and what must hold for any odds; what is too large, or must never take long."""

import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sim.axis_allies.army import Army
from sim.axis_allies.odds.engine import solve
from sim.axis_allies.odds.simulate import simulate
from sim.axis_allies.odds.summary import odds_report, summary_of
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import parse_army
from sim.axis_allies.requests import LuckRequest, OddsRequest, PurchaseRequest, RetreatRequest
from sim.core.values import Request, Side
from tests.sim.axis_allies.builders import asking, known, odds, parse_battle
from tests.tables import kept_table

NEAR = 1e-12
CASES = [case.values[0]["battle"] for case in known("edition_cases.json")]
SIMULATED = [*CASES[::5], *CASES[2::5]]


@pytest.mark.statistics
@pytest.mark.parametrize(
    ("battle", "low_luck"),
    [
        *((battle, "low luck" in battle) for battle in kept_table(__file__, "larger")),
        *((battle, at % 3 == 0 and "heavy bombers" not in battle) for at, battle in enumerate(SIMULATED)),
    ],
)
def test_as_thrown(battle: str, *, low_luck: bool) -> None:
    """The dice of a fixed seed come within four standard errors."""
    question = asking(battle, low_luck=low_luck)
    battles = 20_000
    terms = question.terms()
    simulated = simulate(terms, battles, seed=20)
    exact, thrown = (
        odds_report(
            summary_of(solution, must_take=question.must_take, outcomes=1), question.attacker, question.defender
        )
        for solution in (solve(terms), simulated)
    )
    assert (exact.method, thrown.method) == ("exact", "simulated")
    for name in ("p_attacker", "p_defender", "p_tie", "p_none", "p_retreat", "p_not_taken"):
        p = getattr(exact, name)
        # A chance of few battles in all is a matter of one battle more or less.
        assert getattr(thrown, name) == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / battles) + 3 / battles), name
    spread = math.sqrt(simulated.round_squares - simulated.mean_rounds**2)
    assert thrown.exp_rounds == pytest.approx(exact.exp_rounds, abs=4 * spread / math.sqrt(battles) + 3 / battles)
    for side in Side:
        off = 4 * exact.odds(side).ipc_lost_sd / math.sqrt(battles)
        assert thrown.odds(side).ipc_lost == pytest.approx(exact.odds(side).ipc_lost, abs=off + 1e-9)
        assert thrown.odds(side).ipc_lost_sd == pytest.approx(exact.odds(side).ipc_lost_sd, rel=0.1, abs=0.25)


PLAIN = [
    ("1 inf vs 1 inf", [1], [2]),
    ("6 tanks vs 10 inf", [3] * 6, [2] * 10),
    ("4 inf, 2 tanks, 1 ftr vs 5 inf, 1 tank", [1] * 4 + [3] * 3, [2] * 5 + [3]),
    ("2 dd, 2 bb (2 hits) vs 3 dd", [2, 2, 4, 4], [2, 2, 2]),
    ("1942: 4 inf, 3 tanks vs 4 inf, 2 ftr", [1] * 4 + [3] * 3, [2] * 4 + [4] * 2),
]
"""Battles, and the values of both sides' units, the first to be lost first."""


@pytest.mark.statistics
@pytest.mark.parametrize(("battle", "attackers", "defenders"), PLAIN)
def test_as_icepool_figures(battle: str, attackers: list[int], defenders: list[int]) -> None:
    """An engine by other people, which knows dice and no battles."""
    icepool = pytest.importorskip("icepool")

    def hits(values: list[int]) -> Any:  # noqa: ANN401  # icepool isn't there for everybody
        return sum((icepool.coin(value, 6) for value in values), icepool.Die([0]))

    def fight(lost: tuple[int, int]) -> Any:  # noqa: ANN401  # likewise
        here, there = attackers[lost[0] :], defenders[lost[1] :]
        if not (here and there):
            return lost
        struck = icepool.tupleize(hits(there), hits(here))
        return struck.map(lambda a, d: (lost[0] + min(a, len(here)), lost[1] + min(d, len(there))))

    ended = icepool.Die([(0, 0)]).map(fight, star=False, repeat="inf")
    won = {"attacker": 0.0, "defender": 0.0, "tie": 0.0}
    for (here, there), p in zip(ended, ended.probabilities(), strict=True):
        left = here < len(attackers), there < len(defenders)
        won["attacker" if left[0] else "defender" if left[1] else "tie"] += float(p)
    report = odds(battle)
    assert {name: getattr(report, f"p_{name}") for name in won} == pytest.approx(won, abs=1e-12)


def test_tame_rounds_are_thrown_together() -> None:
    """Transports can't shoot back: 900 hits by two destroyers take 1,350 rounds in the mean."""
    question = asking("2 dd vs 900 tr")
    thrown = simulate(question.terms(), 4_000, seed=3)
    spread = math.sqrt(thrown.round_squares - thrown.mean_rounds**2)
    assert thrown.mean_rounds == pytest.approx(solve(question.terms()).mean_rounds, abs=4 * spread / math.sqrt(4_000))


def simulated(battle: str, seed: int = 0) -> OddsReport:
    return odds(battle, seed=seed, battles=1_000)


def test_too_large_is_simulated_and_says_so() -> None:
    report = simulated("30000 inf vs 20000 inf", seed=5)
    assert report.method == "simulated"
    assert report.simulation is not None
    assert (report.simulation.battles, report.simulation.seed) == (1_000, 5)
    assert report.simulation.cut_off == pytest.approx(0, abs=1e-12)
    for name in ("p_attacker", "p_none", "exp_rounds", "att_ipc_lost"):
        low, high = report.simulation.intervals[name]
        assert low <= getattr(report, name) <= high
    assert report.simulation.intervals["p_none"][1] > 0


def test_a_seed_decides_everything() -> None:
    battle = "1000 sub, 900 dd, 500 ftr vs 1000 sub, 900 dd, 550 ftr"
    assert simulated(battle, 1) == simulated(battle, 1)
    assert simulated(battle, 1).def_ipc_lost != simulated(battle, 2).def_ipc_lost


@pytest.mark.parametrize("battle", kept_table(__file__, "extremes"))
def test_extremes_of_all_editions_come_to_an_end(battle: str) -> None:
    """In the battles, M is a million."""
    report = simulated(battle.replace("M", "1000000"))
    assert report.p_attacker + report.p_defender + report.p_tie + report.p_none == pytest.approx(1)
    if ":" not in battle:
        assert report.lost_mass == pytest.approx(0, abs=1e-10)


@pytest.mark.rest
def test_a_hopeless_quarrel_is_given_up() -> None:
    """A submarine each that is lost last, behind a million transports: more rounds than anyone throws."""
    report = simulated("1000000 tr, 1 sub vs 1000000 tr, 1 sub | order tr, sub")
    assert report.simulation is not None
    assert report.simulation.cut_off == report.lost_mass == 1.0


@pytest.mark.parametrize("battle", kept_table(__file__, "lost_mass_bounded"))
def test_lost_mass_is_bounded(battle: str) -> None:
    report = asking(battle).run()
    assert report.method == "exact"
    assert report.lost_mass < 1e-10


@pytest.mark.process
@pytest.mark.parametrize(
    "army",
    [
        "900 inf, 300 tanks, 300 ftr",
        "45 sub, 30 dd, 15 cv, 30 ftr, 30 bb",
        "24 sub, 10 cv, 18 ftr, 8 bb",
    ],
)
def test_large_armies_are_exact_in_little_memory(army: str) -> None:
    """On land, at sea, and at sea without destroyers."""
    code = f"""if True:
        import resource
        from sim.axis_allies.parse import parse_army
        from sim.axis_allies.requests import OddsRequest

        def solved(text):
            army = parse_army(text, "1942")
            report = OddsRequest(attacker=army, defender=army).run()
            return report, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

        for few in ("2 inf, tank, ftr", "2 sub, dd, ftr, bb"):
            _, before = solved(few)
        report, after = solved({army!r})
        assert report.method == "exact", report.method
        assert report.lost_mass < 1e-10, report.lost_mass
        assert after - before < 256, (before, after)
    """
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [(OddsRequest, 0.1, 2.0), (RetreatRequest, 0.1, 10.0), (partial(PurchaseRequest, chance=0.9), 4.1, 14.0)],
)
def test_cost_grows_with_the_armies_up_to_a_limit(kind: Callable[..., Request], least: float, most: float) -> None:
    fleets = (parse_battle(f"{count} inf, {count} sub vs {count} dd, {count} ftr") for count in (1, 10, 100, 9000))
    costs = [kind(**armies).cost() for armies in fleets]
    assert costs == sorted(costs)
    assert costs[0] < least
    assert costs[-1] == most


ARMIES = parse_battle("2 sub, dd, bb vs 2 sub, ftr, bb (1 hit)")
REQUESTS: list[OddsRequest | PurchaseRequest | RetreatRequest | LuckRequest] = [
    OddsRequest(**ARMIES, stop_after=3),
    PurchaseRequest(**ARMIES, chance=0.9),
    RetreatRequest(**ARMIES, territory=3),
    LuckRequest(**ARMIES, attacker_left=Army(), defender_left=parse_army("bb (1 hit)")),
]


@pytest.mark.parametrize("asked", REQUESTS, ids=lambda asked: type(asked).__name__)
def test_the_report_survives_json(asked: OddsRequest | PurchaseRequest | RetreatRequest | LuckRequest) -> None:
    report = asked.run()
    assert type(report).model_validate_json(report.model_dump_json()) == report


@pytest.mark.process
def test_asking_loads_no_kernels() -> None:
    """The bot asks; only workers calculate."""
    code = (
        "import sys, sim.__main__\n"
        "from sim.axis_allies.requests import LuckRequest, OddsRequest, PurchaseRequest, RetreatRequest\n"
        "from sim.axis_allies.parse import parse_army\n"
        "army = parse_army('3 sub, 2 dd')\n"
        "OddsRequest(attacker=army, defender=army).cost()\n"
        "PurchaseRequest(attacker=army, defender=army, chance=0.5).cost()\n"
        "RetreatRequest(attacker=army, defender=army).cost()\n"
        "LuckRequest(attacker=army, defender=army, attacker_left=army, defender_left=army, stop_after=1).cost()\n"
        "assert not {'numpy', 'numba'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
