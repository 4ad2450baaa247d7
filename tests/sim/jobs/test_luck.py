"""Ratings: known figures of OpenSkill's model, ties, teams, and always the same."""

import pickle

import pytest

from sim.jobs.luck import RateGames, Rating, Side


def rated(*games: tuple[Side, ...]) -> dict[int, Rating]:
    return {rating.player: rating for rating in RateGames(games=games).run()}


def duel(winner: int, loser: int, chance: float | None = None) -> tuple[Side, ...]:
    """Return a game, with the winner's chance."""
    return (1, (winner,), chance), (2, (loser,), None if chance is None else 1 - chance)


def test_a_first_game_gives_the_figures_of_the_packages_documentation() -> None:
    found = rated(duel(0, 1))
    assert [found[0].mu, found[0].sigma] == pytest.approx([27.6350, 8.0655], abs=1e-3)
    assert [found[1].mu, found[1].sigma] == pytest.approx([22.3650, 8.0655], abs=1e-3)
    assert (found[0].games, found[0].won, found[0].tied, found[1].won) == (1, 1, 0, 0)
    assert found[0].points == 1_000 + round(20 * (found[0].mu - 3 * found[0].sigma))


def test_a_tie_brings_unequal_players_together() -> None:
    before = rated(duel(0, 1), duel(0, 1))
    after = rated(duel(0, 1), duel(0, 1), ((1, (0,), None), (1, (1,), None)))
    assert after[0].mu < before[0].mu
    assert after[1].mu > before[1].mu
    assert (after[0].won, after[0].tied, after[1].tied) == (2, 1, 1)


def test_parties_win_together_and_any_number_of_them_is_ranked() -> None:
    found = rated(((1, (0, 1), None), (2, (2,), None), (3, (3,), None)))
    assert found[0].mu == found[1].mu > found[2].mu > found[3].mu
    assert [rating.won for rating in found.values()].count(1) == 2


def test_who_is_forgotten_is_rated_like_a_newcomer() -> None:
    assert rated(duel(0, 1), ((1, (0,), None), (2, (None,), None))).keys() == {0, 1}
    once, again = rated(((1, (0,), None), (2, (None,), None))), rated(duel(0, 1))
    assert once[0].mu == again[0].mu


def test_the_best_come_first_and_the_same_games_lead_to_the_same_ratings() -> None:
    games = tuple(duel(number % 3, 3 + number % 2) for number in range(60))
    first = RateGames(games=games).run()
    assert first == pickle.loads(pickle.dumps(RateGames(games=games))).run()
    assert [rating.points for rating in first] == sorted((rating.points for rating in first), reverse=True)
    assert RateGames(games=()).run() == ()


def points_moved(chance: float, *before: tuple[Side, ...]) -> tuple[float, float]:
    """Return the skill, in points, that a game moved the winner and the loser by, whose chances were these."""
    known, after = rated(*before), rated(*before, duel(0, 1, chance))
    old = [known[player].mu if before else 25.0 for player in (0, 1)]
    return 20 * (after[0].mu - old[0]), 20 * (after[1].mu - old[1])


EVEN = tuple(duel(number % 2, 1 - number % 2) for number in range(20))
"""Games after which both players are rated nearly the same."""


@pytest.mark.parametrize(("chance", "share"), [(0.99, 0.02), (0.75, 0.5), (0.5, 1.0), (0.25, 1.5), (0.01, 1.98)])
def test_a_result_counts_by_how_much_it_was_unexpected(chance: float, share: float) -> None:
    even = points_moved(0.5)
    assert points_moved(chance) == pytest.approx([part * share for part in even], rel=2e-3)
    assert sum(points_moved(chance)) == pytest.approx(0, abs=1e-9), "what one wins the other loses"


def test_a_sure_win_moves_known_players_by_less_than_a_point() -> None:
    for moved in points_moved(0.99, *EVEN):
        assert 0 < abs(moved) < 1
    before, after = rated(*EVEN), rated(*EVEN, duel(0, 1, 0.99))
    assert all(abs(after[player].points - before[player].points) <= 1 for player in (0, 1))


def test_unknown_chances_are_even_ones_and_the_parts_of_several_teams_are_equal() -> None:
    assert rated(duel(0, 1)) == rated(duel(0, 1, 0.5))
    three = tuple((place, (place,), 1 / 3) for place in (1, 2, 3))
    blind = rated(tuple((place, players, None) for place, players, _ in three))
    assert [found.mu for found in rated(three).values()] == pytest.approx([found.mu for found in blind.values()])
    assert {found.points for found in rated(three).values()} == {found.points for found in blind.values()}


def test_a_tie_is_good_for_whoever_was_unlikely_to_win() -> None:
    found = rated(((1, (0, 2), 0.9), (1, (1, 3), 0.1)))
    assert max(found[0].mu, found[2].mu) < 25 < min(found[1].mu, found[3].mu)
