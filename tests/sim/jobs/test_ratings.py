"""Ratings: known figures of OpenSkill's model, ties, teams, and always the same."""

import pickle

import pytest

from sim.jobs.ratings import RateGames, Rating, Side


def rated(*games: tuple[Side, ...]) -> dict[int, Rating]:
    return {rating.player: rating for rating in RateGames(games=games).run()}


def duel(winner: int, loser: int) -> tuple[Side, ...]:
    return (1, (winner,)), (2, (loser,))


def test_a_first_game_gives_the_figures_of_the_packages_documentation() -> None:
    found = rated(duel(0, 1))
    assert [found[0].mu, found[0].sigma] == pytest.approx([27.6350, 8.0655], abs=1e-3)
    assert [found[1].mu, found[1].sigma] == pytest.approx([22.3650, 8.0655], abs=1e-3)
    assert (found[0].games, found[0].won, found[0].tied, found[1].won) == (1, 1, 0, 0)
    assert found[0].points == 1_000 + round(20 * (found[0].mu - 3 * found[0].sigma))


def test_a_tie_brings_unequal_players_together() -> None:
    before = rated(duel(0, 1), duel(0, 1))
    after = rated(duel(0, 1), duel(0, 1), ((1, (0,)), (1, (1,))))
    assert after[0].mu < before[0].mu
    assert after[1].mu > before[1].mu
    assert (after[0].won, after[0].tied, after[1].tied) == (2, 1, 1)


def test_parties_win_together_and_any_number_of_them_is_ranked() -> None:
    found = rated(((1, (0, 1)), (2, (2,)), (3, (3,))))
    assert found[0].mu == found[1].mu > found[2].mu > found[3].mu
    assert [rating.won for rating in found.values()].count(1) == 2


def test_who_is_forgotten_is_rated_like_a_newcomer() -> None:
    assert rated(duel(0, 1), ((1, (0,)), (2, (None,)))).keys() == {0, 1}
    once, again = rated(((1, (0,)), (2, (None,)))), rated(duel(0, 1))
    assert once[0].mu == again[0].mu


def test_the_best_come_first_and_the_same_games_lead_to_the_same_ratings() -> None:
    games = tuple(duel(number % 3, 3 + number % 2) for number in range(60))
    first = RateGames(games=games).run()
    assert first == pickle.loads(pickle.dumps(RateGames(games=games))).run()
    assert [rating.points for rating in first] == sorted((rating.points for rating in first), reverse=True)
    assert RateGames(games=()).run() == ()
