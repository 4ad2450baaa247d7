"""Low luck: six points of value are a hit, one die decides on the rest."""

import pytest

from sim.axis_allies.army import Army
from sim.axis_allies.odds_report import OutcomeName
from sim.axis_allies.requests import OddsRequest
from sim.core.errors import RuleError
from tests.sim.axis_allies.wave_builders import army, check_waves, waves_of


@pytest.mark.parametrize(
    ("edition", "waves", "defender", "counter"),
    [
        ("1941", "3 infantry, 2 tank, 1 fighter", "4 infantry, 1 tank", ""),
        (
            "1942",
            "3 infantry, 2 artillery, 2 fighter + 1 cruiser",
            "3 infantry, 1 gun, 1 fighter",
            "2 infantry, 1 tank",
        ),
        ("1942", "2 infantry, 1 fighter then 1 infantry, 2 bomber + 1 battleship", "3 infantry, 2 gun", ""),
        ("anniversary", "2 infantry, 1 artillery, 1 bomber + 1 battleship, 1 cruiser", "4 infantry, 1 fighter", ""),
        ("revised", "4 infantry, 1 tank + 2 battleship then 1 tank, 1 fighter", "3 infantry, 1 tank, 1 fighter", ""),
        ("1942", "3 submarine, 1 fighter", "2 destroyer, 1 fighter", ""),
        ("1942", "2 submarine, 2 fighter, 1 bomber", "2 submarine, 1 cruiser", ""),
        ("1942", "2 submarine, 1 destroyer, 2 fighter", "1 submarine, 1 destroyer, 1 battleship", ""),
        ("1942", "2 submarine, 1 fighter then 1 destroyer, 2 bomber", "1 submarine, 1 cruiser, 1 transport", ""),
    ],
)
def test_every_group_is_added_up(edition: str, waves: str, defender: str, counter: str) -> None:
    check_waves(waves_of(edition, waves, defender, counter, low_luck=True))


@pytest.mark.parametrize("edition", ["revised", "anniversary", "classic"])
def test_a_marked_gun_adds_up_by_plane_type_where_they_fall_by_type(edition: str) -> None:
    check_waves(waves_of(edition, "1 infantry, 4 fighter, 3 bomber", "4 infantry, 1 gun", low_luck=True))


def odds(attacker: str, defender: str, edition: str, *technology: str, bombard: str = "") -> dict[OutcomeName, float]:
    return (
        OddsRequest(
            attacker=army(attacker, edition),
            defender=army(defender, edition),
            bombard=army(bombard, edition) if bombard else Army(),
            attacker_technology=technology,
            low_luck=True,
        )
        .run()
        .outcomes_by_name
    )


def test_sixes_are_sure() -> None:
    assert odds("6 infantry", "1 infantry", "1942") == {"attacker": 1, "defender": 0, "tie": 0, "nobody": 0}


def test_a_bombardment_joins_the_first_round() -> None:
    # 4 + 1 + 1 points are a hit, and so the battle lasts a round.
    assert odds("2 infantry", "1 infantry", "1942", bombard="1 battleship")["defender"] == 0
    assert odds("2 infantry", "1 infantry", "revised", bombard="1 battleship")["attacker"] < 1


def test_heavy_bombers_that_throw_two_dice_add_both() -> None:
    assert odds("3 bomber", "4 infantry", "revised", "heavy-bombers")["attacker"] == 1


@pytest.mark.parametrize("edition", ["anniversary", "1940"])
def test_the_best_of_two_dice_has_no_low_luck(edition: str) -> None:
    with pytest.raises(RuleError, match="Low luck has no rule for heavy bombers"):
        odds("3 bomber", "4 infantry", edition, "heavy-bombers")
    odds("3 tank", "4 infantry", edition, "heavy-bombers")


def test_a_plane_that_is_sure_to_be_shot_down_is_a_loss() -> None:
    """Six dice at 1 are a hit: one fighter of six is lost before the first round."""
    request = OddsRequest(attacker=army("6 fighter", "1942"), defender=army("1 infantry, 2 gun", "1942"), low_luck=True)
    assert request.run().att_ipc_lost >= 10
