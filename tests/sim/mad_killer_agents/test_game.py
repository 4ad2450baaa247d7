"""A game from the first player who sits down to the last turn, by the system of battles."""

import pytest

from sim.core import RuleError
from sim.core.battle import ANYONE, CLOCK, REFEREE, IllegalActionError, Leave, Outcome
from sim.core.dice import ScriptedDice
from sim.core.replay import Session, verify
from sim.core.values import Ending
from sim.mad_killer_agents import battle as v
from sim.mad_killer_agents.battle.campaign import Forces, WarCampaign
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.terrain import neighbors
from tests.sim.mad_killer_agents import builders as b

ONE, TWO, THREE = v.seat_of(1), v.seat_of(2), v.seat_of(3)
NO_DICE = ScriptedDice([])


def do(state: v.State, action: v.Action, seat: str) -> v.State:
    return b.WAR.apply(state, action, seat, NO_DICE).state


def names(state: v.State) -> list[tuple[int, str]]:
    return [(player.number, player.name) for player in state.players]


def choices(state: v.State, seat: str) -> set[str]:
    return {choice.name for choice in b.WAR.legal(state) if seat in choice.seats}


def expect_refusal(play: Session, action: v.Action, seat: str, message: str) -> None:
    with pytest.raises(IllegalActionError, match=message):
        play.act(action, seat)


def end_turns(play: Session, *seats: str) -> list[str]:
    """Let these seats end their turns; return the lines of the last."""
    return [play.act(b.EndTurn(), seat) for seat in seats][-1]


def world(play: Session) -> v.World:
    found = play.state.world
    assert isinstance(found, v.World)
    return found


def test_players_sit_down_on_the_first_free_seat() -> None:
    state = b.WAR.begin(v.Setup())
    for name in ("Anna", "Ben", "Cem"):
        state = do(state, v.Join(name=name), ANYONE)
    state = do(state, Leave(), TWO)
    assert names(state) == [(1, "Anna"), (3, "Cem")]
    state = do(do(state, v.AddAi(ai=AiKind.MARSHAL), ONE), v.AddAi(ai=AiKind.MARSHAL), REFEREE)
    assert names(state) == [(1, "Anna"), (2, "Marshal"), (3, "Cem"), (4, "Marshal 2")]
    state = do(state, v.RemoveAi(number=2), THREE)
    assert [number for number, _ in names(state)] == [1, 3, 4]
    with pytest.raises(RuleError, match="There is no player 2"):
        do(state, v.RemoveAi(number=2), THREE)
    assert [v.number_of(seat) for seat in (ONE, REFEREE, "player-9")] == [1, None, None]


@pytest.mark.parametrize(
    ("action", "seat", "message"),
    [
        (v.Join(name="anna"), ANYONE, "The name anna is taken"),
        (v.Join(name="\u202eAnna"), ANYONE, "no invisible characters"),
        (v.Join(name="  "), ANYONE, "1 to 32 characters"),
        (v.Join(name="Ben"), ONE, "isn't yours to do"),
        (v.RemoveAi(number=1), ONE, "no AI to remove"),
        (b.Begin(), ONE, "at least 2 players"),
        (b.EndTurn(), ONE, "before the game begins"),
        (Leave(), TWO, "isn't yours to do"),
        (v.AddAi(ai=AiKind.BARBARIAN), TWO, "isn't yours to do"),
    ],
)
def test_what_cannot_be_done_before_the_game(action: v.Action, seat: str, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        do(b.WAR.begin(b.setup("Anna")), action, seat)


def test_who_can_play_together() -> None:
    full = b.WAR.begin(b.setup("Anna", *["random"] * 7))
    assert choices(full, ANYONE) == set()
    with pytest.raises(RuleError, match="Anna isn't an AI"):
        do(full, v.RemoveAi(number=1), ONE)
    with pytest.raises(IllegalActionError, match="more than 2 players"):
        b.begin_game("Anna", "barbarian")
    assert b.begin_game("Anna", "barbarian", "random").state.phase is v.Phase.PLAYING
    with pytest.raises(IllegalActionError, match="no connected land for 2 players"):
        b.begin_game("Anna", "Ben", ground=b.terrain(6, A1=1))


def test_names_of_discord_are_made_to_fit() -> None:
    state = b.WAR.begin(b.setup("Anna"))
    assert state.available_name("Anna") == "Anna 2"
    assert state.available_name("\u200bZo\u202ee \n") == "Zoe"
    assert state.available_name("💥") == "Player"
    assert do(state, v.Join(name=state.available_name("हिन्दी")), ANYONE).players[1].name == "हिन्दी"
    assert len(state.available_name("x" * 99)) == 32
    for text in ("Anna", "\u200b", "`" * 40, "x" * 99):
        assert do(state, v.Join(name=state.available_name(text)), ANYONE).players[1].name


def test_each_begins_with_an_army_and_the_first_is_on_turn() -> None:
    state = b.begin_game("Anna", "Ben").state
    assert state.world is not None
    assert [(owner, units, mp) for _, owner, units, mp in state.world.armies] in (
        [(1, 20, 2), (2, 26, 0)],
        [(2, 26, 0), (1, 20, 2)],
    )
    assert (state.round, state.turn) == (1, 1)
    assert choices(state, ONE) == {"give", "write", "end-turn", "away", "deputy", "resign", "replace"}
    assert choices(state, TWO) == {"away", "deputy", "resign", "replace"}
    assert choices(state, CLOCK) == {"time-up", "end-turn"}


def test_orders_in_ones_own_turn_all_or_nothing() -> None:
    play = b.begin_game("Anna", "Ben")
    place = b.at(b.first_army(play, 1))
    near = neighbors(8, 8)[place][0]
    before = play.state
    expect_refusal(play, v.Give(orders=(b.Found(at=place),)), TWO, "It's Anna's turn")
    expect_refusal(
        play, v.Give(orders=(b.Move(at=place, to=near), b.Move(at=place, to=near))), ONE, "Order 2: You have no army"
    )
    expect_refusal(play, v.Give(orders=(b.Found(at=64),)), ONE, "not on the map")
    assert play.state == before
    play.act(v.Give(orders=(b.Move(at=place, to=near, units=5),)), ONE)
    assert (len(play.state.orders), play.state.tracks) == (1, ((1, place, near),))


def test_orders_can_be_taken_back_within_the_turn() -> None:
    play = b.begin_game("Anna", "Ben")
    start, place = play.state, b.at(b.first_army(play, 1))
    near = neighbors(8, 8)[place]
    play.act(v.Give(orders=tuple(b.Move(at=place, to=to, units=3) for to in near[:2])), ONE)
    after_one = b.begin_game("Anna", "Ben")
    after_one.act(v.Give(orders=(b.Move(at=place, to=near[0], units=3),)), ONE)
    play.act(b.Undo(), ONE)
    assert play.state == after_one.state
    play.act(v.Give(orders=(b.Move(at=place, to=near[1], units=3),)), ONE)
    play.act(b.UndoTurn(), ONE)
    assert play.state == start
    expect_refusal(play, b.Undo(), ONE, "given no orders")
    play.act(b.EndTurn(), ONE)
    expect_refusal(play, b.Undo(), ONE, "given no orders")


def test_ais_play_at_once_until_a_person_is_on_turn() -> None:
    play = b.begin_game("Anna", "marshal", "random", "Zoe")
    play.act(b.EndTurn(), ONE)
    assert (play.state.turn, play.state.round) == (4, 1)
    lines = play.act(b.EndTurn(), v.seat_of(4))
    assert lines == ["Round 2, Anna."]
    assert {owner for _, owner, _, _ in world(play).cities} == {2, 3}


def test_the_deputy_plays_when_the_time_is_up() -> None:
    play = b.begin_game("Anna", "Ben")
    place = b.first_army(play, 1)
    play.act(v.Deputy(ai=AiKind.RANDOM), ONE)
    expect_refusal(play, b.TimeUp(), TWO, "isn't yours")
    lines = play.act(b.TimeUp(), CLOCK)
    assert lines[:2] == ["  Random, an AI, plays for Anna.", f"  Anna founds the city Anna 1 at {place}."]
    assert play.state.turn == 2
    assert play.state.player(1).played_by is None


def test_who_is_away_is_played_for_until_back() -> None:
    play = b.begin_game("Anna", "Ben")
    play.act(v.Away(ai=AiKind.PILLAGER), TWO)
    play.act(b.EndTurn(), ONE)
    assert (play.state.turn, play.state.round) == (1, 2)
    play.act(b.Back(), TWO)
    play.act(b.EndTurn(), ONE)
    assert play.state.turn == 2
    play.act(v.Away(), TWO)
    assert play.state.turn == 1
    assert play.state.player(2).deputy is AiKind.PILLAGER


def test_with_everybody_away_the_ais_pause_and_go_on() -> None:
    play = b.begin_game("Anna", "random", "random", rounds=None)
    lines = play.act(v.Away(ai=AiKind.RANDOM), ONE)
    assert lines[-1].endswith("the AIs take a break.")
    assert choices(play.state, CLOCK) == {"go-on"}
    round_ = play.state.round
    play.act(b.GoOn(), ANYONE)
    assert play.state.round > round_
    while play.state.turn != 1:
        play.act(b.GoOn(), CLOCK)
    play.act(b.Back(), ONE)
    assert "give" in choices(play.state, ONE)
    expect_refusal(play, b.GoOn(), ONE, "No AI is waiting")


def test_an_ai_takes_over_for_good() -> None:
    play = b.begin_game("Anna", "Ben", "Cem")
    expect_refusal(play, v.Replace(number=2, ai=AiKind.RANDOM), ONE, "Only the referee")
    play.act(v.Replace(number=2, ai=AiKind.RANDOM), REFEREE)
    play.act(v.Replace(number=1, ai=AiKind.MARSHAL), ONE)
    assert play.state.turn == 3
    assert [player.ai for player in play.state.players] == [AiKind.MARSHAL, AiKind.RANDOM, None]
    expect_refusal(play, v.Replace(number=2, ai=AiKind.RANDOM), REFEREE, "already an AI")


def test_who_resigns_is_out_and_the_last_one_left_wins() -> None:
    play = b.begin_game("Anna", "Ben", "Cem")
    play.act(b.Resign(), TWO)
    assert play.state.phase is v.Phase.PLAYING
    play.act(b.EndTurn(), ONE)
    assert play.state.turn == 3
    lines = play.act(b.Resign(), THREE)
    assert play.outcome == Outcome(ending=Ending.ANNIHILATION, winner=ONE, rounds=1)
    assert lines[-1] == "After 1 round Anna wins: everyone else is out. Anna 20, Ben 0, Cem 0."
    assert b.WAR.legal(play.state) == ()
    expect_refusal(play, b.EndTurn(), ONE, "The game is over")


def test_a_resignation_cannot_be_undone_by_another_player() -> None:
    play = b.begin_game("Anna", "Ben", "Cem")
    play.act(v.Write(text=f"{b.first_army(play, 1)} found"), ONE)
    play.act(b.Resign(), TWO)
    expect_refusal(play, b.UndoTurn(), ONE, "given no orders")
    assert [agent.out for agent in world(play).agents] == [False, True, False]


def test_after_the_last_round_the_highest_score_wins_and_equals_share() -> None:
    play = b.begin_game("Anna", "Ben", "Cem", rounds=2, edition=1)
    lines = end_turns(play, *(ONE, TWO, THREE) * 2)
    assert play.outcome == Outcome(ending=Ending.ROUND_LIMIT, winner=None, rounds=2)
    assert play.state.sharing == (1, 2, 3)
    assert "Anna and Ben and Cem share the victory" in lines[-1]
    play = b.begin_game("Anna", "Ben", rounds=2, edition=1)
    play.act(v.Write(text=f"{b.first_army(play, 1)} found; end"), ONE)
    end_turns(play, TWO, ONE, TWO)
    assert play.outcome == Outcome(ending=Ending.ROUND_LIMIT, winner=ONE, rounds=2)


def test_who_loses_all_is_out() -> None:
    """Two with 20 units each stand beside each other on two tiles."""
    for units, ending in ((20, Ending.MUTUAL), (5, None)):
        play = b.begin_game("Anna", "Ben", ground=b.terrain(6, A1=1, B1=1), edition=1)
        play.act(v.Write(text=f"{b.first_army(play, 1)} attack {b.first_army(play, 2)} {units}"), ONE)
        assert (play.state.ending, play.state.winner) == (ending, None)


def test_a_turn_of_somebody_who_is_out_is_over() -> None:
    """Who attacks with all and falls has no turn to end; the score of who is out is nothing."""
    play = b.begin_game("Anna", "Ben", "Cem", ground=b.terrain(6, A1=1, B1=1, A2=1), edition=1)
    here, there = b.first_army(play, 1), b.first_army(play, 2)
    lines = play.act(v.Write(text=f"{here} attack {there} 19; {here} attack {there}"), ONE)
    assert lines[-3:] == ["Anna is out of the game.", "Ben is out of the game.", *lines[-1:]]
    assert play.outcome == Outcome(ending=Ending.ANNIHILATION, winner=THREE, rounds=1)


def quiet_rounds(play: Session, rounds: int) -> None:
    """Let everybody end so many rounds of turns, unless the game is over before."""
    last = play.state.round + rounds
    while play.outcome is None and play.state.round < last:
        play.act(b.EndTurn(), v.seat_of(play.state.turn))


@pytest.mark.parametrize("rounds", [None, 100])
def test_forty_quiet_rounds_end_the_game_by_score(rounds: int | None) -> None:
    play = b.begin_game("Anna", "Ben", rounds=rounds)
    quiet_rounds(play, 39)
    assert (play.state.round, play.outcome) == (40, None)
    play.act(v.Write(text=f"{b.first_army(play, 1)} found"), ONE)
    play.act(b.Undo(), ONE)
    assert world(play).quiet == 40, "what is undone was no noise"
    play.act(v.Write(text=f"{b.first_army(play, 1)} found; end"), ONE)
    play.act(b.EndTurn(), TWO)
    quiet_rounds(play, 39)
    assert (play.state.round, play.outcome) == (80, None)
    lines = end_turns(play, ONE, TWO)
    assert play.outcome == Outcome(ending=Ending.QUIET, winner=ONE, rounds=80)
    assert lines[-1].startswith("After 80 rounds Anna wins: nothing happened for 40 rounds. Anna ")
    play.end(REFEREE)
    assert verify(b.WAR, play.journal()).match


def test_works_are_quiet_and_a_growth_or_an_attack_is_not() -> None:
    play = b.begin_game("Anna", "Ben", rounds=None, ground=b.terrain(5))
    place = b.first_army(play, 1)
    play.act(v.Write(text=f"{place} found"), ONE)
    quiet_rounds(play, 2)
    play.act(v.Write(text=f"{place} lower; end"), ONE)
    play.act(b.EndTurn(), TWO)
    assert world(play).quiet == 3
    play.act(v.Write(text=f"{place} grow"), ONE)
    assert world(play).quiet == 0
    play = b.begin_game("Anna", "Ben", rounds=None, ground=b.terrain(6, A1=1, B1=1))
    quiet_rounds(play, 4)
    play.act(v.Write(text=f"{b.first_army(play, 1)} attack {b.first_army(play, 2)} 5; end"), ONE)
    play.act(b.EndTurn(), TWO)
    assert world(play).quiet == 1


def test_a_person_takes_over_from_an_ai_at_its_next_turn() -> None:
    play = b.begin_game("Anna", "pillager", "random")
    assert "Take over from an AI" in {choice.label for choice in b.WAR.legal(play.state)}
    expect_refusal(play, v.TakeOver(number=1), ANYONE, "Anna is no AI")
    assert play.act(v.TakeOver(number=2), ANYONE) == ["A player takes over from Pillager 2, the AI."]
    play.act(b.EndTurn(), ONE)
    assert (play.state.turn, play.state.player(2).deputy) == (2, AiKind.PILLAGER)
    assert "give" in choices(play.state, TWO)
    assert "Take over from Random 3" in {choice.label for choice in b.WAR.legal(play.state)}
    assert play.act(v.TakeOver(number=3, name="anna"), ANYONE) == ["anna 2 takes over from Random 3, the AI."]
    assert play.state.player(3).name == "anna 2"


def test_who_beats_the_ais_meets_one_more_of_them_in_the_next_war() -> None:
    rules, play = WarCampaign(), b.begin_game("Anna", "marshal", "pillager")
    before = rules.from_setup(play.state.setup)
    assert before.ais == (AiKind.MARSHAL, AiKind.PILLAGER)
    lost, won = (
        rules.after(before, play.state.model_copy(update={"phase": v.Phase.OVER, "winner": winner}), NO_DICE)
        for winner in (2, 1)
    )
    assert (lost.ais, lost.beaten) == (before.ais, 0)
    assert (won.ais, won.beaten) == ((*before.ais, AiKind.PILLAGER), 1)
    again = rules.setup(won, play.state.setup)
    assert names(b.WAR.begin(again)) == [(1, "Marshal"), (2, "Pillager"), (3, "Pillager 2")]
    assert (again.terrain, again.rounds) == (play.state.setup.terrain, play.state.setup.rounds)
    assert (rules.setup(won, None).rounds, rules.setup(won, None).settled) == (15, True)
    assert [rules.rested(forces).ais for forces in (won, rules.rested(lost))] == [before.ais, before.ais[:1]]
    full = rules.read(won, "ai", b"random," * 6 + b"Marshal\n")
    assert rules.after(full, play.state.model_copy(update={"winner": 1}), NO_DICE).beaten == 2
    with pytest.raises(RuleError, match="at most 7 AIs, so that a player can join"):
        rules.read(won, "ai", b"random," * 7 + b"marshal")


def test_what_each_did_in_a_war_is_told_without_names() -> None:
    play = b.begin_game("Anna", "Ben", ground=b.terrain(6, A1=1, B1=1), edition=1)
    attack = v.Write(text=f"{b.first_army(play, 1)} attack {b.first_army(play, 2)} 20")
    step = b.WAR.apply(play.state, attack, ONE, NO_DICE)
    deeds = WarCampaign().deeds(Forces(), step.state, step.events)
    assert [(deed.name, deed.kills, deed.damage, deed.lost) for deed in deeds] == [(ONE, 1, 20, 20), (TWO, 1, 20, 20)]
