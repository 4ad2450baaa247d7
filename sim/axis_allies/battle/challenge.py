"""A week of puzzles: one a day, the same for everyone, with one clear best choice each.

The rolls, in order: those of positions (`sim.axis_allies.puzzles.drawn`), until seven of them are puzzles.
"""

from collections.abc import Sequence

from typing_extensions import override

from sim.axis_allies.army import pictured
from sim.axis_allies.battle.values import Setup
from sim.axis_allies.puzzles import MAX_DRAWS, Puzzle, drawn
from sim.core.battle import Codec
from sim.core.challenge import Answer, Question, QuestionRules, Score
from sim.core.dice import Dice
from sim.core.errors import RuleError, TooMuchError

DAYS = 7
_TENTHS = 10
"""What is lost is counted in tenths of a point: whole numbers decide who is ahead."""

Puzzles = tuple[Puzzle, ...]


class PuzzleWeek(QuestionRules[Puzzles, Setup]):
    """A puzzle a day, which add up."""

    title = "Puzzles"
    goal = "Solve as many as you can; ties go to who loses fewer points: a point is 1% of the chance to win, or 1 IPC."
    counts = "all of them count"
    seconds = 2.0
    drawings: Codec[Puzzles] = Codec(Puzzles)

    def draw(self, dice: Dice) -> Puzzles:
        """Draw the puzzles of all days, no two alike; TooMuchError if there are none among very many positions."""
        found: dict[str, Puzzle] = {}
        for _ in range(DAYS * MAX_DRAWS):
            if (puzzle := drawn(dice)) is not None:
                found[puzzle.key] = puzzle
            if len(found) == DAYS:
                return tuple(found.values())
        raise TooMuchError("No puzzles were found.")

    def told(self, drawn: Puzzles) -> tuple[str, str]:
        """Return how many there are, and what is asked."""
        del drawn
        return "Seven puzzles", "Axis & Allies, a position each day: what to buy, what to lose, whether to retreat"

    def question(self, drawn: Puzzles, day: int) -> Question[Setup]:
        """Return the puzzle of a day."""
        return question_of(drawn[day])

    def answer(self, drawn: Puzzles, day: int, choice: int) -> Answer:
        """Return what a choice was worth."""
        return answer_of(drawn[day], choice)

    @override
    def total(self, scores: Sequence[Score]) -> Score:
        solved, lost = sum(score.points for score in scores), sum(score.rounds for score in scores)
        return _score(solved, len(scores), lost)


def question_of(puzzle: Puzzle) -> Question[Setup]:
    """Return a puzzle as a question."""
    position = Setup(attacker=puzzle.attacker, defender=puzzle.defender)
    return Question(
        puzzle.question, pictured(puzzle.note), [pictured(option.text) for option in puzzle.options], position
    )


def answer_of(puzzle: Puzzle, choice: int) -> Answer:
    """Return what a choice was worth; RuleError if the puzzle has none at that place."""
    if choice >= len(puzzle.options):
        raise RuleError("This puzzle has no such choice.")
    right = choice == puzzle.best
    score = _score(solved=int(right), tries=1, lost=round(_TENTHS * puzzle.loss(choice)))
    return Answer(right, puzzle.answer, puzzle.answer_card(choice), score)


def _score(solved: int, tries: int, lost: int) -> Score:
    text = f"{solved} of {tries} solved, {lost / _TENTHS:.1f} points lost"
    return Score(points=solved, rounds=lost, text=text)
