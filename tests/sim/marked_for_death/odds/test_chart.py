"""The picture of the odds."""

import io
import warnings

import numpy as np
import pytest
from PIL import Image

from sim.marked_for_death.reports import MAX_BARS, charted_fighters
from sim.marked_for_death.requests import OddsChartRequest, OddsRequest
from sim.marked_for_death.roster import Camp, Roster
from tests.sim.marked_for_death.odds.builders import crowd, fighter, side

BLUE, ORANGE, GREY = (77, 171, 247), (255, 146, 43), (134, 142, 150)
BAR = slice(60, 96)  # the rows of points in which the endings stand


def picture(heroes: Roster, villains: Roster, limit: int | None = None) -> Image.Image:
    report = OddsRequest(heroes=heroes, villains=villains, max_rounds=limit, battles=500).run()
    data = OddsChartRequest(report=report).run()
    assert data == OddsChartRequest(report=report).run()
    assert len(data) < 150_000
    return Image.open(io.BytesIO(data)).convert("RGB")


def share(image: Image.Image, colour: tuple[int, int, int]) -> float:
    points = np.asarray(image)[BAR].reshape(-1, 3)
    return float((points == colour).all(axis=1).mean())


@pytest.mark.parametrize("count", [1, 5, 60])
def test_a_picture_for_a_phone(count: int) -> None:
    image = picture(crowd("h", count), crowd("v", count))
    assert image.width == 800
    assert image.height <= 1_000


def test_the_bar_is_shared_by_chance() -> None:
    image = picture(side(fighter("A", 5, 1)), side(fighter("B", 5, 1)))
    assert share(image, BLUE) == pytest.approx(0.96 * 0.357, abs=0.01)
    assert share(image, ORANGE) == pytest.approx(0.96 * 0.357, abs=0.01)
    assert share(image, GREY) == pytest.approx(0.96 * 0.286, abs=0.01)


def test_the_likeliest_to_survive_are_drawn() -> None:
    heroes = side(*crowd("h", 30).fighters, fighter("Gone", hp=0))
    report = OddsRequest(heroes=heroes, villains=crowd("v", 3), battles=300).run()
    visible = charted_fighters(report, Camp.HEROES)
    hidden = set(report.side(Camp.HEROES)) - set(visible)
    assert len(visible) == MAX_BARS
    assert min(fighter_odds.p_survives for fighter_odds in visible) >= max(
        fighter_odds.p_survives for fighter_odds in hidden
    )
    assert len(charted_fighters(report, Camp.VILLAINS)) == 3


@pytest.mark.parametrize("name", ["$\\frac{a$", "漢字かな", "🐉🐉", "W" * 40, "שלום", "%s {x}"])
def test_names_are_nothing_but_names(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture(side(fighter(name)), side(fighter("B"), fighter("C", hp=0)), 1)


def test_nobody_is_drawn_too() -> None:
    picture(side(fighter("A", hp=0)), side(fighter("B")))
