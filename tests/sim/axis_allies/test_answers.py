"""The requests behind `/aacalc` and saved armies, the lines below an answer, and the cards of odds and of advice.

The lines stand only where they apply, with figures that the odds agree with; every card fits, and its bars are as long
as the chances.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sim.axis_allies.answers import SMART_GAIN, AdviceRequest, CalcRequest, CheckRequest
from sim.axis_allies.army import Army, army_text
from sim.axis_allies.cards import SHOWN, as_cheap, odds_card
from sim.axis_allies.casualties import Casualties
from sim.axis_allies.parse import decode_text, parse_question
from sim.axis_allies.parse.options import parse_casualties
from sim.axis_allies.requests import LuckRequest, OddsRequest, PurchaseRequest, RetreatRequest, caveats
from sim.axis_allies.silhouettes import SILHOUETTES
from sim.axis_allies.units import Unit
from sim.core import RuleError, TextError
from sim.core.cards.theme import BLUE, INK, ORANGE
from sim.core.cards.values import DrawnCard
from sim.core.values import Side
from tests.sim.axis_allies.builders import asking, luck_of, read
from tests.sim.core.cards.looking import opened, share
from tests.tables import kept_table


def request(battle: str, casualties: Casualties | None = None) -> CalcRequest:
    return CalcRequest.of(parse_question(battle).with_options(casualties=casualties))


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


@pytest.mark.parametrize("size", [1, 50, 1_000, 1_000_000])
def test_whatever_is_asked_is_within_the_cost_limit_of_a_job(size: int) -> None:
    """Odds over their limit are simulated, not refused."""
    everything = f"{size} i {size} t {size} f {size} b {size} s {size} d {size} c {size} bb {size} tr"
    assert request(f"{everything} vs {everything}").cost() <= 5.0


def checked(content: bytes) -> list[str]:
    """Return the armies of a content as they read."""
    request = CheckRequest(content=content)
    assert 0 < request.cost() < 1
    return [army_text(army) for army in request.run()]


@pytest.mark.parametrize(("content", "armies"), kept_table(__file__, "armies"))
def test_one_army_or_two(content: str, armies: list[str]) -> None:
    assert checked(content.encode()) == armies


def test_an_army_is_of_the_edition_that_has_its_units_the_own_one_first() -> None:
    def edition(content: bytes, own: str) -> str:
        return CheckRequest(content=content, edition=own).run()[0].edition

    assert edition(b"6 inf", "1940") == "1940"
    assert edition(b"6 inf, 1 mech", "1942") == "1940"
    assert edition(b"revised: 6 inf", "1942") == "revised"


@pytest.mark.parametrize("content", [b"", b"x" * 200_000, b"6 tanks vs"])
def test_what_is_no_army(content: bytes) -> None:
    with pytest.raises(TextError):
        checked(content)


def test_what_is_no_text() -> None:
    with pytest.raises(RuleError, match="plain text in UTF-8"):
        decode_text(b"PK\x03\x04\xff")


def told(text: str) -> tuple[str, ...]:
    request = OddsRequest(**parse_question(text).fields)
    return tuple(caveats(request, retreats=request.withdrawal.possible))


@pytest.mark.parametrize(("text", "lines"), kept_table(__file__, "notes"))
def test_each_line_stands_only_where_it_applies(text: str, lines: list[str]) -> None:
    assert list(told(text)) == lines


SHIPS = "bombardment: 1 cruiser: 0.5 hits on average; units hit still fire back"
GUNS = "antiaircraft fire: 1 gun, 1 die: 0.17 planes fall on average"


def asked(text: str) -> dict[str, Any]:
    fields = parse_question(text).fields
    return {name: fields[name] for name in ("attacker", "defender", "bombard")}


def test_advice_says_them_too() -> None:
    fields = asked("1942: 3 inf, 1 ftr, 1 cru bombard vs 2 inf, 1 aa")
    sea = "by the rules, units that came by sea can't retreat; here they do"
    assert RetreatRequest(**fields).run().notes == (GUNS, SHIPS, sea)
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


BAR = 92 + 8
"""A row of points in the bar, above its words."""

WIDE = 744 / 800
EVERYTHING = "9 inf 8 tank 7 f 6 b 5 s 4 d 3 c 2 bb 1 tr vs 10 inf 9 tank 8 f 7 b 6 s 5 d 4 c 3 bb 2 tr"
ARMIES = "40 inf, 9 tanks, 3 ftr vs 20 inf, 7 tanks, 3 ftr, 2 bmr"


def need(
    attacker: str, defender: str, *, chance: float = 0.6, side: Side = Side.ATTACKER, units: str = ""
) -> DrawnCard:
    kinds: tuple[Unit, ...] = tuple(group.unit for group in read(units).groups)
    request = PurchaseRequest(attacker=read(attacker), defender=read(defender), chance=chance, side=side, units=kinds)
    return AdviceRequest(question=request).run()[1]


def retreat(battle: str) -> DrawnCard:
    return AdviceRequest(question=RetreatRequest(**asked(battle))).run()[1]


def luck(*result: str) -> DrawnCard:
    return AdviceRequest(question=luck_of(*result)).run()[1]


@pytest.mark.parametrize(
    "drawn",
    [
        partial(need, "6 tanks", "10 inf"),
        partial(need, "", "10 inf", units="inf, tank, ftr, bmr"),
        partial(need, "6 tanks, 2 ftr", "", side=Side.DEFENDER),
        partial(need, "2 dd, 1 sub", "2 cv, 3 ftr, 1 bb"),
        partial(need, *ARMIES.split(" vs "), side=Side.DEFENDER, units="inf"),
        partial(need, *EVERYTHING.split(" vs "), units="bb"),
        partial(retreat, "6 tanks, 2 inf vs 8 inf"),
        *(partial(retreat, battle) for battle in ("2 tanks vs 10 inf", "20 tanks vs 1 inf", "1 inf vs 1 inf", ARMIES)),
        partial(luck, "6 tanks vs 10 inf", "2 tanks"),
        partial(luck, "6 tanks vs 3 inf", "", "3 inf"),
        partial(luck, "6 tanks vs 10 inf"),
        partial(luck, ARMIES, "14 inf, 9 tanks, 3 ftr"),
        partial(luck, "2 tr vs 1 dd", "", "1 dd"),
    ],
)
def test_all_advice_fits_a_card(drawn: Callable[[], DrawnCard]) -> None:
    assert opened(drawn().data).height <= 700


def test_the_bar_of_a_purchase_is_as_long_as_its_chance() -> None:
    image = opened(need("6 tanks", "10 inf", chance=0.75).data)
    mark = 10 / 800
    assert share(image, ORANGE, row=BAR) == pytest.approx(0.844 * WIDE - mark, abs=0.01)
    assert share(image, INK, row=BAR) == pytest.approx(mark, abs=0.003), "what was wanted is marked"


def test_advice_not_to_attack_shows_what_it_would_cost() -> None:
    assert share(opened(retreat("2 sub vs 2 bb").data), BLUE, row=BAR) == pytest.approx(0.987 * WIDE, abs=0.01)


def test_ships_that_bombard_are_told() -> None:
    """And units of other editions have their pictures."""
    drawn = retreat("1940: 4 inf, 2 art, 1 tac, 1 bb bombard, 2 cru bombard vs 5 inf, 1 aa, 1 mech")
    ships = "Attacker: 4 infantry, 2 artillery, 1 tactical bomber, 1 battleship, 2 cruisers bombard."
    assert ships in drawn.alt
    assert opened(drawn.data).height <= 700


def test_luck_is_marked_on_a_scale_from_cold_to_hot() -> None:
    image = opened(luck("4 tanks, 4 inf vs 6 inf", "4 tanks, 1 inf").data)
    at, row = round(28 + 0.603 * 744), 92 + 72
    assert share(image.crop((at - 4, 0, at + 4, 200)), INK, row=row) == 1
    assert share(image.crop((28, 0, 140, 200)), BLUE, row=row) == 1
    assert share(image.crop((660, 0, 770, 200)), ORANGE, row=row) == 1


@pytest.mark.parametrize(("attacker", "same"), [("6 tanks", {True, False}), ("2 dd, 1 sub", {False})])
def test_what_costs_the_same_is_not_nearly_as_cheap(attacker: str, same: set[bool]) -> None:
    against = "10 inf" if "tank" in attacker else "2 cv, 3 ftr, 1 bb"
    request = PurchaseRequest(attacker=read(attacker), defender=read(against), chance=0.6)
    report = request.run()
    assert {other.ipc == report.best.ipc for other in report.others[:SHOWN]} == same
    words = as_cheap(report)
    assert words == ("Nearly as cheap" if same == {False} else "As cheap, or nearly")
    cheap = report.model_copy(update={"others": (report.best,)})
    assert as_cheap(cheap) == "Just as cheap"


@pytest.mark.parametrize(
    "battle",
    ["6 tanks vs 10 inf", "1 sub vs 1 ftr", "2 tr vs 1 dd", "300 inf vs 300 inf", "5000 inf vs 4000 inf", EVERYTHING],
)
def test_every_battle_fits_a_card(battle: str) -> None:
    assert opened(odds_card(asking(battle).run()).png()).height <= 800


def test_the_bar_is_as_long_as_the_chance() -> None:
    odds = asking("6 tanks vs 10 inf").run()
    image = opened(odds_card(odds).png())
    assert share(image, ORANGE, row=BAR) == pytest.approx(odds.p_attacker * WIDE, abs=0.01)
    assert share(image, BLUE, row=BAR) == pytest.approx(odds.p_defender * WIDE, abs=0.01)


def test_the_attacker_stands_left_everywhere() -> None:
    """In the bar, in the row of units, and in what is left of the winner."""
    image = opened(odds_card(asking("6 tanks, 2 inf, 1 bmr vs 9 inf, 1 tank, 1 ftr").run()).png())
    for top, bottom in ((92, 152), (226, 310), (400, 560)):
        left, right = image.crop((0, top, 300, bottom)), image.crop((500, top, 800, bottom))
        assert share(left, ORANGE) > share(left, BLUE) or top == 92
        assert share(right, BLUE) > 0 == share(right, ORANGE)


def test_a_side_that_never_wins_has_no_color_below_its_units() -> None:
    image = opened(odds_card(asking("2 tr vs 1 dd").run()).png())
    assert share(image.crop((0, 410, 800, 670)), ORANGE) == 0


def test_every_unit_has_a_silhouette() -> None:
    assert {unit.value for unit in Unit} <= SILHOUETTES.keys()
