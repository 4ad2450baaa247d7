"""What all rules share: legality is checked once; places of teams, their chances from the first roll on.

Challenges of all games that offer some: drawn alike from a seed, entered alone, counted at any time.
"""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from sim.axis_allies.army import pictured
from sim.axis_allies.battle import MANUAL, Setup
from sim.axis_allies.battle.cards import odds_from_here
from sim.axis_allies.battle.rules import DiceBattle
from sim.axis_allies.parse import parse_question
from sim.core import RuleError
from sim.core.battle import (
    ANYONE,
    JOIN,
    REFEREE,
    AnySystem,
    IllegalActionError,
    LegalAction,
    Outcome,
    RuleBook,
    Team,
    outlook,
    standings,
    with_chances,
)
from sim.core.challenge import ChallengeRules, drawings_of
from sim.core.dice import SeededDice
from sim.core.values import Ending, Side
from sim.jobs import system, systems
from sim.jobs.battle import DrawChallenge
from tests.conformance.example import example_of, plays, registered
from tests.sim.core.coins import Coins, Heap, Table, Toss

DICE = SeededDice(b"coins")


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
    rules = cast("AnySystem", SimpleNamespace(outcome=lambda _state: outcome, standings=lambda _state: None))
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


ALL = {name: found.challenge for name in sorted(systems()) if (found := system(name)).challenge}
OFFERED = [name for name, challenge in ALL.items() if isinstance(challenge, ChallengeRules)]
"""Those that are battles."""


def drawn(name: str, seed: bytes) -> tuple[Any, Any]:
    """Return the rules, and the setup drawn from a seed."""
    rules = system(name)
    return rules, drawings_of(rules).read_json(DrawChallenge(system=name, seed=seed).run())


def entered(name: str, seed: bytes, choice: str | None = None) -> tuple[Any, Any]:
    """Return the rules, and the state after a try was opened."""
    rules, setup = drawn(name, seed)
    entry = rules.challenge.enter(setup, choice or next(iter(rules.challenge.choices(setup)), ""), "Ann")
    state = rules.begin(entry.setup)
    for number, (action, seat) in enumerate(entry.first):
        state = rules.apply(state, action, seat, SeededDice(b"a try", number)).state
    return rules, state


def test_puzzles_a_boss_and_a_dungeon_are_offered() -> None:
    assert [*ALL] == ["aa-battle", "boss-fight", "dungeon"]


@pytest.mark.parametrize("name", ALL)
def test_a_seed_always_draws_the_same_and_others_something_else(name: str) -> None:
    setups = [DrawChallenge(system=name, seed=bytes([seed])).run() for seed in (1, 1, *range(20))]
    assert setups[0] == setups[1]
    assert len({*setups}) == 20


@pytest.mark.parametrize("name", OFFERED)
@pytest.mark.parametrize("seed", range(10))
def test_every_choice_can_be_played_to_an_end_and_nobody_joins(name: str, seed: int) -> None:
    rules, setup = drawn(name, bytes([seed]))
    for choice in rules.challenge.choices(setup) or [""]:
        rules, state = entered(name, bytes([seed]), choice)
        assert rules.challenge.score(state).points == 0
        number, points = 100, [0]
        while legal := rules.legal(state):
            assert JOIN not in legal
            do = next(each for each in legal if each.name in {"run", "enter", "step"})
            seat = next(seat for seat in do.seats if seat not in {ANYONE, REFEREE})
            number += 1
            state = rules.apply(state, do.action, seat, SeededDice(b"own", number)).state
            points.append(rules.challenge.score(state).points)
        assert points == sorted(points)
        assert rules.outcome(state) is not None


@pytest.mark.parametrize("name", OFFERED)
def test_a_setup_without_a_challenge_is_written_as_before(name: str) -> None:
    rules = system(name)
    given = '{"boss": {"name": "Rat", "health": 9}}' if name == "boss-fight" else "{}"
    written = rules.setups.write_json(rules.setups.read_json(given))
    assert not any(field in written for field in ('"alone"', '"plan"'))


def test_a_week_has_seven_puzzles_that_add_up() -> None:
    rules, week = drawn("aa-battle", b"1")
    assert len(set(week)) == 7
    scores = []
    for day, puzzle in enumerate(week):
        question = rules.challenge.question(week, day)
        assert question.options == [pictured(option.text) for option in puzzle.options]
        answers = [rules.challenge.answer(week, day, at) for at in range(len(puzzle.options))]
        (best,) = [at for at, answer in enumerate(answers) if answer.right]
        assert best == puzzle.best
        lost = [puzzle.options[best].worth - option.worth for option in puzzle.options]
        assert [answer.score.rounds for answer in answers] == [round(10 * each) for each in lost], "tenths of a point"
        scores.append(answers[best if day else best - 1].score)
        with pytest.raises(RuleError):
            rules.challenge.answer(week, day, len(puzzle.options))
    total = rules.challenge.total(scores)
    assert (total.points, total.rounds) == (6, scores[0].rounds)
    assert total.text == f"6 of 7 solved, {scores[0].rounds / 10:.1f} points lost"


def test_a_hand_that_there_is_not_is_refused() -> None:
    rules, setup = drawn("boss-fight", b"1")
    with pytest.raises(RuleError, match="Pick one of the ready hands"):
        rules.challenge.enter(setup, "spoon", "Ann")


def test_who_fights_alone_is_neither_stood_in_for_nor_leaves() -> None:
    rules, state = entered("boss-fight", b"1")
    assert {legal.name: legal.seats for legal in rules.legal(state)} == dict.fromkeys(
        ("step", "run", "put-up"), ("member-1",)
    )


def test_a_dungeons_rooms_and_monsters_are_those_of_its_plan() -> None:
    rules, state = entered("dungeon", b"1")
    for dice in (b"one", b"other"):
        inside = rules.apply(state, rules.legal(state)[0].action, "hero-1", SeededDice(dice)).state
        assert inside.foes.met == state.setup.plan[0].met
    assert len(state.setup.plan) == state.setup.rooms == 10
    with pytest.raises(RuleError, match="Every room needs a plan"):
        rules.setups.read(rules.setups.write(state.setup) | {"rooms": 9})
