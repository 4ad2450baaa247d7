"""Wars of AIs: each game in jobs of a moment, many games side by side, and the report of all."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.core.cards.values import DrawnCard
from sim.core.dice import Seed, SeededDice, seed_bytes
from sim.core.names import numbered
from sim.core.numbers import Interval, chance_interval, quantity
from sim.core.staged_job import Continue, answer, to_the_end
from sim.core.values import Ending, Frozen, Probability, Request, canonical
from sim.mad_killer_agents.battle import Phase, RulesVersion, Setup, State, check_players, named
from sim.mad_killer_agents.battle.rules import MapWar
from sim.mad_killer_agents.battle.runner import WarRunner, turn_seconds
from sim.mad_killer_agents.cards import History, draw_scores, draw_war
from sim.mad_killer_agents.constants import MAX_ROUNDS, RULES_VERSION, AiKind
from sim.mad_killer_agents.terrain import Drawing

MAX_GAMES = 200

CHUNK_SECONDS = 1.5
"""A chunk ends after turns that may have taken this long, by `turn_seconds`; each has dice of its own."""

JOB_SECONDS = 0.4
"""A job ends after such turns, in the middle of a chunk or with it. Marshals on large maps take twice as long."""

_CHART_SECONDS = 1.0

Rounds = Annotated[int, Field(ge=1, le=MAX_ROUNDS, strict=True)]

Scores = tuple[int, ...]
"""The points of all players, in the order of the request whatever their seats are."""


class GameSoFar(Frozen):
    """A game between two jobs.

    `steps`: the number of chunks so far. `scores`: at the end of each round. `event_batches`: the events of each job as
    a JSON list, if they are kept. `seconds`, `drawn`: of the chunk that isn't over, how long it has taken by estimate,
    and the words drawn for its dice.
    """

    state: State
    steps: int = 0
    seconds: float = 0.0
    drawn: int = 0
    scores: tuple[Scores, ...] = ()
    event_batches: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.state.phase is Phase.OVER


class PlayerResult(Frozen):
    """A player's games: those won alone, with the 95% interval of that chance; those shared; the mean score."""

    ai: AiKind
    wins: int
    chance: Probability
    interval: Interval
    shared: int
    mean_score: float


class SimulateReport(Frozen):
    """Results of all games. `standings`: in the order of the request. `rounds`: the mean number of rounds.

    `scores`: the mean score of each player at the end of each round; a game that ends early keeps its last scores.
    `endings`: the number of games by how they ended. `chart`: the scores as a picture (PNG). `game`: the only one, for
    a film; both are no part of the report as JSON.
    """

    games: int
    standings: tuple[PlayerResult, ...]
    rounds: float
    scores: tuple[tuple[float, ...], ...]
    endings: dict[Ending, int]
    chart: Annotated[DrawnCard | None, Field(exclude=True)] = None
    game: Annotated[GameSoFar | None, Field(exclude=True)] = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the players; several AIs of a kind are numbered."""
        return tuple(numbered([result.ai.value for result in self.standings]))


class _GamesRequest(Request):
    """Base of requests for games on maps that are drawn from a seed."""

    players: tuple[AiKind, ...]
    drawing: Drawing = Drawing()
    rounds: Rounds = 100
    seed: Seed = 0
    rules_version: RulesVersion = RULES_VERSION


class GameRequest(_GamesRequest):
    """Game number `game` (from 0) of a simulation: from its beginning, or from `partial`.

    The seats rotate: by the rules' first edition, in each game another player begins. `keep_events`: for a film.
    """

    max_seconds = 0.2 + 2 * JOB_SECONDS

    game: Annotated[int, Field(ge=0, lt=MAX_GAMES, strict=True)] = 0
    keep_events: bool = False
    partial: GameSoFar | None = None

    @property
    def order(self) -> list[int]:
        """The index of the player in the first seat, in the second, and so on."""
        count = len(self.players)
        return [(self.game + seat) % count for seat in range(count)]

    def run(self) -> "GameSoFar | Continue[GameSoFar]":
        """Play on to the end, or for as long as a job may take."""
        before = self.partial
        if before is None:
            players = named(self.players[player] for player in self.order)
            setup = Setup(drawing=self.drawing, rounds=self.rounds, players=players, edition=self.rules_version)
            before = GameSoFar(state=State.begin(setup))
        dice = SeededDice(seed_bytes(self.seed) + self.game.to_bytes(4, "big"), before.steps, before.drawn)
        runner = WarRunner(before.state, dice)
        if before.state.phase is Phase.LOBBY:
            runner.start()
        scores, seconds = self._play(runner, before.seconds)
        batches = (canonical([*map(MapWar().events.write, runner.events)]),) if self.keep_events else ()
        partial = GameSoFar(
            state=runner.now,
            steps=before.steps if seconds else before.steps + 1,
            seconds=seconds,
            drawn=dice.drawn if seconds else 0,
            scores=(*before.scores, *scores),
            event_batches=(*before.event_batches, *batches),
        )
        return partial if partial.over else Continue(self.model_copy(update={"partial": partial}))

    def _play(self, runner: WarRunner, seconds: float) -> tuple[list[Scores], float]:
        """Play until the game or the chunk is over, or the job's time is up; `seconds`: of the chunk, before.

        Return the scores at the end of each round, and the seconds of the chunk; 0 if that is over.
        """
        scores: list[Scores] = []
        end = seconds + JOB_SECONDS
        while runner.state.ending is None:
            before = seconds
            seconds += turn_seconds(len(runner.board.tiles), len(runner.board.armies))
            if seconds > CHUNK_SECONDS:
                break
            if before > end:
                return scores, before
            number = runner.state.round
            runner.play_turn(runner.player.ai or AiKind.MARSHAL)
            if not self.keep_events:
                runner.events.clear()
            if runner.state.round > number or runner.state.ending is not None:
                points = dict(runner.board.scores())
                scores.append(tuple(points[self.order.index(player) + 1] for player in range(len(self.players))))
        return scores, 0.0


class SimulateRequest(_GamesRequest):
    """Games of AIs, each on a map of its own.

    A few short games are one job; many or long ones are `parts`. RuleError for AIs that can't play with each other.
    """

    games: Annotated[int, Field(ge=1, le=MAX_GAMES, strict=True)] = 1

    @model_validator(mode="after")
    def _valid_players(self) -> Self:
        check_players(self.players)
        return self

    def parts(self, partial: SimulateReport | None) -> tuple[GameRequest, ...]:
        """Return the games; a single one keeps its events, for a film."""
        if partial is not None:
            return ()
        shared = self.model_dump(exclude={"games"})
        return tuple(
            GameRequest.model_validate({**shared, "game": game, "keep_events": self.games == 1})
            for game in range(self.games)
        )

    def join(self, _partial: SimulateReport | None, reports: Sequence[GameSoFar]) -> SimulateReport:
        """Return the report with its chart."""
        report = self.report(reports)
        if self.games == 1:
            (game,) = reports
            history = History(game.state, MapWar().events.read_lists(game.event_batches))
            return report.model_copy(update={"chart": draw_war(history).drawn(), "game": game})
        best = max(report.standings, key=lambda result: result.wins)
        alt = f"Points by round. {best.ai.capitalize()} won most games, {best.wins} of {report.games}."
        chart = DrawnCard(data=draw_scores(report.names, report.scores, alt).png(), alt=alt)
        return report.model_copy(update={"chart": chart})

    def progress(
        self, _partial: SimulateReport | None, latest: Sequence[GameSoFar | Continue[GameSoFar]]
    ) -> tuple[float, str]:
        """Return how much has been played."""
        rests = [part.rest for part in latest if isinstance(part, Continue)]
        rounds = [rest.partial.state.round for rest in rests if isinstance(rest, GameRequest) and rest.partial]
        over = len(latest) - len(rounds)
        where = f", round {max(rounds)} of the next" if rounds else ""
        share = (over + sum(rounds) / (self.rounds + 1)) / self.games
        return share, f"{over:,} of {quantity(self.games, 'game')} played{where}"

    @override
    def cost(self) -> float:
        tiles = self.drawing.width * self.drawing.height
        turns = self.rounds * len(self.players)
        return _CHART_SECONDS + self.games * turns * turn_seconds(tiles, min(tiles // 8, 10 * len(self.players)))

    def run(self) -> SimulateReport:
        """Play all games and return the report with its chart."""
        return answer(self)

    def play(self) -> SimulateReport:
        """Play all games and return the report without its chart."""
        return self.report([to_the_end(part) for part in self.parts(None)])

    def report(self, games: Sequence[GameSoFar]) -> SimulateReport:
        """Return the report of games that are over, in the order of `parts`."""
        orders = [game.order for game in self.parts(None)]
        wins: Counter[int] = Counter()
        shared: Counter[int] = Counter()
        for game, order in zip(games, orders, strict=True):
            if game.state.winner is not None:
                wins[order[game.state.winner - 1]] += 1
            shared.update(order[number - 1] for number in game.state.sharing)
        count = len(games)
        longest = max(len(game.scores) for game in games)
        filled = [game.scores + game.scores[-1:] * (longest - len(game.scores)) for game in games]
        means = tuple(tuple(map(fmean, zip(*scores, strict=True))) for scores in zip(*filled, strict=True))
        standings = tuple(
            PlayerResult(
                ai=ai,
                wins=wins[player],
                chance=wins[player] / count,
                interval=chance_interval(wins[player] / count, count),
                shared=shared[player],
                mean_score=means[-1][player],
            )
            for player, ai in enumerate(self.players)
        )
        endings = Counter(game.state.ending for game in games if game.state.ending is not None)
        return SimulateReport(
            games=count,
            standings=standings,
            rounds=sum(game.state.round for game in games) / count,
            scores=means,
            endings={ending: endings[ending] for ending in Ending if endings[ending]},
        )
