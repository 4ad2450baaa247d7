"""Properties of whole wars: units, income, round trips, replays; and journals of earlier editions."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.battle import ANYONE, REFEREE, IllegalActionError, Leave
from sim.core.dice import SeededDice
from sim.core.errors import TextError
from sim.core.journal_file import load
from sim.core.replay import verify
from sim.core.session import Session
from sim.mad_killer_agents.battle.board import Board
from sim.mad_killer_agents.battle.events import (
    Began,
    Discovered,
    Event,
    Fought,
    Founded,
    Grew,
    Moved,
    Shaped,
    TurnBegan,
)
from sim.mad_killer_agents.battle.values import (
    Action,
    AddAi,
    Away,
    Back,
    Begin,
    Deputy,
    EndTurn,
    Give,
    GoOn,
    Join,
    Order,
    Phase,
    RemoveAi,
    Replace,
    Resign,
    Setup,
    State,
    TimeUp,
    Undo,
    UndoTurn,
    Write,
)
from sim.mad_killer_agents.constants import AiKind, Technology
from sim.mad_killer_agents.history import _Replay, board_by_round
from tests.sim.mad_killer_agents.builders import WAR, Attack, Found, Grow, Lower, Move, Pass, ai_setups, setup


def played(start: Setup, seed: bytes) -> tuple[Session, list[Event]]:
    """Play a war of AIs to its end; return it and all that happened."""
    play = Session(WAR, start, seed)
    try:
        play.act(Begin(), ANYONE)
    except IllegalActionError as error:
        assert "no connected land" in str(error)  # maps of the smallest size may have too little
        return play, []
    steps = 0
    while play.outcome is None:
        play.act(GoOn(), ANYONE)
        steps += 1
        assert steps <= 30 * 4
    return play, [WAR.events.read(event) for entry in play.entries for event in entry.events]


def units_of(board: Board) -> int:
    return sum(army.units for army in board.armies.values())


def spent(event: Event) -> int:
    """Return the units that an event says are gone, fewer than none for those that came."""
    if isinstance(event, TurnBegan):
        return -event.made
    if isinstance(event, Moved):
        return sum(lost for _, _, _, lost in event.ways)
    if isinstance(event, Fought):
        return event.attacker_loss + event.defender_loss - event.drafted
    if isinstance(event, Founded):
        return 20
    return event.paid if isinstance(event, Grew | Shaped | Discovered) else 0


def income(board: Board, player: int) -> int:
    """Return what a player's cities make, straight from .docs/rules/mad_killer_agents.md, "Cities"."""
    made = 0
    for tile, city in board.cities.items():
        if city.owner != player:
            continue
        row, column = divmod(tile, board.width)
        around = [
            board.tiles[y * board.width + x]
            for y in range(row - 1, row + 2)
            for x in range(column - 1, column + 2)
            if 0 <= y < board.height and 0 <= x < board.width and (y, x) != (row, column)
        ]
        made += board.tiles[tile] + sum(sorted(around)[::-1][: city.size])
        made += Technology.GRANARY in board.sides[player].techs
    return made


def check_board(board: Board, edition: int) -> None:
    for tile, army in board.armies.items():
        assert army.units > 0
        assert 0 <= army.mp <= 2
        assert board.tiles[tile] < 6 or Technology.MOUNTAINEERING in board.sides[army.owner].techs
        assert board.owners[tile] == army.owner
        assert tile not in board.cities or board.cities[tile].owner == army.owner
    places = [divmod(tile, board.width) for tile in board.cities]
    for number, (row, column) in enumerate(places):
        apart = 2 if edition > 2 else 3
        assert all(max(abs(row - y), abs(column - x)) >= apart for y, x in places[:number])
    assert all(city.size >= 1 and board.tiles[tile] < 6 for tile, city in board.cities.items())
    assert all(1 <= value <= 6 for value in board.tiles)


@given(ai_setups(), st.binary(min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_whole_games_of_ais_keep_the_rules(start: Setup, seed: bytes) -> None:
    """Units are conserved but for production and stated losses; income is as computed; the game ends in time."""
    play, events = played(start, seed)
    if not events:
        return
    assert play.outcome is not None
    assert start.rounds is not None
    assert play.outcome.rounds <= start.rounds
    began = next(event for event in events if isinstance(event, Began))
    replayed = _Replay(began)
    check_board(replayed.board, start.edition)
    for event in events:
        before = units_of(replayed.board)
        if isinstance(event, TurnBegan):
            assert event.made == income(replayed.board, event.by)
        replayed.apply(event)
        assert units_of(replayed.board) == before - spent(event)
        check_board(replayed.board, start.edition)
    assert len(WAR.lines(tuple(events))) == len(events)


tiles = st.integers(0, 63)
orders: st.SearchStrategy[Order] = st.one_of(
    st.builds(Move, at=tiles, to=tiles, units=st.sampled_from([None, 1, 5])),
    st.builds(Attack, at=tiles, to=tiles, units=st.sampled_from([None, 1])),
    *(st.builds(kind, at=tiles) for kind in (Found, Grow, Lower, Pass)),
)
ais = st.sampled_from(AiKind)
actions: st.SearchStrategy[Action] = st.one_of(
    st.sampled_from([EndTurn(), EndTurn(), EndTurn(), Undo(), UndoTurn(), Begin(), GoOn(), TimeUp(), Back(), Leave()]),
    st.builds(Give, orders=st.lists(orders, min_size=1, max_size=3).map(tuple)),
    st.builds(
        Write, text=st.sampled_from(["A1 found", "A1-A2 5; end", "H8-G8-F8", "A1 found; A1 grow", "H1 found", "?"])
    ),
    st.builds(Join, name=st.sampled_from(["Zoe", "Anna", "\u202e"])),
    st.builds(AddAi, ai=ais),
    st.builds(Away, ai=st.none() | ais),
    st.builds(Deputy, ai=ais),
    st.builds(Replace, number=st.integers(1, 8), ai=ais),
    st.builds(RemoveAi, number=st.integers(1, 8)),
    st.just(Resign()),
)


@given(
    st.lists(st.tuples(actions, st.sampled_from(WAR.seats[:3] + WAR.seats[-3:])), max_size=40),
    st.binary(min_size=1, max_size=4),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_any_actions_are_legal_or_change_nothing(tries: list[tuple[Action, str]], seed: bytes, start: bool) -> None:
    state = WAR.begin(setup("Anna", "Ben", "random", rounds=10))
    events: list[Event] = []
    if start:
        step = WAR.apply(state, Begin(), REFEREE, SeededDice(seed))
        state, events = step.state, list(step.events)
    for number, (action, seat) in enumerate(tries, start=1):
        may = {choice.name for choice in WAR.legal(state) if seat in choice.seats}
        before = WAR.states.write(state)
        try:
            step = WAR.apply(state, action, seat, SeededDice(seed, number))
        except (IllegalActionError, TextError):
            assert WAR.states.write(state) == before
            continue
        assert action.do in may
        assert 0 < WAR.cost(state, action) < 5
        assert WAR.states.write(state) == before
        state = step.state
        events += step.events
        assert WAR.states.read(WAR.states.write(state)) == state
        assert WAR.actions.read(WAR.actions.write(action)) == action
        assert (WAR.outcome(state) is None) is bool(WAR.legal(state))
        named = [choice.name for choice in WAR.legal(state)]
        assert len(set(named)) == len(named)
        assert all(len(choice.label) <= 40 for choice in WAR.legal(state))
    check_retold(state, events)


def check_retold(state: State, events: list[Event]) -> None:
    """Check that events alone lead to the same map, undone orders and resignations among them."""
    boards = [board.world() for board, _ in board_by_round(events)]
    if state.phase is Phase.LOBBY:
        assert not boards
        return
    assert state.world is not None
    retold, real = boards[-1], state.world
    same = {"tiles", "owners", "armies", "cities"}
    assert retold.model_dump(include=same) == real.model_dump(include=same)
    assert [agent.out for agent in retold.agents] == [agent.out for agent in real.agents]


@pytest.mark.parametrize(
    ("file", "edition"),
    [
        pytest.param("first_edition.jsonl", 1, id="starts could be further apart; orders and a step are undone"),
        pytest.param("second_edition.jsonl", 2, id="mountains without valleys; cities are 3 tiles apart"),
    ],
)
def test_an_old_journal_verifies(file: str, edition: int) -> None:
    journal = load(Path(__file__).with_name(file).read_text())
    assert WAR.setups.read(journal.head.setup).edition == edition
    report = verify(WAR, journal)
    assert report.match, report.mismatch
    assert report.outcome == journal.outcome
