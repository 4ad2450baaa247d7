"""Questions and the jobs that answer them: battles, maps, pictures, films, wars of AIs."""

import io
import pickle
import subprocess
import sys

import pytest
from PIL import Image

from sim.core.canonical_json import canonical
from sim.core.cards.theme import rgb
from sim.core.errors import RuleError
from sim.core.staged_job import Continue
from sim.core.values import Ending
from sim.mad_killer_agents.battle.board import PlayerFigures
from sim.mad_killer_agents.battle.options import Direction, army_options, board_of
from sim.mad_killer_agents.battle.values import (
    EndTurn,
    Give,
    GoOn,
    Undo,
    Write,
)
from sim.mad_killer_agents.cards.film import MAX_FRAMES, Film, film_gif
from sim.mad_killer_agents.cards.looks import PLAYERS
from sim.mad_killer_agents.combat import Clash
from sim.mad_killer_agents.constants import AiKind, MapKind
from sim.mad_killer_agents.requests import (
    BattleRequest,
    FilmRequest,
    MapRequest,
    PictureRequest,
)
from sim.mad_killer_agents.simulate import GameRequest, SimulateRequest
from sim.mad_killer_agents.terrain import Drawing
from sim.workers.queue import QUICK_SECONDS
from tests.sim.mad_killer_agents.builders import (
    WAR,
    Attack,
    armies_by_tile,
    at,
    begin_game,
    board,
    first_army,
    play_out,
    terrain,
)

M, R = AiKind.MARSHAL, AiKind.RANDOM


def test_a_battle_is_answered_with_the_best_split() -> None:
    job = pickle.loads(pickle.dumps(BattleRequest.of(Clash(10, 5, 10, 1))))
    report = job.run()
    assert (report.result.attacker_loss, report.split.lost) == (6, 2)
    assert type(report).model_validate_json(report.model_dump_json()) == report
    assert job.cost() < 0.1
    with pytest.raises(RuleError, match="needs units or a city"):
        BattleRequest(attackers=1, attacker_tile=1, defenders=0, defender_tile=1)


def loaded_image(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def test_a_map_with_its_statistics_and_picture() -> None:
    request = MapRequest(drawing=Drawing(width=40, height=40, kind=MapKind.RANDOM), seed=3)
    report = request.run()
    assert report.terrain == request.draw() == MapRequest(terrain=report.terrain).run().terrain
    assert sum(report.statistics.counts) == 1600
    assert loaded_image(report.picture.data).format == "PNG"
    assert len(report.picture.data) <= 1 << 20
    assert "A map of 40 x 40 tiles" in report.picture.alt


def test_the_picture_of_a_game() -> None:
    play = begin_game("Anna", "marshal", "random", ground=terrain(3, A1=6))
    with pytest.raises(RuleError, match="not begun"):
        PictureRequest(state=WAR.begin(play.state.setup))
    play.act(Write(text=f"{first_army(play, 1)} found; end"), "player-1")
    picture = pickle.loads(pickle.dumps(PictureRequest(state=play.state))).run()
    image = loaded_image(picture.data)
    assert min(image.size) > 8 * 24
    assert len(picture.data) <= 1 << 20
    assert "Anna, on turn: " in picture.alt
    # Each owner's color is in it, and nobody's who isn't there.
    plain = image.convert("RGB").tobytes()
    pixels = {(plain[at], plain[at + 1], plain[at + 2]) for at in range(0, len(plain), 3)}
    far = {
        number: min(sum(abs(a - b) for a, b in zip(rgb(PLAYERS[number]), pixel, strict=True)) for pixel in pixels)
        for number in range(1, 9)
    }
    assert max(far[1], far[2], far[3]) < 25 < min(far[4], far[5])


def test_a_game_as_an_animation() -> None:
    play = begin_game("Anna", "marshal", "pillager", rounds=12)
    play.act(Write(text=f"{first_army(play, 1)} found"), "player-1")
    play.act(Undo(), "player-1")
    while play.outcome is None:
        play.act(EndTurn() if play.state.turn == 1 else GoOn(), "player-1")
    job = FilmRequest(
        event_batches=tuple(canonical(list(entry.events)) for entry in play.entries), rounds=play.state.round
    )
    film = job.run()
    image = loaded_image(film.data)
    assert image.format == "GIF"
    assert 2 <= image.n_frames <= play.state.round + 1  # type: ignore[attr-defined]  # GIFs have it
    assert len(film.data) <= 8 << 20
    assert 0 < job.cost() < 5
    assert film.alt == f"How the game went in {play.state.round} rounds."
    with pytest.raises(RuleError, match="not begun"):
        FilmRequest(event_batches=(), rounds=0).run()


def test_a_long_film_is_thinned_out() -> None:
    film = Film(3 * MAX_FRAMES)
    on = board({"A1": (1, 5)})
    for number in range(3 * MAX_FRAMES):
        on.tiles[number % 64] = 1 + number % 6
        film.add(on, f"Round {number}")
    assert loaded_image(film.gif()).n_frames == MAX_FRAMES + 1  # type: ignore[attr-defined]  # likewise
    with pytest.raises(ValueError, match="a frame at least"):
        Film().gif()


def test_a_player_with_next_to_no_points_is_no_bar_in_a_film() -> None:
    assert film_gif([(board({"A1": (1, 1), "C3": (2, 9_000)}), "Round 1")])


def test_what_an_army_can_do_is_told_for_buttons() -> None:
    play = begin_game("Anna", "Ben", ground=terrain(6, A1=1, B1=3))
    place = first_army(play, 1)
    there = first_army(play, 2)
    found = army_options(play.state, at(place), 12)
    moves = {move.direction: move for move in found.moves}
    attack = moves[Direction.EAST if place == "A1" else Direction.WEST]
    assert attack.order == Attack(at=at(place), to=at(there), units=12)
    assert attack.result is not None
    assert attack.split is not None
    assert attack.split.lost <= attack.result.attacker_loss
    assert moves[Direction.NORTH].why == "The map ends here."
    assert "is a mountain" in str(moves[Direction.SOUTH].why)
    reasons = {action.order.do: action.why for action in found.tile_actions if action.order.do != "discover"}
    assert reasons["found"] is None
    assert "no city" in str(reasons["grow"])
    with pytest.raises(RuleError, match="no army"):
        army_options(play.state, at(there))
    with pytest.raises(RuleError, match="not begun"):
        army_options(WAR.begin(play.state.setup), 0)


def test_an_attack_is_shown_before_it_is_made() -> None:
    play = begin_game("Anna", "Ben", ground=terrain(6, A1=1, B1=3))
    me, there = first_army(play, 1), first_army(play, 2)
    (preview,) = [move for move in army_options(play.state, at(me), 12).moves if move.to == at(there)]
    assert preview.result is not None
    play.act(Write(text=f"{me} attack {there} 12"), "player-1")
    left = {name: units for name, (_, units, _) in armies_by_tile(board_of(play.state)).items()}
    assert left[there] == preview.result.defender_left
    assert left[me] == 8 + preview.result.attacker_left
    with pytest.raises(RuleError, match="not on the map"):
        play.act(Give(orders=(Attack(at=at(me), to=999),)), "player-1")


def test_the_game_in_figures_and_marches_beside_moves() -> None:
    play = begin_game("Anna", "marshal", ground=terrain(3))
    move = next(move for move in army_options(play.state, at(first_army(play, 1))).moves if move.order is not None)
    assert move.order is not None
    assert move.order.do == "move"
    assert (move.cost, move.march_loss) == (2, 4)
    assert move.march is not None
    play.act(Write(text=f"{first_army(play, 1)} found; end"), "player-1")
    assert board_of(play.state).figures(1) == PlayerFigures(score=26, units=6, armies=1, cities=1, income=6)


def test_a_war_of_ais_in_one_job_and_in_parts() -> None:
    request = SimulateRequest(players=(M, R, R), drawing=Drawing(width=10, height=10), rounds=25, games=3, seed=4)
    games = [play_out(game) for game in request.game_requests()]
    parts = request.join(None, games)
    whole = request.run()
    assert parts.report == whole
    assert sum(result.wins for result in whole.standings) + sum(result.shared > 0 for result in whole.standings) <= 3
    assert whole.standings[0].wins == 3
    assert whole.names == ("marshal", "random 1", "random 2")
    assert len(whole.scores) == max(len(game.scores) for game in games) <= 25
    assert sum(whole.endings.values()) == 3
    assert whole.chart is not None
    assert loaded_image(whole.chart.data).format == "PNG"
    assert type(whole).model_validate_json(whole.model_dump_json(exclude={"chart"})).standings == whole.standings
    low, high = whole.standings[0].interval
    assert 0 < low < high == 1
    assert [game.order for game in request.game_requests()] == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    assert all(part.cost() <= QUICK_SECONDS for part in request.parts(None))


@pytest.mark.rest
def test_a_long_game_takes_several_jobs_and_can_be_filmed() -> None:
    request = GameRequest(players=(M,) * 6, drawing=Drawing(width=24, height=24), rounds=60, keep_events=True)
    assert isinstance(request.run(), Continue)
    last = play_out(request)
    assert last.steps > 1
    assert last.state.ending in set(Ending)
    assert len(last.scores) == last.state.round
    film = FilmRequest(event_batches=last.event_batches, rounds=last.state.round)
    assert film.cost() < 5
    assert loaded_image(film.run().data).format == "GIF"


def test_simulations_that_make_no_sense() -> None:
    with pytest.raises(RuleError, match="more than 2 players"):
        SimulateRequest(players=(M, AiKind.BARBARIAN))
    assert SimulateRequest(players=(M,) * 8, drawing=Drawing(width=40, height=40), games=200).cost() > 5


@pytest.mark.process
def test_a_question_needs_no_heavy_library() -> None:
    program = (
        "import sys, sim.mad_killer_agents.requests, sim.mad_killer_agents.simulate;"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'numba', 'PIL')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
