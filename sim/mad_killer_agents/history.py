"""How a war went: the scores at the end of each round, and what decided it."""

from collections.abc import Iterable
from typing import NamedTuple

from sim.core.errors import RuleError
from sim.core.values import Ending
from sim.mad_killer_agents.battle.events import Event
from sim.mad_killer_agents.battle.values import State
from sim.mad_killer_agents.replay import board_by_round


class Blow(NamedTuple):
    """The points that a player lost in a round."""

    number: int
    round: int
    points: int


class History:
    """A war that is over. `scores`: by player number, at the start and at the end of each round."""

    def __init__(self, state: State, events: Iterable[Event]) -> None:
        """Replay the events; RuleError if no game began."""
        self.state = state
        self.scores: dict[int, list[int]] = {player.number: [] for player in state.players}
        for board, _ in board_by_round(events):
            for number, points in board.scores():
                self.scores[number].append(points)
        if not any(self.scores.values()):
            raise RuleError("The game has not begun yet.")

    @property
    def ranked(self) -> list[int]:
        """The players' numbers, the winners first, then by their final scores."""
        first = {self.state.winner, *self.state.sharing}
        return sorted(self.scores, key=lambda number: (number not in first, -self.scores[number][-1], number))

    @property
    def headline(self) -> str:
        """Who won, and by how much."""
        names = [self.state.player(number).name for number in self.ranked]
        if self.state.winner is None:
            shared = " and ".join(names[: len(self.state.sharing)])
            return f"{shared} share the victory" if shared else "Nobody is left"
        if self.state.ending is Ending.ANNIHILATION:
            return f"{names[0]} wins: nobody else is left"
        first, second = (self.scores[number][-1] for number in self.ranked[:2])
        return f"{names[0]} wins by {first - second:,} points"

    def ahead_since(self) -> int | None:
        """Return the round at whose end the winner was ahead for good; None without a winner alone."""
        winner = self.state.winner
        if winner is None:
            return None
        others = [scores for number, scores in self.scores.items() if number != winner]
        behind = [at for at, points in enumerate(self.scores[winner]) if any(scores[at] >= points for scores in others)]
        return min(max(behind, default=0) + 1, self.state.round)

    def worst_blow(self) -> Blow | None:
        """Return the most points that anybody lost in a round; None if nobody lost any."""
        blows = [
            Blow(number, at, scores[at - 1] - scores[at])
            for number, scores in self.scores.items()
            for at in range(1, len(scores))
        ]
        return max(
            (blow for blow in blows if blow.points > 0), key=lambda blow: (blow.points, -blow.round), default=None
        )

    def turning_points(self) -> list[str]:
        """Return what decided the war, in sentences."""
        since, blow = self.ahead_since(), self.worst_blow()
        told = []
        if since is not None and self.state.winner is not None:
            name = self.state.player(self.state.winner).name
            told.append(
                f"{name} led from start to finish." if since == 1 else f"{name} led for good from round {since}."
            )
        if blow is not None:
            name = self.state.player(blow.number).name
            told.append(f"Biggest loss: {name}, {blow.points:,} points in round {blow.round}.")
        return told

    def alt(self) -> str:
        """Return the figures in words, for people who can't see the card."""
        scores = ", ".join(f"{self.state.player(number).name} {self.scores[number][-1]:,}" for number in self.ranked)
        rounds = f"{self.state.round} {'round' if self.state.round == 1 else 'rounds'}"
        return " ".join([f"{self.headline} after {rounds}.", *self.turning_points(), f"Points: {scores}."])
