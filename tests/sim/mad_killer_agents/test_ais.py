"""The AIs (.docs/rules/mad_killer_agents.md, "AIs"), and properties of whole wars of theirs and of people.

These are units, income, round trips and replays; and journals of earlier editions.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.battle import ANYONE, REFEREE, IllegalActionError
from sim.core.dice import ScriptedDice, SeededDice
from sim.core.replay import Session
from sim.core.values import Ending
from sim.mad_killer_agents.battle import Give, Order, Phase, Setup, State, seat_of
from sim.mad_killer_agents.battle import events as e
from sim.mad_killer_agents.battle.ai import Pillager
from sim.mad_killer_agents.battle.board import Board, City, board_of
from sim.mad_killer_agents.battle.marshal import open_way
from sim.mad_killer_agents.battle.runner import AIS
from sim.mad_killer_agents.cards import apply_event, turns
from sim.mad_killer_agents.constants import RULES_VERSION, AiKind, MapKind, Technology
from sim.mad_killer_agents.simulate import GameRequest
from sim.mad_killer_agents.terrain import FAR, Drawing
from tests.conformance.example import plays
from tests.sim.mad_killer_agents import builders as b
from tests.sim.mad_killer_agents.builders import board


def played(kind: AiKind, on: Board, *faces: int, rounds_left: int | None = None) -> Board:
    """Let an AI play the first player's turn, for which the dice show these faces."""
    AIS[kind](on, 1, rounds_left).play(ScriptedDice(list(faces)))
    return on


def played_by_marshal(on: Board) -> Board:
    return played(AiKind.MARSHAL, on, rounds_left=50)


@pytest.mark.statistics
@pytest.mark.parametrize("other", [AiKind.RANDOM, AiKind.PILLAGER, AiKind.BARBARIAN])
def test_the_marshal_wins_most_games_of_two(other: AiKind) -> None:
    """The measure is 80% of 200 games, which tests/bench plays; these are some of them, always the same ones."""
    wins = 0
    games = 10
    for game in range(games):
        drawing = Drawing(width=12 + 2 * (game % 3), height=12, kind=tuple(MapKind)[game % 4])
        request = GameRequest(players=(AiKind.MARSHAL, other), drawing=drawing, game=game, rounds=60)
        winner = b.play_out(request).state.winner
        wins += winner is not None and request.order[winner - 1] == 0
    assert wins >= 0.8 * games


@pytest.mark.statistics
def test_of_two_marshals_the_first_wins_no_more_than_the_second() -> None:
    """These are some of the games that tests/bench plays, always the same ones."""
    drawings = [Drawing(width=8, height=8, kind=kind) for kind in MapKind]
    first, second = b.wins_by_place(AiKind.MARSHAL, 2, drawings, 100)
    assert first + second > 90
    assert b.sign_test(first, second) > 0.05, (first, second)


def test_the_random_founds_and_grows_then_steps_by_the_dice_and_attacks_whoever_stands_in_its_way() -> None:
    assert b.at("C3") in played(AiKind.RANDOM, board({"C3": (1, 25), "F6": (2, 5)})).cities
    on = played(AiKind.RANDOM, board({"C3": (1, 9), "F6": (2, 5)}), 8)
    assert b.armies_by_tile(on) == {"D4": (1, 9, 0), "F6": (2, 5, 1)}
    on = played(AiKind.RANDOM, board({"C3": (1, 25), "D4": (2, 1)}, {"C3": (1, 1)}), 8)
    assert on.cities[b.at("C3")].size == 3
    assert b.armies_by_tile(on) == {"D4": (1, 4, 0)}


def test_the_pillager_goes_to_the_best_tile_first() -> None:
    on = played(AiKind.PILLAGER, board({"A1": (1, 30)}, {"C3": (2, 1), "H8": (1, 3)}, b.terrain(1, B2=3, B3=5)))
    assert b.armies_by_tile(on)["B2"] == (1, 30, 0)
    for _ in range(2):
        on.start_turn(1, 1)
        played(AiKind.PILLAGER, on)
    assert on.tiles[b.at("B2")] < 3
    for best, other in (("B2", "C2"), ("C2", "B2")):
        ground = b.terrain(1, **{best: 3, other: 2})
        on = played(AiKind.PILLAGER, board({"B1": (1, 30)}, {"C3": (2, 1), "H8": (1, 3)}, ground))
        assert best in b.armies_by_tile(on)


def test_the_pillager_fights_only_when_it_wins() -> None:
    for defenders, owner in ((30, 2), (3, 1)):
        on = board({"C3": (1, 10), "D4": (2, defenders)}, {"D4": (2, 1), "H8": (1, 3)}, b.terrain(1))
        held = b.armies_by_tile(played(AiKind.PILLAGER, on))["D4"]
        assert held[0] == owner
        assert owner == 1 or held[1] == 30


def test_the_barbarian_founds_no_city_and_splits_by_the_other_players() -> None:
    on = board({"A1": (1, 20), "H1": (2, 3), "A8": (3, 3), "H8": (4, 3)}, ground=b.terrain(1), players=4)
    played(AiKind.BARBARIAN, on)
    ours = [army.units for army in on.armies.values() if army.owner == 1]
    assert sorted(ours) == [6, 7, 7]
    assert not on.cities


def test_the_barbarian_attacks_each_player_once() -> None:
    on = board({"A1": (1, 20), "H1": (2, 3), "A8": (3, 30)}, {"F1": (2, 1)}, b.terrain(1), players=3)
    attacks = {2: 0, 3: 0}
    for number in range(1, 12):
        on.start_turn(1, number)
        on.log = []
        played(AiKind.BARBARIAN, on)
        for event in on.log:
            if event.event == "fought":
                attacks[event.enemy] += 1
    assert attacks == {2: 1, 3: 1}


def test_the_marshal_settles_and_splits_an_attack_from_high_ground() -> None:
    assert len(played_by_marshal(board({"C3": (1, 20), "H8": (2, 1)})).cities) == 1
    on = played_by_marshal(board({"C3": (1, 10), "D4": (2, 10)}, {"H1": (1, 9), "A8": (2, 1)}, b.terrain(1, C3=5)))
    assert sum(army.units for army in on.armies.values() if army.owner == 1) == 8
    assert b.at("D4") not in on.armies or on.armies[b.at("D4")].owner == 1


def test_the_marshal_settles_as_near_as_the_rules_let_it() -> None:
    on = board({"E3": (1, 20), "A8": (2, 1)}, {"C3": (1, 1)}, b.terrain(6, A8=1, C3=3, D3=3, E3=3))
    assert set(played_by_marshal(on).cities) == {b.at("C3"), b.at("E3")}


def test_the_marshal_keeps_a_garrison_where_an_enemy_is_near() -> None:
    calm = played_by_marshal(board({"C3": (1, 20), "H8": (2, 25)}, {"C3": (1, 1)}))
    assert calm.cities[b.at("C3")].size > 1
    tense = played_by_marshal(board({"C3": (1, 20), "C5": (2, 25)}, {"C3": (1, 1)}))
    assert b.armies_by_tile(tense)["C3"][1] == 20


def test_ways_cost_what_armies_pay() -> None:
    ground = b.terrain(2, B1=1, C1=6, **{f"{letter}3": 6 for letter in "ABCDEFGH"})
    on = board({"A1": (1, 5), "D2": (2, 5)}, ground=ground)
    far = Pillager(on, 1).distances_to([b.at("D1")])
    assert (far[b.at("D1")], far[b.at("C2")], far[b.at("B1")], far[b.at("A1")]) == (0, 2, 4, 5)
    assert far[b.at("D5")] == FAR
    around = Pillager(on, 1).distances_to([b.at("E1")], past_enemies=False)
    assert around[b.at("A1")] == 7
    on.sides[1].techs.add(Technology.MOUNTAINEERING)
    assert Pillager(on, 1).distances_to([b.at("D1")])[b.at("D5")] < FAR


def test_an_ai_never_stumbles_over_what_others_left() -> None:
    """Each kind plays from each position of a war of others, as it would for who is away."""
    request = GameRequest(
        players=(AiKind.MARSHAL, AiKind.PILLAGER, AiKind.RANDOM), drawing=Drawing(width=10, height=10), rounds=20
    )
    so_far = b.play_out(request)
    for kind in AiKind:
        for number in (1, 2, 3):
            on = board_of(so_far.state)
            on.start_turn(number, 1)
            AIS[kind](on, number).play(SeededDice(b"s"))
            assert all(army.units > 0 for army in on.armies.values())


WALL = {f"{column}{row}": 6 for column in "DE" for row in range(1, 9)}
"""Mountains between the columns A to C and F to H."""


def cut_off(
    kind: AiKind = AiKind.MARSHAL, *, units: int = 60, rounds_left: int | None = None, gap: Sequence[str] = ()
) -> Board:
    """Let an AI look for a way to the city of another player, behind a wall with a gap."""
    ground = b.terrain(2, **(WALL | dict.fromkeys(gap, 5)))
    on = board({"A1": (1, units)}, {"A1": (1, 1), "H8": (2, 1)}, ground)
    open_way(kind, on, 1, rounds_left)
    return on


@pytest.mark.parametrize("kind", [AiKind.MARSHAL, AiKind.PILLAGER, AiKind.BARBARIAN])
def test_an_ai_discovers_mountaineering_where_it_cannot_reach_an_enemy(kind: AiKind) -> None:
    on = cut_off(kind)
    assert (on.sides[1].techs, on.armies[b.at("A1")].units) == ({Technology.MOUNTAINEERING}, 30)
    open_way(kind, on, 1, None)
    assert on.armies[b.at("A1")].units == 30


def test_an_ai_needs_no_mountaineering_where_there_is_a_way_or_no_sense_in_one() -> None:
    for on in (
        cut_off(gap=("D1", "E2")),
        cut_off(AiKind.RANDOM),
        cut_off(units=29),
        cut_off(rounds_left=9),
        cut_off(gap=tuple(WALL)),
    ):
        assert not on.sides[1].techs
    guarded = board({"A1": (1, 35), "C3": (2, 20)}, {"A1": (1, 1)}, b.terrain(2, **WALL), players=3)
    guarded.cities[b.at("H8")] = City(3, 1, 1)
    open_way(AiKind.MARSHAL, guarded, 1, None)
    assert not guarded.sides[1].techs, "its city needs the units"
    assert cut_off(rounds_left=10).sides[1].techs


@pytest.mark.parametrize(("edition", "ending"), [(1, Ending.ROUND_LIMIT), (RULES_VERSION, Ending.ANNIHILATION)])
@pytest.mark.parametrize("kind", [AiKind.MARSHAL, AiKind.PILLAGER])
def test_a_war_does_not_stall_behind_mountains(kind: AiKind, edition: int, ending: Ending) -> None:
    """The other player has a city behind the wall, as one who climbed there would, and is away."""
    state = b.begin_game(kind, "Ben", ground=b.terrain(2, **WALL), rounds=120, edition=edition).state
    on = board({"B2": (1, 20), "G7": (2, 5)}, {"B2": (1, 1), "G7": (2, 1)}, b.terrain(2, **WALL))
    players = (state.players[0], state.players[1].model_copy(update={"ai": AiKind.BARBARIAN}))
    state = state.model_copy(update={"world": on.world(), "players": players, "turn": 1, "before": None})
    while state.phase is Phase.PLAYING:
        state = b.WAR.apply(state, b.GoOn(), ANYONE, SeededDice(b"s", state.round)).state
    assert (state.ending, state.winner) == (ending, 1)


def war_played(start: Setup, seed: bytes) -> tuple[Session, list[e.Event]]:
    """Play a war of AIs to its end; return it and all that happened."""
    play = Session(b.WAR, start, seed)
    try:
        play.act(b.Begin(), ANYONE)
    except IllegalActionError as error:
        assert "no connected land" in str(error)  # maps of the smallest size may have too little
        return play, []
    steps = 0
    while play.outcome is None:
        play.act(b.GoOn(), ANYONE)
        steps += 1
        assert steps <= 30 * 4
    return play, [b.WAR.events.read(event) for entry in play.entries for event in entry.events]


def units_of(board: Board) -> int:
    return sum(army.units for army in board.armies.values())


def spent(event: e.Event) -> int:
    """Return the units that an event says are gone, fewer than none for those that came."""
    if isinstance(event, e.TurnBegan):
        return -event.made
    if isinstance(event, e.Moved):
        return sum(lost for _, _, _, lost in event.ways)
    if isinstance(event, e.Fought):
        return event.attacker_loss + event.defender_loss - event.drafted
    if isinstance(event, e.Founded):
        return 20
    return event.paid if isinstance(event, e.Grew | e.Shaped | e.Discovered) else 0


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


@given(b.ai_setups(), st.binary(min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_whole_games_of_ais_keep_the_rules(start: Setup, seed: bytes) -> None:
    """Units are conserved but for production and stated losses; income is as computed; the game ends in time."""
    play, events = war_played(start, seed)
    if not events:
        return
    assert play.outcome is not None
    assert start.rounds is not None
    assert play.outcome.rounds <= start.rounds
    began = next(event for event in events if isinstance(event, e.Began))
    board = Board.of(began.world, dict(began.players))
    check_board(board, start.edition)
    for event in events:
        before = units_of(board)
        if isinstance(event, e.TurnBegan):
            assert event.made == income(board, event.by)
        apply_event(board, event)
        assert units_of(board) == before - spent(event)
        check_board(board, start.edition)
    assert len(b.WAR.lines(tuple(events))) == len(events)


tiles = st.integers(0, 63)
orders: st.SearchStrategy[Order] = st.one_of(
    st.builds(b.Move, at=tiles, to=tiles, units=st.sampled_from([None, 1, 5])),
    st.builds(b.Attack, at=tiles, to=tiles, units=st.sampled_from([None, 1])),
    *(st.builds(kind, at=tiles) for kind in (b.Found, b.Grow, b.Lower, b.Pass)),
)


@given(st.lists(st.lists(orders, min_size=1, max_size=3).map(tuple), max_size=40), st.binary(min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_orders_are_carried_out_or_refused_and_can_be_retold(tries: list[tuple[Order, ...]], seed: bytes) -> None:
    play = Session(b.WAR, b.setup("Anna", "Ben", "random", rounds=10), seed)
    play.act(b.Begin(), REFEREE)
    for tried in tries:
        before = play.state
        try:
            play.act(Give(orders=tried), seat_of(before.turn))
        except IllegalActionError:
            assert play.state == before
    check_retold(play.state, [b.WAR.events.read(event) for entry in play.entries for event in entry.events])


def test_wars_of_people_and_ais_are_retold_by_their_events() -> None:
    for play in plays(b.WAR.name):
        check_retold(play.states[-1], [event for turn in play.turns for event in turn.step.events])


def check_retold(state: State, events: list[e.Event]) -> None:
    """Check that events alone lead to the same map, undone orders and resignations among them."""
    boards = [board.world() for board, _, is_over in turns(events) if is_over]
    if state.phase is Phase.LOBBY:
        assert not boards
        return
    assert state.world is not None
    retold, real = boards[-1], state.world
    same = {"tiles", "owners", "armies", "cities"}
    assert retold.model_dump(include=same) == real.model_dump(include=same)
    assert [agent.out for agent in retold.agents] == [agent.out for agent in real.agents]
