"""Wars of AIs: each game a job of its own, a long one in several; a report and a picture of them all."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.core.dice import Seed, SeededDice, seed_bytes
from sim.core.frozen import Frozen
from sim.core.intervals import Interval, chance_interval
from sim.core.outcomes import Ending
from sim.core.request import Request
from sim.mad_killer_agents.battle.events import Began
from sim.mad_killer_agents.battle.lobby import ai_name, check_company, drawn, initial_state
from sim.mad_killer_agents.battle.runner import StepRunner, turn_seconds
from sim.mad_killer_agents.battle.values import Entrant, Phase, Setup, State
from sim.mad_killer_agents.constants import LEAST_PLAYERS, MOST_PLAYERS, MOST_ROUNDS, AiKind
from sim.mad_killer_agents.requests import EVENTS, Picture
from sim.mad_killer_agents.terrain import Drawing, Terrain

MOST_GAMES = 200

_CHUNK_SECONDS = 1.5
"""A job stops after turns that may have taken so long, by `turn_seconds`."""
_BASE_SECONDS = 0.2
_CHART_SECONDS = 1.0

Scores = tuple[int, ...]
"""The points of all players, in the order of the request, whatever seat they have."""


class GameSoFar(Frozen):
    """A game between two jobs.

    `steps`: jobs so far; `scores` at each round's end; `told`: the events of each job as a JSON list, where they are
    kept.
    """

    state: State
    steps: int
    scores: tuple[Scores, ...]
    told: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        """Whether it is."""
        return self.state.phase is Phase.OVER


class GameRequest(Request):
    """Game number `game` (from 0) of a simulation, from its beginning or from where `so_far` it went.

    The seats go round: in each game somebody else begins. `keep_events`: for a film.
    """

    max_seconds = _BASE_SECONDS + 1.5 * _CHUNK_SECONDS

    players: Annotated[tuple[AiKind, ...], Field(min_length=LEAST_PLAYERS, max_length=MOST_PLAYERS)]
    drawing: Drawing = Drawing()
    terrain: Terrain | None = None
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS, strict=True)] = 100
    seed: Seed = 0
    game: Annotated[int, Field(ge=0, lt=MOST_GAMES, strict=True)] = 0
    keep_events: bool = False
    so_far: GameSoFar | None = None

    @property
    def order(self) -> list[int]:
        """Return which player of the request (from 0) sits in the first seat, in the second and so on."""
        count = len(self.players)
        return [(self.game + seat) % count for seat in range(count)]

    def next(self, so_far: GameSoFar) -> Self:
        """Return the job that goes on from there."""
        return self.model_copy(update={"so_far": so_far})

    def run(self) -> GameSoFar:
        """Play on, to the end or for as long as a job may take."""
        before = self.so_far
        dice = SeededDice(seed_bytes(self.seed) + self.game.to_bytes(4, "big"), 0 if before is None else before.steps)
        if before is None:
            runner = self._begun(dice)
        elif before.over:
            return before
        else:
            runner = StepRunner(before.state, dice)
        scores = list(() if before is None else before.scores)
        self._play(runner, scores)
        steps = 1 if before is None else before.steps + 1
        step_events: tuple[str, ...] = ()
        if self.keep_events:
            step_events = (*(() if before is None else before.told), EVENTS.dump_json(tuple(runner.events)).decode())
        return GameSoFar(state=runner.state, steps=steps, scores=tuple(scores), told=step_events)

    def _begun(self, dice: SeededDice) -> StepRunner:
        state = initial_state(Setup(drawing=self.drawing, terrain=self.terrain, rounds=self.rounds))
        entrants: list[Entrant] = []
        for player in self.order:
            entrants.append(Entrant(name=ai_name(state, self.players[player]), ai=self.players[player]))
            state = initial_state(state.setup.model_copy(update={"players": tuple(entrants)}))
        board = drawn(state, dice)
        runner = StepRunner(state, dice, board)
        runner.events.append(
            Began(world=board.world(), players=tuple((player.number, player.name) for player in state.players))
        )
        runner.begin()
        return runner

    def _play(self, runner: StepRunner, scores: list[Scores]) -> None:
        seconds = 0.0
        while not runner.over:
            seconds += turn_seconds(len(runner.board.tiles), len(runner.board.armies))
            if seconds > _CHUNK_SECONDS:
                return
            number = runner.round
            runner.play_turn(runner.player.ai or AiKind.MARSHAL)
            if not self.keep_events:
                runner.events.clear()
            if runner.round > number or runner.over:
                points = dict(runner.board.scores())
                scores.append(tuple(points[self.order.index(player) + 1] for player in range(len(self.players))))


class Standing(Frozen):
    """How a player did: games won alone, with the 95 % interval of that chance; shared; the mean of its scores."""

    ai: AiKind
    wins: int
    chance: float
    interval: Interval
    shared: int
    mean_score: float


class SimulateReport(Frozen):
    """What came of all games. `standings` in the order of the request; `rounds`: their mean number.

    `scores`: the mean score of each player at the end of each round, that of a game's end counting on to the last.
    `endings`: how many games ended in which way. `chart`: the scores as a picture (PNG).
    """

    games: int
    standings: tuple[Standing, ...]
    rounds: float
    scores: tuple[tuple[float, ...], ...]
    endings: dict[Ending, int]
    chart: Picture | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return what to call the players: twins are numbered."""
        kinds = [result.ai for result in self.standings]
        return tuple(
            f"{kind} {kinds[: at + 1].count(kind)}" if kinds.count(kind) > 1 else kind.value
            for at, kind in enumerate(kinds)
        )

    def drawn(self) -> Self:
        """Return the report with its picture; imports matplotlib."""
        from sim.mad_killer_agents.picture.chart import draw_scores  # noqa: PLC0415

        best = max(self.standings, key=lambda result: result.wins)
        alt = f"Scores by round; most games, {best.wins} of {self.games}, were won by the {best.ai}."
        picture = Picture(data=draw_scores(self.names, self.scores), alt=alt)
        return self.model_copy(update={"chart": picture})


class SimulateRequest(Request):
    """Games of AIs on maps drawn from a seed, or all on one map.

    A job of its own for a few short games; of many or long ones `parts` are the jobs, and `report` what they make.
    RuleError for AIs that don't play with each other.
    """

    players: tuple[AiKind, ...]
    drawing: Drawing = Drawing()
    terrain: Terrain | None = None
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS, strict=True)] = 100
    games: Annotated[int, Field(ge=1, le=MOST_GAMES, strict=True)] = 1
    seed: Seed = 0

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        check_company(self.players)
        return self

    def parts(self, *, keep_events: bool = False) -> tuple[GameRequest, ...]:
        """Return the first job of each game."""
        shared = self.model_dump(exclude={"games"})
        return tuple(
            GameRequest.model_validate({**shared, "game": game, "keep_events": keep_events})
            for game in range(self.games)
        )

    @override
    def cost(self) -> float:
        shape = self.terrain or self.drawing
        tiles = shape.width * shape.height
        turns = self.rounds * len(self.players)
        return _CHART_SECONDS + self.games * turns * turn_seconds(tiles, min(tiles // 8, 10 * len(self.players)))

    def run(self) -> SimulateReport:
        """Play all games, one after the other, and draw how they went."""
        return self.played().drawn()

    def played(self) -> SimulateReport:
        """Play all games; no picture."""
        ended = []
        for part in self.parts():
            so_far = part.run()
            while not so_far.over:
                so_far = part.next(so_far).run()
            ended.append(so_far)
        return self.report(ended)

    def report(self, games: Sequence[GameSoFar]) -> SimulateReport:
        """Return what came of games that are over, in the order of `parts`."""
        wins: Counter[int] = Counter()
        shared: Counter[int] = Counter()
        for part, game in zip(self.parts(), games, strict=True):
            if game.state.winner is not None:
                wins[part.order[game.state.winner - 1]] += 1
            shared.update(part.order[number - 1] for number in game.state.sharing)
        longest = max(len(game.scores) for game in games)
        filled = [game.scores + game.scores[-1:] * (longest - len(game.scores)) for game in games]
        means = tuple(
            tuple(sum(game[at][player] for game in filled) / len(games) for player in range(len(self.players)))
            for at in range(longest)
        )
        standings = tuple(
            Standing(
                ai=ai,
                wins=wins[player],
                chance=wins[player] / len(games),
                interval=chance_interval(wins[player] / len(games), len(games)),
                shared=shared[player],
                mean_score=means[-1][player],
            )
            for player, ai in enumerate(self.players)
        )
        endings = Counter(game.state.ending for game in games if game.state.ending is not None)
        return SimulateReport(
            games=len(games),
            standings=standings,
            rounds=sum(game.state.round for game in games) / len(games),
            scores=means,
            endings={ending: endings[ending] for ending in Ending if endings[ending]},
        )


class SimulateReportRequest(Request):
    """The picture of a report, as a job."""

    max_seconds = _CHART_SECONDS

    report: SimulateReport

    def run(self) -> SimulateReport:
        """Return the report with its picture."""
        return self.report.drawn()
