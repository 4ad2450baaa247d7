"""The card of waves and of a counterattack: that every one fits, and that its bars are as long as the chances."""

import pytest

from sim.axis_allies.reports import WaveReport
from sim.axis_allies.waves import WaveCardRequest
from sim.core.cards.theme import BLUE, ORANGE
from sim.core.cards.values import DrawnCard
from tests.sim.axis_allies.wave_builders import waves_of
from tests.sim.core.cards.looking import opened, share

BAR = 84 + 8
WIDE = 744 / 800
LONG = "9 infantry, 4 artillery, 6 tank, 2 fighter, 2 tactical bomber, 1 bomber + 2 battleship, 1 cruiser"
MANY = "20 infantry, 6 artillery, 9 tank, 3 gun, 3 fighter, 1 tactical bomber, 1 bomber"
FEW = "9 infantry, 4 fighter + 1 battleship"


def drawn(*battle: str) -> tuple[WaveReport, DrawnCard]:
    return WaveCardRequest(waves=waves_of(*battle)).run()


@pytest.mark.parametrize(
    ("battle", "most"),
    [
        (("1941", "6 infantry, 2 tank then 3 fighter, 1 bomber", "10 infantry"), 400),
        (("1942", "2 submarine, 1 fighter then 4 destroyer, 1 battleship", "3 submarine, 2 transport"), 400),
        (("1942", "6 infantry + 1 cruiser", "5 infantry, 1 gun", "5 infantry, 2 fighter"), 560),
        (("1942", "1 fighter then 1 fighter", "1 submarine"), 400),
        (
            (
                "1940",
                f"{LONG} then 3 infantry then 4 tank then 2 bomber, 1 infantry + 3 cruiser then 9 infantry",
                MANY,
                FEW,
            ),
            940,
        ),
    ],
)
def test_every_question_fits_a_card(battle: tuple[str, ...], most: int) -> None:
    assert opened(drawn(*battle)[1].data).height <= most


def test_the_bar_is_as_long_as_the_chances() -> None:
    report, card = drawn("1941", "6 infantry, 2 tank then 3 fighter, 1 bomber", "10 infantry")
    image = opened(card.data)
    assert share(image, ORANGE, row=BAR) == pytest.approx(report.p_attacker * WIDE, abs=0.01)
    assert share(image, BLUE, row=BAR) == pytest.approx(report.p_defender * WIDE, abs=0.01)


def test_a_second_bar_shows_what_is_held() -> None:
    report, card = drawn("1942", "6 infantry, 2 tank", "4 infantry", "4 infantry, 1 fighter")
    image = opened(card.data)
    row = image.height - 130  # inside the second bar
    assert report.p_holds is not None
    assert share(image, ORANGE, row=row) == pytest.approx(report.p_holds * WIDE, abs=0.01)
    assert share(image, BLUE, row=row) == pytest.approx((1 - report.p_takes) * WIDE, abs=0.01)


def test_a_card_in_words() -> None:
    _, card = drawn("1941", "6 infantry, 2 tank then 3 fighter, 1 bomber", "10 infantry")
    assert card.alt == (
        "Defender wins 50.5% of the time. Takes 8.3%, tie 2.5%, about 5.6 rounds. "
        "Wave 1: 6 infantry, 2 tanks: wins 8.3%. Wave 2: 3 fighters, 1 bomber: wins 38.6%. "
        "Defender: 10 infantry: wins 50.5%. Attacker: 72 IPC, loses 57.3. Defender: 30 IPC, loses 24.3."
    )


def test_a_counterattack_in_words() -> None:
    _, card = drawn("1942", "6 infantry + 1 cruiser", "3 infantry", "3 infantry")
    assert card.alt.startswith("Taken and held ")
    assert "1 cruiser bombard." in card.alt
    assert "Counter: 3 infantry. Held " in card.alt
