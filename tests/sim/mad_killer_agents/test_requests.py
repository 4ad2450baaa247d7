"""Questions and the jobs that answer them: battles, maps, pictures, films, wars of AIs; all in a terminal, too."""

import io
import pickle
from collections.abc import Iterator
from itertools import product

import pytest
from PIL import GifImagePlugin, Image

from sim.core import RuleError
from sim.core.staged_job import Continue
from sim.core.values import Ending, canonical
from sim.mad_killer_agents.battle import Give, Write
from sim.mad_killer_agents.battle.board import Board, PlayerFigures, board_of
from sim.mad_killer_agents.battle.order_input import Direction, army_options
from sim.mad_killer_agents.combat import Clash, fight
from sim.mad_killer_agents.constants import AiKind, MapKind
from sim.mad_killer_agents.film import MAX_FRAMES, film_gif
from sim.mad_killer_agents.map_theme import PLAYERS
from sim.mad_killer_agents.requests import (
    ExportRequest,
    FilmRequest,
    MapRequest,
    PictureRequest,
    read_map,
)
from sim.mad_killer_agents.simulate import GameRequest, SimulateRequest
from sim.mad_killer_agents.terrain import Drawing
from sim.workers.queue import QUICK_SECONDS
from tests.sim.conftest import Terminal
from tests.sim.core.cards.looking import opened, share
from tests.sim.mad_killer_agents import builders as war
from tests.sim.mad_killer_agents.builders import at

M, R = AiKind.MARSHAL, AiKind.RANDOM


def test_a_map_with_its_statistics_and_picture() -> None:
    request = MapRequest(drawing=Drawing(width=40, height=40, kind=MapKind.RANDOM), seed=3)
    report = request.run()
    assert report.terrain == request.draw() == MapRequest(terrain=report.terrain).run().terrain
    assert sum(report.statistics.counts) == 1600
    opened(report.picture.data)
    assert "A map of 40 x 40 tiles" in report.picture.alt


def test_the_picture_of_a_game() -> None:
    play = war.begin_game("Anna", "marshal", "random", ground=war.terrain(3, A1=6))
    with pytest.raises(RuleError, match="not begun"):
        PictureRequest(state=war.WAR.begin(play.state.setup)).run()
    play.act(Write(text=f"{war.first_army(play, 1)} found; end"), "player-1")
    picture = pickle.loads(pickle.dumps(PictureRequest(state=play.state))).run()
    image = opened(picture.data)
    assert "Anna, on turn: " in picture.alt
    assert [number for number in range(1, 9) if share(image, PLAYERS[number])] == [1, 2, 3], "who is there"
    play.act(war.Resign(), "player-1")
    assert "Anna is out." in PictureRequest(state=play.state).run().alt
    assert list(ExportRequest(state=war.WAR.begin(play.state.setup)).run()) == ["map.csv"]


def frames(data: bytes) -> int:
    """Return how many pictures an animation has."""
    image = Image.open(io.BytesIO(data))
    assert isinstance(image, GifImagePlugin.GifImageFile)
    return image.n_frames


def test_a_game_as_an_animation() -> None:
    play = war.begin_game("Anna", "marshal", "pillager", rounds=12)
    play.act(Write(text=f"{war.first_army(play, 1)} found"), "player-1")
    play.act(war.Undo(), "player-1")
    while play.outcome is None:
        play.act(war.EndTurn() if play.state.turn == 1 else war.GoOn(), "player-1")
    job = FilmRequest(
        event_batches=tuple(canonical(list(entry.events)) for entry in play.entries), rounds=play.state.round
    )
    film = job.run()
    assert 2 <= frames(film.data) <= play.state.round + 1
    assert len(film.data) <= 8 << 20
    assert 0 < job.cost() < 5
    assert film.alt.startswith(
        f"A film of the war, {play.state.round} rounds. After {play.state.round} rounds Marshal 2 wins:"
    )


def test_a_long_film_is_thinned_out() -> None:
    on = war.board({"A1": (1, 5)})

    def played() -> Iterator[tuple[Board, str]]:
        for number in range(3 * MAX_FRAMES):
            on.tiles[number % 64] = 1 + number % 6
            yield on, f"Round {number}"

    assert frames(film_gif(played(), 3 * MAX_FRAMES)) == MAX_FRAMES + 1
    with pytest.raises(RuleError, match="not begun"):
        film_gif([])


def test_a_player_with_next_to_no_points_is_no_bar_in_a_film() -> None:
    assert film_gif([(war.board({"A1": (1, 1), "C3": (2, 9_000)}), "Round 1")])


def test_what_an_army_can_do_is_told_for_buttons() -> None:
    play = war.begin_game("Anna", "Ben", ground=war.terrain(6, A1=1, B1=3))
    place, there = war.first_army(play, 1), war.first_army(play, 2)
    found = army_options(play.state, at(place), 12)
    moves = {move.direction: move for move in found.moves}
    attack = moves[Direction.EAST if place == "A1" else Direction.WEST]
    assert attack.order == war.Attack(at=at(place), to=at(there), units=12)
    assert attack.battle is not None
    assert attack.battle.split.lost <= attack.battle.result.attacker_loss
    assert len(moves) == 1, "the map ends, or there is a mountain"
    assert "found" not in found.refused
    assert "no city" in found.refused["grow"]
    for state, tile, message in ((play.state, at(there), "no army"), (war.WAR.begin(play.state.setup), 0, "not begun")):
        with pytest.raises(RuleError, match=message):
            army_options(state, tile)
    with pytest.raises(RuleError, match="not on the map"):
        play.act(Give(orders=(war.Attack(at=at(place), to=999),)), "player-1")
    play.act(Write(text=f"{place} attack {there} 12"), "player-1")
    left = {name: units for name, (_, units, _) in war.armies_by_tile(board_of(play.state)).items()}
    assert (left[there], left[place]) == (attack.battle.result.defender_left, 8 + attack.battle.result.attacker_left)


def test_the_game_in_figures_and_marches_beside_moves() -> None:
    play = war.begin_game("Anna", "marshal", ground=war.terrain(3))
    move = next(move for move in army_options(play.state, at(war.first_army(play, 1))).moves if move.order is not None)
    assert move.order is not None
    assert move.order.do == "move"
    assert (move.cost, move.march_loss) == (2, 4)
    assert move.march is not None
    play.act(Write(text=f"{war.first_army(play, 1)} found; end"), "player-1")
    assert board_of(play.state).figures(1) == PlayerFigures(score=26, units=6, armies=1, cities=1, income=6)


def test_a_war_of_ais_in_one_job_and_in_parts() -> None:
    request = SimulateRequest(players=(M, R, R), drawing=Drawing(width=10, height=10), rounds=25, games=3, seed=4)
    games = [war.play_out(game) for game in request.parts(None)]
    parts = request.join(None, games)
    whole = request.run()
    assert parts == whole
    assert sum(result.wins for result in whole.standings) + sum(result.shared > 0 for result in whole.standings) <= 3
    assert whole.standings[0].wins == 3
    assert whole.names == ("marshal", "random 1", "random 2")
    assert len(whole.scores) == max(len(game.scores) for game in games) <= 25
    assert sum(whole.endings.values()) == 3
    assert whole.chart is not None
    opened(whole.chart.data)
    assert type(whole).model_validate_json(whole.model_dump_json()).standings == whole.standings
    low, high = whole.standings[0].interval
    assert 0 < low < high == 1
    assert [game.order for game in request.parts(None)] == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    assert all(part.cost() <= QUICK_SECONDS for part in request.parts(None))
    assert SimulateRequest(players=(M,) * 8, drawing=Drawing(width=40, height=40), games=200).cost() > 5


@pytest.mark.rest
def test_a_long_game_takes_several_jobs_and_can_be_filmed() -> None:
    request = GameRequest(players=(M,) * 6, drawing=Drawing(width=24, height=24), rounds=60, keep_events=True)
    assert isinstance(request.run(), Continue)
    last = war.play_out(request)
    assert last.steps > 1
    assert last.state.ending in set(Ending)
    assert len(last.scores) == last.state.round
    film = FilmRequest(event_batches=last.event_batches, rounds=last.state.round)
    assert film.cost() < 5
    assert frames(film.run().data) > 1


def test_a_battle_has_the_options_and_the_advice_of_the_bot(terminal: Terminal) -> None:
    """The advice stands on stderr, so that the figures stay what they are for whoever reads them by program."""
    plain = terminal("mka-battle", "10@5", "12@1")
    assert plain.out.startswith("The attacker takes the tile, 2 units left.\n")
    assert "city" not in plain.out
    assert plain.err == "Note: Best in parts: 3 x 1: 2 lost, 8 left; tile taken\nNote: 7 units can stay out of it.\n"
    found = []
    for drill, masonry in product([False, True], repeat=2):
        options = ["--drill"] * drill + ["--masonry"] * masonry
        found.append(terminal.json("mka-battle", "20@2", "15@4", "--city", "3", *options))
        result = fight(Clash(20, 2, 15, 4, 3, drill, masonry))
        assert found[-1] == {name: getattr(result, name) for name in found[-1]}
    assert len(set(map(str, found))) > 2


def test_an_army_on_a_mountain_is_refused_unless_it_knows_mountaineering(terminal: Terminal) -> None:
    for sides in (["5@6", "2@1"], ["5@3", "2@6"]):
        refused = terminal("mka-battle", *sides, status=2)
        assert (refused.out, "is on a mountain; armies there need Mountaineering" in refused.err) == ("", True)
        assert terminal.json("mka-battle", *sides, "--mountaineering")["defender_loss"] == 2


def test_a_map_is_the_one_of_the_seed_and_can_be_imported(terminal: Terminal) -> None:
    for kind in MapKind:
        output = terminal("mka-map", "--size", "12x9", "--kind", kind, "--seed", "5").out
        drawing = Drawing(width=12, height=9, kind=kind)
        assert read_map(output.encode()) == MapRequest(drawing=drawing, seed=5).draw()
        assert len(output.splitlines()) == 9


def test_a_war_of_ais(terminal: Terminal) -> None:
    command = ["mka-simulate", "marshal", "random", "--games", "1", "--size", "8x8", "--rounds", "12"]
    table = terminal(*command).out.splitlines()
    assert table[0].split() == ["player", "wins", "shared", "score"]
    assert table[-1].startswith("1 game, ")
    assert terminal.json(*command)["games"] == 1
