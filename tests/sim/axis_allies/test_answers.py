"""The requests behind `/aacalc` and saved armies, and the lines below an answer.

These stand only where they apply, with figures that the odds agree with.
"""

from typing import Any

import pytest

from sim.axis_allies.answers import SMART_GAIN, CalcRequest, CheckRequest
from sim.axis_allies.army import Army, army_text
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.parse import decode_text, parse_question
from sim.axis_allies.parse.options import parse_casualties
from sim.axis_allies.reports import CalcReport
from sim.axis_allies.requests import LuckRequest, OddsRequest, PurchaseRequest, RetreatRequest, caveats
from sim.axis_allies.units import Unit
from sim.core.errors import RuleError, TextError, TooMuchError
from sim.core.values import Side
from tests.sim.axis_allies.builders import rows
from tests.tables import kept_table, kept_text


def request(battle: str, casualties: Casualties | None = None) -> CalcRequest:
    return CalcRequest.of(parse_question(battle).with_options(casualties=casualties))


def test_the_answer_is_the_average_battle_and_the_odds_side_by_side() -> None:
    query = request("6 tanks vs 10 inf")
    report = query.run()
    assert query.average is not None
    assert query.odds is not None
    assert report.average == query.average.run()
    assert report.odds == query.odds.run(course=True)
    assert report.card is not None


def test_without_odds_only_the_average_battle() -> None:
    report = request("2.5 inf vs 2 inf").run()
    assert report == CalcReport(average=report.average)


@pytest.mark.parametrize(("battle", "order", "noted"), kept_table(__file__, "smart"))
def test_smart_casualties_are_told_where_they_change_a_chance(battle: str, order: str, noted: bool) -> None:
    query = request(battle, casualties=parse_casualties(order))
    report = query.run()
    assert (report.smart is not None) is noted
    if report.smart is not None and report.odds is not None and query.odds is not None:
        smart = query.odds.model_copy(update={"attacker_casualties": "smart", "defender_casualties": "smart"}).run()
        assert report.smart == (smart.p_attacker, smart.p_defender)
        changes = smart.p_attacker - report.odds.p_attacker, smart.p_defender - report.odds.p_defender
        assert max(map(abs, changes)) >= SMART_GAIN


def test_a_simulation_is_too_coarse_for_the_comparison() -> None:
    report = request("3000 inf, 10 bb, 20 sub vs 3000 inf, 10 bb, 20 sub").run()
    assert report.odds is not None
    assert report.odds.method == "simulated"
    assert report.smart is None


@pytest.mark.parametrize("size", [1, 50, 1_000, 1_000_000])
def test_whatever_is_asked_is_within_the_cost_limit_of_a_job(size: int) -> None:
    """Odds over their limit are simulated, not refused."""
    everything = f"{size} i {size} t {size} f {size} b {size} s {size} d {size} c {size} bb {size} tr"
    assert request(f"{everything} vs {everything}").cost() <= 5.0


def test_an_average_battle_without_an_end_is_refused() -> None:
    with pytest.raises(TooMuchError, match="rounds 20"):
        request("1 inf vs 9999 transports").run()


def read(content: bytes) -> list[str]:
    """Return the armies of a content as they read."""
    request = CheckRequest(content=content)
    assert 0 < request.cost() < 1
    return [army_text(army) for army in request.run()]


@pytest.mark.parametrize(("content", "armies"), kept_table(__file__, "armies"))
def test_one_army_or_two(content: str, armies: list[str]) -> None:
    assert read(content.encode()) == armies


def test_an_army_is_of_the_edition_that_has_its_units_the_own_one_first() -> None:
    def edition(content: bytes, own: str) -> str:
        return CheckRequest(content=content, edition=own).run()[0].edition

    assert edition(b"6 inf", "1940") == "1940"
    assert edition(b"6 inf, 1 mech", "1942") == "1940"
    assert edition(b"revised: 6 inf", "1942") == "revised"


def test_every_mistake_is_told() -> None:
    with pytest.raises(TextError) as refused:
        read(b"6 tonks vs 3 imf")
    assert len(refused.value.problems) == 2


@pytest.mark.parametrize("content", [b"", b"x" * 200_000, b"6 tanks vs"])
def test_what_is_no_army(content: bytes) -> None:
    with pytest.raises(TextError):
        read(content)


def test_what_is_no_text() -> None:
    with pytest.raises(RuleError, match="plain text in UTF-8"):
        decode_text(b"PK\x03\x04\xff")


def told(text: str) -> tuple[str, ...]:
    request = OddsRequest(**parse_question(text).fields)
    return tuple(caveats(request, retreats=request.withdrawal.possible))


@pytest.mark.parametrize(
    ("text", "lines"),
    [(text, lines) for text, *lines in rows(kept_text(__file__, "notes"))],
)
def test_each_line_stands_only_where_it_applies(text: str, lines: list[str]) -> None:
    assert list(told(text)) == lines


def test_the_planes_that_fall_are_those_of_the_odds() -> None:
    """Without anything else that could hit them, what antiaircraft fire takes is what is missing."""
    report = OddsRequest(**parse_question("1942: 1 inf, 3 ftr, 2 bmr vs 2 aa").fields).run()
    lost = 5 - report.att_left["fighter"] - report.att_left["bomber"]
    assert lost == pytest.approx(5 / 6, abs=1e-9)
    assert any("0.83 planes fall" in note for note in report.notes)


SHIPS = "bombardment: 1 cruiser: 0.5 hits on average; units hit still fire back"
GUNS = "antiaircraft fire: 1 gun, 1 die: 0.17 planes fall on average"


def asked(text: str) -> dict[str, Any]:
    fields = parse_question(text).fields
    return {name: fields[name] for name in ("attacker", "defender", "bombard")}


def test_the_advice_when_to_retreat_says_them_too() -> None:
    report = RetreatRequest(**asked("1942: 3 inf, 1 ftr, 1 cru bombard vs 2 inf, 1 aa")).run()
    assert report.notes == (GUNS, SHIPS, "by the rules, units that came by sea can't retreat; here they do")


def test_the_luck_of_a_battle_says_them_too() -> None:
    fields = asked("1942: 3 inf, 1 ftr, 1 cru bombard vs 2 inf, 1 aa")
    assert LuckRequest(**fields, attacker_left=fields["attacker"], defender_left=Army()).run().notes == (GUNS, SHIPS)


@pytest.mark.parametrize(
    ("text", "side", "unit", "more", "ipc", "notes"),
    [
        ("1942: 3 inf, 1 cru bombard vs 4 inf, 1 aa", Side.ATTACKER, Unit.FIGHTER, 0.001, 10, (GUNS, SHIPS)),
        ("1942: 3 inf, 1 ftr vs 1 inf", Side.DEFENDER, Unit.GUN, 0.001, 5, (GUNS,)),
        ("1942: 3 inf vs 1 inf, 1 aa", Side.ATTACKER, Unit.FIGHTER, -0.001, 0, ()),
    ],
)
def test_what_a_purchase_brings_about_is_said(
    text: str, side: Side, unit: Unit, more: float, ipc: int, notes: tuple[str, ...]
) -> None:
    """Planes that are bought are fired at, and guns that are bought fire; `more`: than the chance without."""
    terms = asked(text) | {"side": side, "units": (unit,)}
    before = PurchaseRequest(**terms, chance=0.01).run().chance_before
    report = PurchaseRequest(**terms, chance=before + more).run()
    assert (report.best.ipc, report.notes) == (ipc, notes)
