"""The rows of Mad Killer Agents; and how strong the marshal is: `python -m tests.bench.mad_killer_agents`, by hand.

`--games N` plays N games of two against each of the other AIs, on mixed maps. `--places N` plays N games of equal AIs
on maps of each kind, of several sizes, and counts the wins by the place in the order of play. `--starts N` draws N maps
of each kind and counts those where a longer search for starting places finds a step more.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import product
from unittest.mock import patch

from sim.core.dice import SeededDice, seed_bytes
from sim.core.staged_job import Continue
from sim.mad_killer_agents.battle.board import Army, Board, City
from sim.mad_killer_agents.battle.runner import AIS
from sim.mad_killer_agents.constants import AiKind, MapKind
from sim.mad_killer_agents.map_picture import Window, around, draw_map
from sim.mad_killer_agents.requests import FilmRequest
from sim.mad_killer_agents.simulate import GameRequest, GameSoFar
from sim.mad_killer_agents.terrain import MAX_VISITS, Drawing, starting_tiles
from tests.bench.rows import Row
from tests.sim.mad_killer_agents.builders import distances, least, sign_test, wins_by_place

SIZES = (12, 16, 20, 24, 30)
"""Sides of the maps for the marshal's games."""


def crowded(side: int, armies: int, players: int = 2) -> Board:
    """Return a board with so many armies of the first player, cities among them, and as many of the others."""
    dice = SeededDice(seed_bytes(7))
    terrain = Drawing(width=side, height=side).draw(dice)
    names = {number: f"P{number}" for number in range(1, players + 1)}
    board = Board.new(terrain, starting_tiles(terrain, players, dice), names)
    land = [tile for tile, value in enumerate(terrain.values) if value < 6]
    while sum(army.owner == 1 for army in board.armies.values()) < armies:
        for number in names:
            tile = land[dice.roll(len(land)) - 1]
            if tile not in board.armies:
                board.armies[tile] = Army(number, dice.roll(60), 2)
                board.owners[tile] = number
                if dice.roll(4) == 1:
                    board.cities[tile] = City(number, 1, dice.roll(5))
    return board


def played(request: GameRequest) -> tuple[GameSoFar, float]:
    """Play a game to its end; return it and the longest of its jobs in seconds."""
    report: Continue[GameSoFar] | GameSoFar = Continue(request)
    longest = 0.0
    while isinstance(report, Continue):
        start = time.perf_counter()
        report = report.rest.run()
        longest = max(longest, time.perf_counter() - start)
    return report, longest


def rows() -> Iterator[Row]:
    """Yield maps, pictures, turns of each AI on a crowded map, whole games and their films."""
    for shape in MapKind:
        drawing = Drawing(width=40, height=40, kind=shape)
        yield Row(f"map 40 x 40, {shape}", partial(drawing.draw, SeededDice(b"bench")), 50)
    terrain = Drawing(width=40, height=40).draw(SeededDice(b"bench"))
    yield Row("starting places of 8 on it", lambda: starting_tiles(terrain, 8, SeededDice(b"bench")))
    for side in (12, 20, 30, 40):
        board = crowded(side, side * side // 16, 4)
        for what, window in (("picture", None), ("part of it", around(board, side * side // 2))):
            yield Row(f"{what} {side} x {side}", partial(_drawn, board, window), 30)
    for kind, players in product(AiKind, (2, 8)):
        board = crowded(40, 100, players)
        turn = partial(lambda ai, on: ai(on, 1, 50).play(SeededDice(b"bench")), AIS[kind], board)
        yield Row(f"turn of the {kind}, 40 x 40, 100 armies, {players} players", turn, 1000)
    for company in ((AiKind.MARSHAL,) * 4, tuple(AiKind)):
        request = GameRequest(players=company, rounds=100, keep_events=True)
        game, longest = played(request)
        name = "4 marshals" if len(set(company)) == 1 else "one of each AI"
        note = f"{game.state.round} rounds, longest job {longest:.2f} s"
        yield Row(f"game 20 x 20, {name}", partial(played, request), 10_000, note)
        film = FilmRequest(event_batches=game.event_batches, rounds=game.state.round)
        yield Row(f"film of {name}", film.run, None, f"cost() {film.cost():.1f} s")


def _drawn(board: Board, window: Window | None) -> bytes:
    return draw_map(board, window=window).png()


def strength(games: int) -> None:
    """Print how often the marshal beats each of the others alone."""
    print(f"\n{'marshal against':<16}{'won':>6}{'shared':>8}{'games':>7}{'rounds':>8}{'seconds':>9}")
    for other in AiKind:
        if other is AiKind.MARSHAL:
            continue
        start = time.perf_counter()
        tally: Counter[str] = Counter()
        for game in range(games):
            side, kind = SIZES[game % len(SIZES)], tuple(MapKind)[game % len(MapKind)]
            request = GameRequest(
                players=(AiKind.MARSHAL, other), drawing=Drawing(width=side, height=side, kind=kind), game=game % 200
            )
            end, _ = played(request)
            winner = end.state.winner
            tally["won"] += winner is not None and request.order[winner - 1] == 0
            tally["shared"] += winner is None
            tally["rounds"] += end.state.round
        spent = time.perf_counter() - start
        rounds = tally["rounds"] / games
        print(f"{other:<16}{tally['won']:>6}{tally['shared']:>8}{games:>7}{rounds:>8.1f}{spent:>9.1f}")


def starting_places(maps: int) -> None:
    """Print on how many maps a search that takes 40 times as long finds a step more."""
    print(f"\n{'side':>4}{'players':>9}{'maps':>6}{'short':>7}{'slowest ms':>12}")
    for side, players in product((20, 30, 40), (2, 3, 4, 5, 6, 7, 8)):
        short, slowest = 0, 0.0
        for kind, seed in product(MapKind, range(maps)):
            terrain = Drawing(width=side, height=side, kind=kind).draw(SeededDice(seed_bytes(seed)))
            start = time.process_time()
            usual = starting_tiles(terrain, players, SeededDice(b"starts"))
            slowest = max(slowest, time.process_time() - start)
            with patch("sim.mad_killer_agents.terrain.MAX_VISITS", 40 * MAX_VISITS):
                longer = starting_tiles(terrain, players, SeededDice(b"starts"))
            if usual != longer:
                fields = distances(terrain)
                short += least(fields, usual) < least(fields, longer)
        print(f"{side:>4}{players:>9}{maps * len(MapKind):>6}{short:>7}{slowest * 1e3:>12.0f}", flush=True)


def places(games: int) -> None:
    """Print how often who plays first, second … wins, and how likely the first's and second's wins are by chance."""
    print(f"\n{'equal AIs':<12}{'players':>8} {'map':<10} wins by place")
    for kind, players, sides in (
        (AiKind.MARSHAL, 2, (8, 12, 16, 20)),
        (AiKind.MARSHAL, 4, (12, 16)),
        (AiKind.PILLAGER, 2, (8, 12)),
        (AiKind.RANDOM, 2, (8, 12)),
    ):
        total = [0] * players
        for shape in MapKind:
            wins = wins_by_place(kind, players, [Drawing(width=side, height=side, kind=shape) for side in sides], games)
            total = [before + new for before, new in zip(total, wins, strict=True)]
            print(f"{kind:<12}{players:>8} {shape:<10} {wins}, p = {sign_test(*wins[:2]):.3f}", flush=True)
        print(f"{kind:<12}{players:>8} {'all':<10} {total}, p = {sign_test(*total[:2]):.3f}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=0, metavar="N", help="games against each AI")
    parser.add_argument("--places", type=int, default=0, metavar="N", help="games of equal AIs on maps of each kind")
    parser.add_argument("--starts", type=int, default=0, metavar="N", help="maps of each kind for starting places")
    arguments = parser.parse_args()
    if arguments.places:
        places(arguments.places)
    if arguments.starts:
        starting_places(arguments.starts)
    if arguments.games:
        strength(arguments.games)


if __name__ == "__main__":
    main()
