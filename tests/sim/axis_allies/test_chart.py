import io

import numpy as np
import pytest
from PIL import Image

from sim.axis_allies.chart import odds_chart
from sim.axis_allies.parse import parse_battle
from sim.axis_allies.requests import OddsRequest

ORANGE, BLUE = (255, 146, 43), (77, 171, 247)


def picture(battle: str) -> tuple[bytes, Image.Image]:
    data = odds_chart(OddsRequest.of(parse_battle(battle)).run())
    return data, Image.open(io.BytesIO(data)).convert("RGB")


def share(image: Image.Image, colour: tuple[int, int, int]) -> float:
    """Return the share of points in a colour below the titles."""
    below = image.crop((0, image.height // 8, image.width, image.height))
    points = np.asarray(below).reshape(-1, 3)
    return float((points == colour).all(axis=1).mean())


@pytest.mark.parametrize(
    "battle", ["6 tanks vs 10 inf", "1 sub vs 1 ftr", "2 tr vs 1 dd", "300 inf vs 300 inf", "5000 inf vs 4000 inf"]
)
def test_a_picture_for_a_phone(battle: str) -> None:
    data, image = picture(battle)
    assert (image.width, image.height) == (800, 450)
    assert len(data) < 100_000


def test_the_likelier_side_has_the_larger_bars() -> None:
    _, image = picture("6 tanks vs 10 inf")
    assert share(image, BLUE) > 3 * share(image, ORANGE) > 0


def test_a_side_that_never_survives_has_no_bars() -> None:
    _, image = picture("2 tr vs 1 dd")
    assert share(image, ORANGE) == 0
    assert share(image, BLUE) > 0.1


def test_the_same_odds_give_the_same_picture() -> None:
    assert picture("6 tanks vs 10 inf")[0] == picture("6 tanks vs 10 inf")[0]
