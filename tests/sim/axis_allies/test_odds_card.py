import pytest

from sim.axis_allies.cards import odds_card
from sim.axis_allies.odds_report import OddsReport
from sim.axis_allies.parse import parse_battle
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.silhouettes import SILHOUETTES
from sim.axis_allies.units import Unit
from sim.core.cards.theme import BLUE, ORANGE
from sim.core.values import Side
from tests.sim.core.cards.looking import opened, share

BAR = 84 + 40
EVERYTHING = "9 inf 8 tank 7 f 6 b 5 s 4 d 3 c 2 bb 1 tr vs 10 inf 9 tank 8 f 7 b 6 s 5 d 4 c 3 bb 2 tr"


def report(battle: str) -> OddsReport:
    return OddsRequest.model_validate(parse_battle(battle)).run()


@pytest.mark.parametrize(
    "battle",
    ["6 tanks vs 10 inf", "1 sub vs 1 ftr", "2 tr vs 1 dd", "300 inf vs 300 inf", "5000 inf vs 4000 inf", EVERYTHING],
)
def test_every_battle_fits_a_card(battle: str) -> None:
    assert opened(odds_card(report(battle)).png()).height <= 700


def test_the_bar_is_as_long_as_the_chance() -> None:
    odds = report("6 tanks vs 10 inf")
    image = opened(odds_card(odds).png())
    assert share(image, ORANGE, row=BAR) == pytest.approx(odds.p_attacker * 744 / 800, abs=0.01)
    assert share(image, BLUE, row=BAR) == pytest.approx(odds.p_defender * 744 / 800, abs=0.01)


@pytest.mark.parametrize(
    "battle", ["6 tanks vs 10 inf", "3 sub, 2 f vs 4 sub, 1 dd", "2 bb, 3 f, 1 tr vs 1 bb, 4 sub, 2 dd"]
)
def test_what_the_winner_has_left_adds_up_to_its_chance(battle: str) -> None:
    odds = report(battle)
    for side, chance in ((Side.ATTACKER, odds.p_attacker), (Side.DEFENDER, odds.p_defender)):
        assert sum(bar.p for bar in odds.odds(side).units_of_winner) == pytest.approx(chance, abs=1e-9)


def test_a_side_that_never_wins_has_no_color_below_its_units() -> None:
    image = opened(odds_card(report("2 tr vs 1 dd")).png())
    assert share(image.crop((0, 310, 800, 563)), ORANGE) == 0


def test_every_unit_has_a_silhouette() -> None:
    assert {unit.value for unit in Unit} <= SILHOUETTES.keys()
