"""Results of the requests: numbers and pictures, no layout."""

from sim.core.cards.values import DrawnCard
from sim.core.numbers import Interval
from sim.core.values import Ending, Frozen, Probability
from sim.mad_killer_agents.battle.values import Phase, State
from sim.mad_killer_agents.combat import Result, Split
from sim.mad_killer_agents.constants import AiKind
from sim.mad_killer_agents.terrain import MapStatistics, Terrain

Scores = tuple[int, ...]
"""The points of all players, in the order of the request whatever their seats are."""


class MapReport(Frozen):
    """A map, its statistics and its picture (PNG)."""

    terrain: Terrain
    statistics: MapStatistics
    picture: DrawnCard


class BattleReport(Frozen):
    """The result of an attack by all units at once, and the best way to split them."""

    result: Result
    split: Split


class GameSoFar(Frozen):
    """A game between two jobs.

    `steps`: the number of chunks so far. `scores`: at the end of each round. `event_batches`: the events of each job as
    a JSON list, if they are kept. `seconds`, `drawn`: of the chunk that isn't over, how long it has taken by estimate,
    and the words drawn for its dice.
    """

    state: State
    steps: int
    seconds: float = 0.0
    drawn: int = 0
    scores: tuple[Scores, ...]
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
    `endings`: the number of games by how they ended. `chart`: the scores as a picture (PNG).
    """

    games: int
    standings: tuple[PlayerResult, ...]
    rounds: float
    scores: tuple[tuple[float, ...], ...]
    endings: dict[Ending, int]
    chart: DrawnCard | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the players; several AIs of a kind are numbered."""
        kinds = [result.ai for result in self.standings]
        return tuple(
            f"{kind} {kinds[: at + 1].count(kind)}" if kinds.count(kind) > 1 else kind.value
            for at, kind in enumerate(kinds)
        )
