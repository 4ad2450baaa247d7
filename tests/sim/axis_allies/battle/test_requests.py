"""How a live battle loses units: by the best orders, found before it opens, and in old ones by a formula."""

import pytest

from sim.axis_allies.battle.requests import OpeningRequest
from sim.axis_allies.battle.values import VERSION, Setup
from sim.axis_allies.casualties import Method
from sim.axis_allies.requests import OddsRequest
from sim.axis_allies.units import Unit
from sim.axis_allies.withdrawal import Withdrawal
from sim.core.values import Side
from tests.sim.axis_allies.battle.builders import setup

FLEETS = "2 dd, 1 bb, 1 ftr, 1 tr vs 2 sub, 1 dd"


def old(battle: str, attacker: str, defender: str) -> Setup:
    """Return a setup as the first version stored it."""
    return Setup.model_validate(
        {**dict(setup(battle)), "version": 1, "attacker_losses": attacker, "defender_losses": defender}
    )


def test_smart_is_a_formula_in_battles_of_the_first_version() -> None:
    battle = old(FLEETS, "smart", "score")
    assert battle.casualties_of(Side.ATTACKER) == "formula"
    assert battle.casualty_order(Side.ATTACKER) == setup(FLEETS, "formula").casualty_order(Side.ATTACKER)
    assert battle.casualty_order(Side.ATTACKER) != setup(FLEETS, "smart").casualty_order(Side.ATTACKER)
    assert battle.casualty_policy(Side.ATTACKER) == "smart"
    assert not OpeningRequest(setup=battle).needed
    assert OpeningRequest(setup=battle).run() == battle


@pytest.mark.parametrize("method", ["smart", "thrifty"])
def test_a_battle_opens_with_the_orders_of_the_odds(method: Method) -> None:
    battle = setup(FLEETS, method)
    opening = OpeningRequest(setup=battle)
    assert opening.needed
    assert opening.cost() > 1
    found = OddsRequest(attacker=battle.attacker, defender=battle.defender, casualties=method).run().found_orders
    orders = {each.side: each.order for each in found}
    opened = opening.run()
    assert {side: opened.casualty_policy(side) for side in Side} == orders
    assert not OpeningRequest(setup=opened).needed
    assert opened.model_copy(update={"attacker_losses": method, "defender_losses": method}) == battle


def test_only_the_side_that_asks_gets_an_order() -> None:
    opened = OpeningRequest(setup=setup(FLEETS, "lives-first", attacker="smart")).run()
    assert not isinstance(opened.attacker_losses, str)
    assert opened.defender_losses == "lives-first"


def test_the_order_is_that_of_odds_with_conditions() -> None:
    battle = setup("1942: 3 tanks vs 1 inf, 2 ftr, 2 bmr", "smart")
    orders = {stop: OpeningRequest(setup=battle, stop_after=stop).run().defender_losses for stop in (None, 1)}
    assert orders[1] == (Unit.INFANTRY, Unit.FIGHTER, Unit.BOMBER)
    assert orders[None] != orders[1]
    asked = {"attacker": battle.attacker, "defender": battle.defender, "casualties": "smart"}
    leaves = Withdrawal(below=3)
    odds = OddsRequest.model_validate({**asked, "withdrawal": leaves}).run()
    opened = OpeningRequest(setup=battle, withdrawal=leaves).run()
    assert opened.defender_losses == next(each.order for each in odds.found_orders if each.side is Side.DEFENDER)


def test_a_rematch_of_an_old_battle_has_the_formula_written_out() -> None:
    again = old(FLEETS, "smart", "score").renewed(swap=False)
    assert again.version == VERSION
    assert again.casualty_order(Side.ATTACKER) == setup(FLEETS, "formula").casualty_order(Side.ATTACKER)
    assert not isinstance(again.attacker_losses, str)
    assert again.defender_losses == "score"


def test_methods_go_with_the_players_and_orders_stay_with_their_armies() -> None:
    methods = setup(FLEETS, "score", attacker="manual").renewed(swap=True)
    assert (methods.attacker_losses, methods.defender_losses) == ("score", "manual")
    ordered = OpeningRequest(setup=setup(FLEETS, "smart")).run()
    assert ordered.renewed(swap=True) == ordered
