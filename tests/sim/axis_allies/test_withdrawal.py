"""When the attacker leaves: every condition on land and at sea, and that it never leaves before a round."""

import pytest

from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.withdrawal import Withdrawal
from sim.core.errors import RuleError
from tests.sim.axis_allies.wave_builders import army, check_waves, waves_of

BATTLES = [
    ("1941", "2 infantry, 1 tank, 1 fighter", "2 infantry, 1 bomber"),
    ("1942", "2 infantry, 1 artillery, 2 fighter + 1 cruiser", "2 infantry, 2 gun, 1 fighter"),
    ("1942", "2 infantry, 1 fighter then 2 tank, 1 bomber", "2 infantry, 1 tank, 1 gun"),
    ("revised", "2 infantry, 1 tank, 1 fighter + 1 battleship", "3 infantry"),
    ("classic", "3 infantry, 2 bomber then 2 tank, 1 fighter", "1 infantry, 1 tank, 1 fighter"),
]
FLEETS = [
    ("1942", "2 submarine, 1 destroyer, 1 fighter", "1 submarine, 1 cruiser, 1 fighter"),
    ("1942", "1 battleship, 2 fighter then 2 submarine, 1 fighter", "2 submarine, 1 destroyer"),
    ("1941", "2 destroyer, 1 fighter, 1 bomber", "1 submarine, 2 destroyer"),
]


CONDITIONS = [
    Withdrawal(below=3),
    Withdrawal(ipc_lost=6),
    Withdrawal(only_air=True),
    Withdrawal(defenders_below=2),
    Withdrawal(below=2, ipc_lost=9, defenders_below=2),
]
LAST_LAND = Withdrawal(last_land=True)


def check(battle: tuple[str, str, str], withdrawal: Withdrawal, *, low_luck: bool = False) -> None:
    report = check_waves(waves_of(*battle, withdrawal=withdrawal, low_luck=low_luck))
    assert report.p_retreat > 0 or len(report.waves) > 1, "the condition should matter"


@pytest.mark.parametrize("condition", [*CONDITIONS, LAST_LAND], ids=repr)
@pytest.mark.parametrize("battle", BATTLES)
def test_conditions_on_land(battle: tuple[str, str, str], condition: Withdrawal) -> None:
    check(battle, condition)


@pytest.mark.parametrize("condition", CONDITIONS, ids=repr)
@pytest.mark.parametrize("battle", FLEETS)
def test_conditions_at_sea(battle: tuple[str, str, str], condition: Withdrawal) -> None:
    check(battle, condition)


@pytest.mark.parametrize("battle", [BATTLES[1], FLEETS[0]])
def test_conditions_with_low_luck(battle: tuple[str, str, str]) -> None:
    check(battle, CONDITIONS[1], low_luck=True)


def test_planes_shot_down_do_not_keep_the_first_round_from_being_fought() -> None:
    report = check_waves(waves_of("1942", "1 fighter, 2 tank", "2 tank, 1 gun", withdrawal=Withdrawal(below=3)))
    assert report.exp_rounds >= 1


def test_a_wave_that_meets_few_defenders_fights_a_round() -> None:
    withdrawal = Withdrawal(defenders_below=2)
    report = check_waves(waves_of("1942", "1 infantry then 3 tank", "2 infantry", withdrawal=withdrawal))
    assert report.p_attacker > 0.5


@pytest.mark.parametrize(
    ("attacker", "defender", "withdrawal", "sentence"),
    [
        ("3 infantry", "3 infantry", {"below": 4}, "The attacker starts with only 3 units, so it would retreat"),
        ("1 infantry", "3 infantry", {"below": 2}, "The attacker starts with only 1 unit, so it would retreat"),
        ("3 fighter", "3 infantry", {"only_air": True}, "The attacker has only planes, so it would retreat"),
        ("1 infantry, 3 fighter", "3 infantry", {"last_land": True}, "The attacker starts with a single land unit"),
        ("3 fighter", "3 infantry", {"last_land": True}, "The attacker has no land units, so it would retreat"),
        ("3 infantry", "3 infantry", {"defenders_below": 4}, "The defender starts with only 3 units, so the attacker"),
    ],
)
def test_what_holds_before_the_first_round_is_refused(
    attacker: str, defender: str, withdrawal: dict[str, int], sentence: str
) -> None:
    with pytest.raises(RuleError, match=f"{sentence}.* before the battle"):
        OddsRequest.model_validate(
            {"attacker": army(attacker, "1942"), "defender": army(defender, "1942"), "withdrawal": withdrawal}
        )


def test_a_mark_is_no_unit_that_is_counted() -> None:
    with pytest.raises(RuleError, match="The defender starts with only 2 units"):
        waves_of("revised", "3 infantry", "2 infantry, 1 gun", withdrawal=Withdrawal(defenders_below=3))
