"""What to buy for several fronts: equal to brute force over whole reports, and what is refused."""

import json
from itertools import product
from pathlib import Path
from random import Random

import pytest

from sim.axis_allies import spending
from sim.axis_allies.army import Army
from sim.axis_allies.purchases import purchases_within
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.spending import Aim, Front, Planes, SpendRequest, read_front, read_fronts, read_planes
from sim.axis_allies.units import Unit
from sim.core import RuleError, TooMuchError, error_lines
from tests.sim.conftest import Terminal
from tests.tables import kept_table

INF, ART, TANK, FTR, BMR = Unit.INFANTRY, Unit.ARTILLERY, Unit.TANK, Unit.FIGHTER, Unit.BOMBER
PRICES = {"1941": {INF: 3, TANK: 6}, "1942": {INF: 3, ART: 4, TANK: 6}, "1940": {INF: 3, ART: 4, TANK: 6}}


def spend(*fronts: Front, budget: int, units: tuple[Unit, ...] = (INF,), **more: object) -> SpendRequest:
    return SpendRequest.model_validate({"fronts": fronts, "budget": budget, "units": units, **more})


def worth_alone(front: Front, attacker: Army, aim: Aim) -> float:
    """Return what an attack is worth by the report of the whole battle."""
    if not attacker:
        return 0.0
    fields = {name: getattr(front, name) for name in type(front).model_fields if name != "value"}
    report = OddsRequest(**fields | {"attacker": attacker}).run()
    swing = report.def_ipc_lost - report.att_ipc_lost if aim is Aim.SWING else 0.0
    return front.value * report.p_takes + swing


def brute_force(request: SpendRequest) -> list[float]:
    """Return the worth of every plan, best first: every purchase for every front, every way to send the planes."""
    prices = PRICES[request.edition]
    bought = list(purchases_within([(unit, prices[unit]) for unit in request.units], request.budget))
    flights = [
        [sent for sent in product(range(each.count + 1), repeat=len(request.fronts)) if sum(sent) <= each.count]
        for each in request.planes
    ]
    worths: dict[tuple[int, tuple[int, ...], int], float] = {}
    found = []
    for planes in product(*flights):
        sent_to = zip(request.planes, planes, strict=True)
        if any(count and at not in each.fronts for each, sent in sent_to for at, count in enumerate(sent)):
            continue
        for choice in product(range(len(bought)), repeat=len(request.fronts)):
            if sum(prices[unit] * count for at in choice for unit, count in bought[at].items()) > request.budget:
                continue
            total = 0.0
            for number, (front, at) in enumerate(zip(request.fronts, choice, strict=True)):
                sent = tuple(each[number] for each in planes)
                key = (number, sent, at)
                if key not in worths:
                    units = dict(zip((each.unit for each in request.planes), sent, strict=True))
                    more = Army.of(bought[at], request.edition) + Army.of(units, request.edition)
                    worths[key] = worth_alone(front, front.attacker + more, request.aim)
                nothing = not any(sent) and not bought[at]
                total += max(0.0, worths[key]) if nothing else worths[key]
            found.append(total)
    return sorted(found, reverse=True)


def small(chance: Random) -> SpendRequest:
    """Return a small question with everything that there may be."""
    edition = chance.choice(list(PRICES))
    fronts = []
    for number in range(chance.randint(1, 3)):
        ours = chance.choice(["nobody", f"{chance.randint(1, 3)} inf", "1 tank, 1 inf", "1 inf, 1 ftr"])
        theirs = chance.choice(
            ["2 inf", "1 inf, 1 tank", "1 inf, 1 ftr", "3 inf", *(["1 inf, 1 aa"] if edition != "1941" else [])]
        )
        more = chance.choice(["", "", " | rounds 2", " | take territory"]) if ours != "nobody" else ""
        fronts.append(read_front(f"{ours} vs {theirs}{more}", chance.randint(1, 12), number + 1, edition))
    planes = []
    if chance.random() < 0.4:
        planes.append(Planes(unit=FTR, count=chance.randint(1, 2), fronts=tuple(range(len(fronts)))))
    units = tuple(chance.sample(list(PRICES[edition]), chance.randint(1, 2)))
    aim = chance.choice(list(Aim))
    return SpendRequest(fronts=tuple(fronts), budget=chance.randint(3, 9), units=units, planes=tuple(planes), aim=aim)


MANY = [pytest.param(number, marks=pytest.mark.rest) for number in range(200)]


@pytest.mark.parametrize("number", [*range(1_000, 1_012), *MANY])
def test_the_best_plan_is_that_of_brute_force(number: int) -> None:
    request = small(Random(number))
    report, worths = request.run(), brute_force(request)
    assert report.best.worth == pytest.approx(worths[0], abs=1e-9)
    assert report.best.ipc <= request.budget
    assert sum(each.worth for each in report.best.purchases) == pytest.approx(report.best.worth)
    for planes in request.planes:
        assert sum(int(each.planes.count(planes.unit)) for each in report.best.purchases) <= planes.count
    assert all(each.attacks or each.ipc == each.p_takes == 0 for each in report.best.purchases)
    assert all(later.worth <= report.best.worth + 1e-12 for later in report.others)


@pytest.mark.parametrize(("text", "says"), kept_table(__file__, "wrong_with_fronts"))
def test_what_is_wrong_with_fronts_is_said_with_its_number(text: str, says: str) -> None:
    with pytest.raises(RuleError) as error:
        read_fronts(text, "1942")
    assert str(error.value).startswith(says)
    if "tnaks" in text:
        shown, carets, _ = error_lines(error.value)
        assert carets == f"{' ' * shown.index('tnaks')}^^^^^"


def test_what_can_not_be_asked() -> None:
    fronts = read_fronts("3 inf vs 2 inf = 5\nnobody vs 1 sub for 7 IPC", "1942")
    with pytest.raises(RuleError, match="Front 2: nobody attacks, and nothing you can buy fights there"):
        spend(*fronts, budget=9)
    with pytest.raises(RuleError, match="Only planes reach several fronts"):
        spend(fronts[0], budget=9, planes=(Planes(unit=TANK, count=1, fronts=(0,)),))
    with pytest.raises(RuleError, match="There are fronts 1 to 1"):
        spend(fronts[0], budget=9, planes=(Planes(unit=FTR, count=1, fronts=(1,)),))
    with pytest.raises(TooMuchError, match="Spend less, or buy no tanks"):
        spend(fronts[0], budget=1_000, units=(INF, ART, TANK)).cost()
    with pytest.raises(TooMuchError, match="Leave out fronts, or buy no bombers"):
        spend(*[fronts[0]] * 8, budget=200, units=(INF, ART, TANK, FTR, BMR)).cost()


def test_at_sea_winning_is_what_counts() -> None:
    (front,) = read_fronts("3 sub vs 2 dd worth 5", "1942")
    (plan,) = spend(front, budget=0).run().best.purchases
    fields = {name: getattr(front, name) for name in type(front).model_fields if name != "value"}
    assert plan.p_takes == pytest.approx(OddsRequest(**fields).run().p_attacker)
    assert plan.worth == 5 * plan.p_takes > 4


def test_each_part_is_short_and_their_number_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fronts = read_fronts("3 inf vs 6 inf worth 6; nobody vs 2 inf, 1 aa worth 5", "1942")
    (planes,) = read_planes("1 fighter: all", "1942", len(fronts))
    request = spend(*fronts, budget=20, units=(INF, ART, TANK), planes=(planes,))
    whole = request.run()
    monkeypatch.setattr(spending, "_PART", 1e-3)
    assert len(request.parts(None)) > 8
    assert request.run() == whole
    monkeypatch.undo()
    long = spend(fronts[0], budget=300, units=(INF, ART, TANK)).parts(None)
    assert len(long) > 1
    assert max(part.cost() for part in long) < 1


def test_a_front_too_large_is_named() -> None:
    small, large = read_fronts("3 inf vs 2 inf worth 5; 9999 inf vs 2000 inf worth 5", "1942")
    with pytest.raises(TooMuchError, match=r"Front 2: these armies are too large\. Leave it out"):
        spend(small, large, budget=0).cost()
    (large,) = read_fronts("99999 inf vs 2 inf worth 5", "1942")
    with pytest.raises(TooMuchError, match=r"Front 1: .* Leave it out"):
        spend(large, budget=0).run()


def test_each_front_may_name_its_edition_but_all_name_one() -> None:
    (front,) = read_fronts("1940: nobody vs 2 inf worth 5")
    assert (front.edition, bool(front.attacker)) == ("1940", False)
    with pytest.raises(RuleError, match="All fronts must be from the same edition"):
        spend(*read_fronts("1940: 3 inf vs 2 inf worth 5; 1942: 3 inf vs 2 inf worth 5"), budget=9)


@pytest.mark.parametrize("text", ["13 fighters: 1", "1.5 fighters: 1"])
def test_planes_are_few_and_whole(text: str) -> None:
    with pytest.raises(RuleError, match="at most 12 whole planes"):
        list(read_planes(text, "1942", 1))


def test_the_terminal_says_the_same_as_json(tmp_path: Path, terminal: Terminal) -> None:
    file = tmp_path / "fronts.json"
    fronts = [{"battle": "3 inf vs 2 inf", "value": 5}, {"battle": "nobody vs 2 inf", "value": 9}]
    asked = {"edition": "1942", "budget": 20, "units": ["infantry", "art"], "fronts": fronts}
    file.write_text(json.dumps(asked | {"planes": [{"unit": "fighter", "fronts": [0, 1]}]}))
    told = terminal.json("aa-spend", str(file))
    assert told["worth"] == pytest.approx(
        sum(row["p_takes"] * each["value"] for row, each in zip(told["purchases"], fronts, strict=True))
    )
    assert [row["front"] for row in told["purchases"]] == [0, 1]
    assert told["next"][0]["worth"] <= told["worth"]
    assert terminal("aa-spend", str(file)).out.startswith("Buy ")
    file.write_text(json.dumps(asked | {"budget": -1}))
    assert "budget: " in terminal("aa-spend", str(file), status=2).err
