"""The cards of Marked for Death say in words what their bars show."""

from sim.marked_for_death.battle.rules import RosterBattle
from sim.marked_for_death.battle.values import Setup
from sim.marked_for_death.cards import battle_card, odds_card
from sim.marked_for_death.odds.requests import OddsRequest
from sim.marked_for_death.requests import RunRequest
from sim.marked_for_death.roster import Camp
from tests.sim.marked_for_death.builders import RIDERS, fighter, roster

CJK = "春野サクラ"


def test_a_battle_in_one_go_ends_with_a_card_of_both_sides() -> None:
    report = RunRequest(heroes=RIDERS.encode(), villains=roster("Orc", CJK, fighter("Idle", hp=0)), seed=3).run()
    card = report.card
    assert (card.title, card.aside) == ("Heroes win", "after 1 round")
    assert card.right is not None
    rows = {row.name: row for row in (*card.left.rows, *card.right.rows)}
    for camp in Camp:
        for name, hp in report.side(camp).survivors:
            assert rows[name].figures.startswith(f"{hp} / ")
    for fall in report.fallen:
        assert rows[fall.name].gone
        assert rows[fall.name].figures.startswith("fell ")
    assert rows["Idle"].figures == "sits out"
    assert rows[CJK].instead == "Villain 2"


def test_a_single_takedown_is_nothing_to_boast_of() -> None:
    assert RunRequest(heroes=RIDERS.encode(), villains=roster("Orc"), seed=3).run().card.notes == ()


def test_a_name_that_no_font_draws_has_a_word_in_its_place_in_the_odds() -> None:
    card = odds_card(OddsRequest(heroes=roster("Tom"), villains=roster("Orc", CJK), battles=200).run())
    assert card.right is not None
    assert {row.name: row.instead for row in card.right.rows} == {"Orc": "Villain 1", CJK: "Villain 2"}


def test_the_gray_part_of_the_bar_is_named() -> None:
    state = RosterBattle().begin(Setup(heroes=roster("Tom"), villains=roster("Orc")))
    odds = OddsRequest(heroes=roster("Tom"), villains=roster("Orc")).run()
    assert battle_card(state, (), odds).aside == "both fall 9% · chances from here"
