"""What is too large for exact odds, and what must never take long."""

import subprocess
import sys
from typing import Any

import pytest

from sim.axis_allies.army import Army
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import parse_army, parse_battle
from sim.axis_allies.requests import LuckRequest, OddsRequest, PurchaseRequest, RetreatRequest, warm_up
from sim.core.values import Side
from tests.sim.axis_allies.odds_builders import army, odds, request

MILLION = "1000000"


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


@pytest.mark.parametrize(
    "battle",
    [
        f"{MILLION} tr vs dd",
        f"dd vs {MILLION} tr",
        f"{MILLION} tr, dd vs {MILLION} tr, dd",
        f"{MILLION} sub vs {MILLION} ftr",
        f"{MILLION} ftr, {MILLION} tr vs {MILLION} sub, {MILLION} tr",
        f"{MILLION} inf vs inf",
        f"{MILLION} tr vs {MILLION} tr",
        f"{MILLION} sub, dd vs {MILLION} ftr",
    ],
)
def test_extremes_come_to_an_end(battle: str) -> None:
    report = simulated(battle)
    assert report.p_attacker + report.p_defender + report.p_tie + report.p_none == pytest.approx(1)
    assert report.lost_mass == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize(
    ("edition", "attacker", "defender", "bombard"),
    [
        ("1942", {"infantry": 1, "fighter": 1_000_000}, {"antiaircraft gun": 1_000_000}, {}),
        ("revised", {"infantry": 9, "fighter": 90, "bomber": 90}, {"infantry": 90, "antiaircraft gun": 1}, {}),
        ("revised", {"infantry": 1}, {"infantry": 1_000_000}, {"battleship": 1_000_000}),
        ("1940", {"infantry": 1_000_000, "artillery": 1_000_000}, {"mech": 1_000_000}, {"cruiser": 1_000_000}),
        ("1942", {"transport": 1_000_000, "destroyer": 1}, {"submarine": 1, "transport": 1_000_000}, {}),
    ],
)
def test_extremes_of_other_editions_come_to_an_end(
    edition: str, attacker: dict[str, int], defender: dict[str, int], bombard: dict[str, int]
) -> None:
    armies = {"attacker": attacker, "defender": defender, "bombard": bombard}
    fields = {name: army(counts, edition=edition) for name, counts in armies.items()}
    report = OddsRequest.model_validate({**fields, "battles": 1_000}).run()
    assert report.p_attacker + report.p_defender + report.p_tie + report.p_none == pytest.approx(1)


@pytest.mark.rest
def test_a_hopeless_quarrel_is_given_up() -> None:
    """A submarine each that is lost last, behind a million transports: more rounds than anyone throws."""
    order = ("transport", "submarine")
    report = OddsRequest(
        attacker=army({"transport": 1_000_000, "submarine": 1}),
        defender=army({"transport": 1_000_000, "submarine": 1}),
        casualties=order,
        battles=1_000,
    ).run()
    assert report.simulation is not None
    assert report.simulation.cut_off == report.lost_mass == 1.0


@pytest.mark.parametrize(
    ("attacker", "defender"),
    [
        ("19000 tr", "dd"),
        ("300 inf", "300 inf"),
        ("30 sub, 9 ftr, 9 bb", "30 sub, 9 ftr, 9 bb"),
        ("9 dd, 99 tr", "99 tr"),
    ],
)
def test_lost_mass_is_bounded(attacker: str, defender: str) -> None:
    report = request(attacker, defender).run()
    assert report.method == "exact"
    assert report.lost_mass < 1e-10


def test_cost_grows_with_the_armies_up_to_a_limit() -> None:
    costs = [request(f"{count} inf, {count} sub", f"{count} dd, {count} ftr").cost() for count in (1, 10, 100, 1000)]
    assert costs == sorted(costs)
    assert costs[0] < 0.1
    assert costs[-1] == costs[-2]


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


def test_warm_up_readies_every_kernel() -> None:
    from sim.axis_allies.odds import fleet, land, sea  # noqa: PLC0415 - after the process without them, not before

    warm_up()
    kernels: list[Any] = [
        fleet.build_fleet,
        *(kernel for engine in (land, sea) for kernel in (engine.battle, engine.one_round, engine.backward)),
    ]
    ready = [len(kernel.signatures) for kernel in kernels]
    for side in (Side.ATTACKER, Side.DEFENDER):
        assert odds("3 sub, dd, ftr, bb vs 2 sub, cv, tr", stop_after=2).odds(side).ipc_start > 0
    odds("3 inf, ftr vs 2 tanks, bmr", retreat_below=2, casualties="smart")
    for battle in ("3 sub, dd, ftr vs 2 sub, cv", "3 inf, ftr vs 2 tanks"):
        for stop_after in (2, None):
            retreats = RetreatRequest(**parse_battle(battle), territory=3, stop_after=stop_after).run()
            assert retreats.rounds
    assert [len(kernel.signatures) for kernel in kernels] == ready == [1] * len(kernels)
