"""What all rules share: legality is checked once; places of teams, their chances from the first roll on."""

from types import SimpleNamespace
from typing import cast

import pytest

from sim.axis_allies.battle.cards import odds_from_here
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.battle.values import MANUAL, Setup
from sim.axis_allies.parse import parse_question
from sim.core.battle import AnySystem, IllegalActionError, LegalAction, Outcome, RuleBook
from sim.core.dice import SeededDice
from sim.core.standings import Team, outlook, standings, with_chances
from sim.core.values import Ending, Side
from sim.jobs.discovery import system, systems
from tests.conformance.example import example_of, plays, registered
from tests.sim.core.coins import Coins, Heap, Table, Toss

DICE = SeededDice(b"coins")


def test_a_legal_action_is_done() -> None:
    step = Coins().apply(Coins().begin(Table(coins=2)), Toss(), "player", DICE)
    assert [len(event.faces) for event in step.events] == [2]


class Plain(Coins):
    """Coins of which the game says no more than it must."""

    max_seconds = 0.5
    cost = RuleBook.cost
    over = RuleBook.over

    def legal(self, state: Heap) -> tuple[LegalAction[Toss], ...]:
        return super().legal(state) if state.heads else ()


@pytest.mark.parametrize(
    ("rules", "heads", "seat", "why"),
    [
        (Coins(), 0, "referee", "Only the player may do that."),
        (Coins(), 3, "player", "Three heads are up."),
        (Plain(), 0, "player", "That can't be done now."),
        (Plain(), 3, "player", "The battle is over."),
    ],
)
def test_what_is_not_legal_is_refused_in_the_words_of_the_game_if_it_has_any(
    rules: Coins, heads: int, seat: str, why: str
) -> None:
    with pytest.raises(IllegalActionError) as refused:
        rules.apply(Heap(table=Table(), heads=heads), Toss(), seat, DICE)
    assert str(refused.value) == why


def test_a_game_need_not_work_out_its_cost() -> None:
    assert Plain().cost(Heap(table=Table()), Toss()) == 0.5


@pytest.mark.parametrize("name", systems())
def test_codecs_come_from_the_types_of_the_class(name: str) -> None:
    rules = system(name)
    assert len({id(codec) for codec in (rules.setups, rules.states, rules.actions, rules.events)}) == 4


@pytest.mark.parametrize(
    ("outcome", "places"),
    [
        (Outcome(ending=Ending.ANNIHILATION, winner="defender", rounds=3), [(2, "attacker"), (1, "defender")]),
        (Outcome(ending=Ending.ANNIHILATION, winner=None, rounds=3), [(1, "attacker"), (1, "defender")]),
        (None, []),
    ],
    ids=["the winner is first", "without one all are tied", "nothing is decided yet"],
)
def test_places_follow_from_who_won(outcome: Outcome | None, places: list[tuple[int, str]]) -> None:
    rules = cast("AnySystem", SimpleNamespace(outcome=lambda _state: outcome))
    found = standings(rules, None, ("attacker", "defender", "referee"))
    assert [(team.place, *team.seats) for team in found] == places


TEAMS = (Team(place=1, seats=("attacker",)), Team(place=2, seats=("defender",)))


def chances(text: str, *, manual: bool = False) -> list[float | None]:
    setup = Setup.of(parse_question(text, "1942"), dict.fromkeys(Side, MANUAL if manual else None), fog=False)
    return [team.chance for team in with_chances(DiceBattle(), DiceBattle().begin(setup), TEAMS)]


@pytest.mark.parametrize(
    ("text", "attacker", "within"), [("30 tanks vs 1 inf", 0.995, 1e-3), ("1 tank vs 1 tank", 0.5, 0.12)]
)
def test_chances_are_those_before_the_first_roll_and_add_up(text: str, attacker: float, within: float) -> None:
    found = chances(text)
    assert found == [pytest.approx(attacker, abs=within), pytest.approx(1 - attacker, abs=within)]
    assert sum(filter(None, found)) == pytest.approx(1)
    assert found == chances(text), "always the same"


def test_chances_are_unknown_where_players_decide() -> None:
    assert chances("4 tanks, 4 inf vs 4 tanks, 4 inf", manual=True) == [None, None]


@pytest.mark.parametrize("number", range(4))
def test_estimates_are_near_the_exact_odds(number: int) -> None:
    system, found = example_of("aa-battle").system, 0
    for play in plays("aa-battle")[number::4]:
        for state in play.states:
            request, estimate = odds_from_here(state), outlook(system, state)
            if request is None or estimate is None:
                continue
            exact = request.run()
            assert estimate.get("attacker", 0) == pytest.approx(exact.p_attacker, abs=0.2)
            assert estimate.get("defender", 0) == pytest.approx(exact.p_defender, abs=0.2)
            found += 1
    assert found or number == 1


@pytest.mark.rest
@pytest.mark.parametrize("name", registered())
def test_the_same_state_has_the_same_chances_and_those_of_the_end_are_sure(name: str) -> None:
    system, told = example_of(name).system, 0
    for play in plays(name)[:4]:
        for state in play.states:
            estimate = outlook(system, state)
            assert estimate == outlook(system, state)
            outcome = system.outcome(state)
            if outcome is not None:
                assert estimate == ({} if outcome.winner is None else {outcome.winner: 1.0})
            elif estimate is not None:
                told += 1
                assert 0 <= sum(estimate.values()) <= 1 + 1e-9
    assert bool(told) is (name in {"aa-battle", "duel", "dungeon", "mfd-battle"})
