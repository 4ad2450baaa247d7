"""A week of puzzles: one a day, the same for everyone, with one clear best choice each.

The rolls, in order: those of positions (`sim.axis_allies.battle.puzzles.drawn`), until seven of them are puzzles.
"""

from collections.abc import Sequence

from typing_extensions import override

from sim.axis_allies.battle import Setup
from sim.axis_allies.battle.puzzles import MAX_DRAWS, Puzzle, drawn, score_of
from sim.core import TooMuchError
from sim.core.battle import Codec
from sim.core.challenge import Answer, Question, QuestionRules, Score
from sim.core.dice import Dice

DAYS = 7

Puzzles = tuple[Puzzle, ...]


class PuzzleWeek(QuestionRules[Puzzles, Setup]):
    """A puzzle a day, which add up."""

    title = "Puzzles"
    goal = "Solve all you can; ties go to those who lose fewer points: a point is 1% of the chance to win, or 1 IPC."
    counts = "all of them count"
    seconds = 2.0
    drawings: Codec[Puzzles] = Codec(Puzzles)

    def draw(self, dice: Dice) -> Puzzles:
        """Draw the puzzles of all days, no two alike; TooMuchError if there are none among very many positions."""
        found: dict[Puzzle, None] = {}
        for _ in range(DAYS * MAX_DRAWS):
            if (puzzle := drawn(dice)) is not None:
                found[puzzle] = None
            if len(found) == DAYS:
                return tuple(found)
        raise TooMuchError("No puzzles were found.")

    def told(self, drawn: Puzzles) -> tuple[str, str]:
        """Return how many there are, and what is asked."""
        del drawn
        return "Seven puzzles", "Axis & Allies, a position each day: what to buy, what to lose, whether to retreat"

    def question(self, drawn: Puzzles, day: int) -> Question[Setup]:
        """Return the puzzle of a day."""
        return drawn[day].asked

    def answer(self, drawn: Puzzles, day: int, choice: int) -> Answer:
        """Return what a choice was worth."""
        return drawn[day].answered(choice)

    @override
    def total(self, scores: Sequence[Score]) -> Score:
        solved, lost = sum(score.points for score in scores), sum(score.rounds for score in scores)
        return score_of(solved, len(scores), lost)
