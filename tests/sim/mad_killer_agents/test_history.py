"""How a war went: the log, scores by round, when it was decided, and the card that shows it."""

import io
import pickle

import pytest
from PIL import Image

from sim.core.canonical_json import canonical
from sim.core.errors import RuleError
from sim.core.session import Session
from sim.mad_killer_agents.battle import MapWar
from sim.mad_killer_agents.battle.events import Event, Fought, Moved, Played, TurnBegan, log, short_log
from sim.mad_killer_agents.battle.options import board_of
from sim.mad_killer_agents.battle.values import GoOn, Resign, Undo, Write, seat_of
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.history import Blow, History
from sim.mad_killer_agents.requests import WarCardRequest
from tests.sim.mad_killer_agents.builders import begin_game, first_army, terrain


def fought(units: int, lost: int, killed: int, *, taken: bool = False, city: tuple[int, int] = (0, 0)) -> Fought:
    return Fought(
        by=1,
        name="Ann",
        at="A1",
        to="B2",
        enemy=2,
        enemy_name="Ben",
        units=units,
        defenders=9,
        attacker_loss=lost,
        defender_loss=killed,
        city=city[0],
        city_left=city[1],
        taken=taken,
    )


def moved(*places: str) -> Moved:
    return Moved(by=1, name="Ann", ways=tuple((place, "C3", 7, 0) for place in places))


def test_attacks_on_one_tile_are_one_line() -> None:
    events: tuple[Event, ...] = (
        fought(2, 2, 3, city=(3, 3)),
        fought(1, 1, 2, city=(3, 3)),
        fought(5, 0, 4, taken=True, city=(3, 0)),
    )
    assert short_log(events) == [
        "  Ann attacks B2 from A1 3 times: Ann loses 3 and Ben loses 9, the city is destroyed; Ann takes B2.",
    ]
    assert short_log((fought(5, 2, 4, city=(3, 3)), fought(5, 0, 0, city=(3, 1)))) == [
        "  Ann attacks B2 from A1 twice: Ann loses 2 and Ben loses 4, the city shrinks from 3 to 1.",
    ]
    assert short_log(events[:1]) == log(events[:1])
    assert log(events[:1]) == ["  Ann attacks B2 from A1: 2 against Ben's 9 units; Ann loses 2 and Ben loses 3."]


def test_a_victory_without_losses_leaves_them_out() -> None:
    assert log((fought(5, 0, 9, taken=True),)) == [
        "  Ann attacks B2 from A1: 5 against Ben's 9 units; Ben loses 9; Ann takes B2."
    ]


def test_many_moves_are_counted() -> None:
    assert short_log((moved("A1", "A2"), moved("A3"))) == ["  Ann: 7 move A1-C3; 7 move A2-C3; 7 move A3-C3."]
    assert short_log((moved("A1", "A2"), moved("A3", "A4"))) == ["  Ann makes 4 moves."]


def test_an_ai_s_own_turn_needs_no_line_of_its_own() -> None:
    turn = TurnBegan(by=1, name="Ann", round=2, made=1)
    own, instead = (Played(by=1, name="Ann", ai=AiKind.MARSHAL, instead=other) for other in (False, True))
    assert short_log((turn, own)) == ["Round 2, Ann: cities make 1 unit."]
    assert short_log((turn, instead))[1:] == ["  The marshal plays for Ann."]


def history_of(play: Session) -> History:
    return History(play.state, [MapWar().events.read(event) for entry in play.entries for event in entry.events])


def give(play: Session, *texts: str) -> None:
    """Give the orders of one turn after the other."""
    for text in texts:
        play.act(Write(text=text), seat_of(play.state.turn))


def war(rounds: int) -> tuple[Session, int, int]:
    """Begin a war of two people on TV 3, who have 20 and 26 units; return it and their numbers in the order of play."""
    play = begin_game("Anna", "Ben", ground=terrain(3), rounds=rounds)
    first, second = play.state.order
    return play, first, second


def test_the_scores_of_each_round_are_replayed() -> None:
    play, first, second = war(3)
    scores = {first: [20], second: [26]}
    for text in (f"{first_army(play, first)} lower; end", f"{first_army(play, first)} lower; end", "end"):
        give(play, text, "end")
        for number, points in board_of(play.state).scores():
            scores[number].append(points)
    assert history_of(play).scores == scores == {first: [20, 15, 10, 10], second: [26, 26, 26, 26]}


def test_what_was_undone_never_happened() -> None:
    play, first, _ = war(1)
    give(play, f"{first_army(play, first)} raise")
    play.act(Undo(), seat_of(first))
    give(play, "end", "end")
    assert history_of(play).scores[first] == [20, 20]


def test_the_leader_for_good_and_the_biggest_loss() -> None:
    """The second is ahead by 6 until he pays 10 for a tile, in round 2."""
    play, first, second = war(4)
    give(play, "end", "end", "end", f"{first_army(play, second)} raise; end", "end", "end", "end", "end")
    history = history_of(play)
    one, other = (play.state.player(number).name for number in (first, second))
    assert history.ahead_since() == 2
    assert history.worst_blow() == Blow(second, 2, 10)
    assert history.headline == f"{one} wins by 4 points"
    assert history.turning_points() == [
        f"{one} led for good from round 2.",
        f"Biggest loss: {other}, 10 points in round 2.",
    ]
    assert history.ranked == [first, second]
    assert history.alt().endswith(f"Points: {one} 20, {other} 16.")


def test_who_led_all_the_time() -> None:
    play, _, second = war(1)
    give(play, "end", "end")
    assert history_of(play).turning_points() == [f"{play.state.player(second).name} led from start to finish."]


def test_a_shared_victory_has_no_leader() -> None:
    """A city is worth the 20 units that it cost, and makes the 6 that are missing."""
    play, first, _ = war(2)
    give(play, f"{first_army(play, first)} found; end", "end", "end", "end")
    history = history_of(play)
    assert history.headline == "Anna and Ben share the victory"
    assert history.turning_points() == []


def test_the_last_one_left() -> None:
    play, first, second = war(9)
    give(play, "end")
    play.act(Resign(), seat_of(second))
    history = history_of(play)
    assert history.headline == f"{play.state.player(first).name} wins: nobody else is left"
    assert history.worst_blow() == Blow(second, 1, 26)


def test_a_war_that_never_began_has_no_history() -> None:
    play, _, _ = war(2)
    with pytest.raises(RuleError, match="not begun"):
        History(play.state, [])


@pytest.mark.parametrize("ais", [("marshal", "random"), ("marshal",) * 8])
def test_the_card_of_a_war(ais: tuple[str, ...]) -> None:
    play = begin_game(*ais, rounds=12)
    while play.outcome is None:
        play.act(GoOn(), "anyone")
    request = WarCardRequest(
        state=play.state, event_batches=tuple(canonical(list(entry.events)) for entry in play.entries)
    )
    card = pickle.loads(pickle.dumps(request)).run()
    assert card.alt == history_of(play).alt()
    image = Image.open(io.BytesIO(card.data))
    assert (image.format, image.width) == ("PNG", 800)
    assert len(card.data) <= 30 * 1024
    assert 0 < request.cost() < 1
