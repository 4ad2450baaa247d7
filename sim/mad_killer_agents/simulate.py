"""Games of AIs, played in chunks that each fit into a job, and the summary of several games."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sim.core.dice import Dice
from sim.core.numbers import chance_interval
from sim.core.values import Ending
from sim.mad_killer_agents.battle.lobby import initial_state, new_ai
from sim.mad_killer_agents.battle.runner import StepRunner, turn_seconds
from sim.mad_killer_agents.battle.values import Setup
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.reports import GameSoFar, PlayerResult, Scores, SimulateReport

CHUNK_SECONDS = 1.5
"""A chunk ends after turns that may have taken this long, by `turn_seconds`; each has dice of its own."""

JOB_SECONDS = 0.4
"""A job ends after such turns, in the middle of a chunk or with it. Marshals on large maps take twice as long."""


def start_game(setup: Setup, ais: Iterable[AiKind], dice: Dice) -> StepRunner:
    """Start a game of AIs, in the order of their turns."""
    state = initial_state(setup)
    for ai in ais:
        state = state.model_copy(update={"players": (*state.players, new_ai(state, ai))})
    return StepRunner.start(state, dice)


class Played(NamedTuple):
    """What a job has played: the scores at the end of each round, and the seconds of its chunk; 0 if that is over."""

    scores: list[Scores]
    seconds: float


def play_job(runner: StepRunner, order: Sequence[int], seconds: float, *, keep_events: bool) -> Played:
    """Play until the game or the chunk is over, or the job's time is up.

    `order`: the index of the player in the first seat, in the second, and so on. `seconds`: of the chunk, before.
    """
    scores: list[Scores] = []
    end = seconds + JOB_SECONDS
    while not runner.over:
        before = seconds
        seconds += turn_seconds(len(runner.board.tiles), len(runner.board.armies))
        if seconds > CHUNK_SECONDS:
            return Played(scores, 0.0)
        if before > end:
            return Played(scores, before)
        number = runner.round
        runner.play_turn(runner.player.ai or AiKind.MARSHAL)
        if not keep_events:
            runner.events.clear()
        if runner.round > number or runner.over:
            points = dict(runner.board.scores())
            scores.append(tuple(points[order.index(player) + 1] for player in range(len(order))))
    return Played(scores, 0.0)


def summarize(players: Sequence[AiKind], games: Sequence[tuple[GameSoFar, Sequence[int]]]) -> SimulateReport:
    """Return the report of games that are over, each with the order of its seats."""
    wins: Counter[int] = Counter()
    shared: Counter[int] = Counter()
    for game, order in games:
        if game.state.winner is not None:
            wins[order[game.state.winner - 1]] += 1
        shared.update(order[number - 1] for number in game.state.sharing)
    count = len(games)
    longest = max(len(game.scores) for game, _ in games)
    filled = [game.scores + game.scores[-1:] * (longest - len(game.scores)) for game, _ in games]
    means = tuple(
        tuple(sum(game[at][player] for game in filled) / count for player in range(len(players)))
        for at in range(longest)
    )
    standings = tuple(
        PlayerResult(
            ai=ai,
            wins=wins[player],
            chance=wins[player] / count,
            interval=chance_interval(wins[player] / count, count),
            shared=shared[player],
            mean_score=means[-1][player],
        )
        for player, ai in enumerate(players)
    )
    endings = Counter(game.state.ending for game, _ in games if game.state.ending is not None)
    return SimulateReport(
        games=count,
        standings=standings,
        rounds=sum(game.state.round for game, _ in games) / count,
        scores=means,
        endings={ending: endings[ending] for ending in Ending if endings[ending]},
    )
