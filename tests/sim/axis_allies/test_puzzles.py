"""Puzzles: one clear best choice, found twice; the plain recursion agrees with published rules by hand, too."""

import pytest

from sim.axis_allies import plain_odds
from sim.axis_allies.parse import parse_battle
from sim.axis_allies.puzzles import AGREED, BEHIND, EDITION, KINDS, MARGIN, DrawPuzzle, Kind, Puzzle, drawn
from sim.axis_allies.requests import OddsRequest
from sim.core.dice import SeededDice
from sim.core.values import Side


def test_the_plain_recursion_is_right_where_a_sheet_of_paper_is_enough() -> None:
    # One infantry (1) against one infantry (2): it wins 1/6 * 4/6 of the rounds in which anybody hits, 16/36.
    assert plain_odds.takes((1, 0, 0, 0, 0), (1, 0, 0, 0, 0)) == pytest.approx(4 / 16)
    # Beside artillery it hits at 2; a fighter takes no territory.
    assert plain_odds.takes((0, 0, 0, 1, 0), (1, 0, 0, 0, 0)) == 0.0
    # A tank (3) and an empty hand: 3 IPC of the infantry and 4 of the territory against 6 of the tank.
    assert plain_odds.going_on((0, 0, 1, 0, 0), (1, 0, 0, 0, 0), 4) == pytest.approx(
        (1 / 2 * 2 / 3 * 7 + 1 / 6 * -3 + 1 / 6 * -6) / (2 / 3)
    )


@pytest.mark.parametrize(
    "text", ["3 inf, 2 art, 1 tank vs 4 inf, 1 ftr", "2 inf, 2 ftr, 1 bomber vs 3 inf, 1 tank, 1 bomber"]
)
def test_it_agrees_with_the_odds_that_players_get(text: str) -> None:
    armies = parse_battle(f"{EDITION}: {text}")
    report = OddsRequest(**armies, casualties="score", must_take=True).run()
    attacker, defender = (tuple(int(armies[side].count(unit)) for unit in KINDS) for side in Side)
    assert plain_odds.takes(attacker, defender) == pytest.approx(report.p_attacker, abs=AGREED)


def test_puzzles_of_all_kinds_have_one_clear_answer_and_are_different() -> None:
    found: dict[str, Puzzle] = {}
    for number in range(400):
        if (puzzle := drawn(SeededDice(b"puzzles", number))) is not None:
            found[puzzle.key] = puzzle
    assert {puzzle.kind for puzzle in found.values()} == {*Kind}
    assert len(found) > 20
    for puzzle in found.values():
        worths = sorted((option.worth for option in puzzle.options), reverse=True)
        assert 2 <= len(worths) <= 4
        assert worths[0] - worths[1] >= BEHIND
        assert worths[0] - worths[-1] >= MARGIN
        assert puzzle.options[puzzle.best].worth == worths[0]
        assert len({option.text for option in puzzle.options}) == len(worths)


def test_a_seed_always_draws_the_same_and_another_one_another() -> None:
    first = DrawPuzzle(seed=b"2026-11-24").run()
    assert DrawPuzzle(seed=b"2026-11-24").run() == first
    assert DrawPuzzle(seed=b"2026-11-25").run() != first


def test_a_position_in_which_the_two_opinions_differ_is_no_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sim.axis_allies.puzzles._exact", lambda draft, side: draft.plain[draft.sides.index(side)] + 2e-9
    )
    assert all(drawn(SeededDice(b"puzzles", number)) is None for number in range(100))
