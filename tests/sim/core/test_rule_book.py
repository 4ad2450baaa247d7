"""Legality is checked once, in the base of all rules; every game says why not in its own words."""

import pytest

from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import Fire, PickLosses, Retreat, RunOut, Setup, TimeUp
from sim.axis_allies.parse import parse_army
from sim.core.battle import CLOCK, REFEREE, AnySystem, IllegalActionError, RuleBook
from sim.core.dice import SeededDice
from sim.core.values import Side
from sim.jobs.discovery import system, systems
from tests.sim.core.coins import Coins, Heap, Table, Toss

DICE = SeededDice(b"coins")


def test_a_legal_action_is_done() -> None:
    step = Coins().apply(Coins().begin(Table(coins=2)), Toss(), "player", DICE)
    assert [len(event.faces) for event in step.events] == [2]


def test_another_seat_is_told_whose_it_is() -> None:
    with pytest.raises(IllegalActionError, match=r"^Only the player may do that\.$"):
        Coins().apply(Coins().begin(Table()), Toss(), "referee", DICE)


def test_what_is_not_legal_is_refused_in_the_words_of_the_game() -> None:
    with pytest.raises(IllegalActionError, match=r"^No toss now\.$"):
        Coins().apply(Heap(table=Table(), heads=3), Toss(), "player", DICE)


class Plain(Coins):
    """Coins of which the game says no more than it must."""

    max_seconds = 0.5
    cost = RuleBook.cost
    why_not = RuleBook.why_not


def test_a_game_need_not_say_why_not_or_work_out_its_cost() -> None:
    rules = Plain()
    assert rules.cost(Heap(table=Table()), Toss()) == 0.5
    assert rules.why_not(Heap(table=Table(), heads=3), Toss()) == "The battle is over."
    assert rules.why_not(Heap(table=Table()), Toss()) == "That can't be done now."


@pytest.mark.parametrize(
    ("action", "seat", "sentence"),
    [
        (Retreat(), "attacker", "The attacker can retreat only after the first round."),
        (TimeUp(), CLOCK, "Nobody has losses to choose now."),
        (PickLosses(side=Side.DEFENDER, losses=()), "defender", "The defender has no losses to choose now."),
        (Fire(), "defender", "Only the attacker or the referee may do that."),
        (RunOut(), CLOCK, "Only the attacker or the referee may do that."),
    ],
)
def test_sentences_of_a_battle_with_dice(action: object, seat: str, sentence: str) -> None:
    rules: AnySystem = DiceBattle()
    state = rules.begin(Setup(attacker=parse_army("2 inf"), defender=parse_army("2 inf")))
    with pytest.raises(IllegalActionError) as refused:
        rules.apply(state, action, seat, DICE)
    assert str(refused.value) == sentence
    over = rules.apply(state, RunOut(), REFEREE, DICE).state
    with pytest.raises(IllegalActionError, match=r"^The battle is over\.$"):
        rules.apply(over, action, seat, DICE)


@pytest.mark.parametrize("name", systems())
def test_codecs_come_from_the_types_of_the_class(name: str) -> None:
    rules = system(name)
    assert len({id(codec) for codec in (rules.setups, rules.states, rules.actions, rules.events)}) == 4
