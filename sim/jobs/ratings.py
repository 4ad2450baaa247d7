"""A job that rates players by their games against each other, with OpenSkill."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from typing_extensions import override

from sim.core.values import Frozen, Request

if TYPE_CHECKING:
    from openskill.models import PlackettLuce, PlackettLuceRating

_SECONDS = 0.3
_SECONDS_A_GAME = 5e-4  # measured with two players, rounded up

_NEWCOMER, _SCALE = 1_000, 20

Player = Annotated[int, Field(ge=0)]
"""A player's number within a request."""

Side = tuple[Annotated[int, Field(ge=1)], tuple[Player | None, ...], Annotated[float, Field(gt=0, lt=1)] | None]
"""The place of a team, its players, None for one who has been forgotten, who is rated like a newcomer, and its chance.

The chance is what the team had to win before the first roll if all play equally well; None where nobody knows.
"""


class Rating(Frozen):
    """A player's rating after some games: skill `mu` with its uncertainty `sigma`.

    `points`: what ladders are sorted by: the skill that the player almost surely has (three deviations below `mu`), in
    twentieths above 1,000, where newcomers begin.
    """

    player: Player
    mu: float
    sigma: float
    points: int
    games: int
    won: int
    tied: int


class RateGames(Request):
    """Rate players by their games in this order, each a list of teams with their places."""

    games: tuple[tuple[Side, ...], ...]

    @override
    def cost(self) -> float:
        return _SECONDS + _SECONDS_A_GAME * len(self.games)

    def run(self) -> tuple[Rating, ...]:
        """Return the players' ratings, the best first.

        The model is Plackett and Luce's with the defaults of OpenSkill, which takes any number of teams and ties. The
        same games in the same order always lead to the same ratings: nothing but them is used.

        A game's chances are a head start in it: each team's skill is shifted for this game so that the model expects
        of equal players what the chances say, and shifted back afterwards. A win at 99 % then moves the ratings by a
        fiftieth of what an even one does, a defeat by twice as much. Games with unknown chances are taken as even.
        """
        from openskill.models import PlackettLuce, PlackettLuceRating  # noqa: PLC0415

        model = PlackettLuce()
        known: dict[int, PlackettLuceRating] = {}
        counts: dict[int, list[int]] = {}
        for game in self.games:
            teams = [
                [known.get(player, model.rating()) if player is not None else model.rating() for player in players]
                for _, players, _ in game
            ]
            starts = _head_starts(model, teams, [chance for _, _, chance in game])
            for team, start in zip(teams, starts, strict=True):
                team[0] = model.rating(mu=team[0].mu + start, sigma=team[0].sigma)
            rated = model.rate(teams, ranks=[float(place) for place, _, _ in game])
            for (place, players, _), ratings, start in zip(game, rated, starts, strict=True):
                ratings[0].mu -= start
                for player, rating in zip(players, ratings, strict=True):
                    if player is not None:
                        known[player] = rating
                        _count(counts.setdefault(player, [0, 0, 0]), place, [other for other, _, _ in game])
        found = [
            Rating(
                player=player,
                mu=rating.mu,
                sigma=rating.sigma,
                points=_NEWCOMER + round(_SCALE * rating.ordinal()),
                games=counts[player][0],
                won=counts[player][1],
                tied=counts[player][2],
            )
            for player, rating in known.items()
        ]
        return tuple(sorted(found, key=lambda rating: (-rating.points, -rating.games, rating.player)))


def _head_starts(
    model: "PlackettLuce", teams: Sequence[Sequence["PlackettLuceRating"]], chances: Sequence[float | None]
) -> list[float]:
    """Return how much skill the chances are worth to each team.

    Of teams with the skills s, the model expects the i-th to win with exp(s_i / c) / (exp(s_1 / c) + …), where c² is
    the sum of all variances and of a β² for each team. So c · ln(chance) is the skill that equal teams would differ by.
    """
    variance = sum(player.sigma**2 + model.tau**2 for team in teams for player in team)
    scale = math.sqrt(variance + len(teams) * model.beta**2)
    return [0.0 if chance is None else scale * math.log(chance * len(teams)) for chance in chances]


def _count(counts: list[int], place: int, places: Sequence[int]) -> None:
    """Add a game: won if nobody else is first, tied if others are."""
    first = place == min(places)
    shared = places.count(place) > 1
    counts[0] += 1
    counts[1] += first and not shared
    counts[2] += first and shared
