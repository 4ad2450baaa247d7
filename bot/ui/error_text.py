"""Errors as a player reads them: the text, a caret under the place, what is wrong."""

from bot.ui.text import code_block, counted, plain, utf16_length
from sim.core.caret import point_at
from sim.core.errors import Problem, RuleError, TextError

MOST_PROBLEMS = 8
"""Problems shown at once; more would push the first ones off a phone's screen."""

MOST_TEXT = 3800
"""Units of all sentences together."""

_MOST_SENTENCE = 300


def error_text(error: RuleError) -> str:
    """Return what the player is told, well within one message."""
    if not isinstance(error, TextError):
        return _sentences(error)
    shown = [_problem_text(error.text, problem) for problem in error.problems[:MOST_PROBLEMS]]
    if more := len(error.problems) - MOST_PROBLEMS:
        shown += [f"-# … and {counted(more, 'more problem')}."] if more > 0 else []
    return "\n".join(["⚠️ **I can't read this**", *shown])


def _sentences(error: RuleError) -> str:
    """Return the one sentence of most errors as it is; of a file's, which quote it, as many as fit, a line each."""
    if type(error).sentences is RuleError.sentences:
        return f"⚠️ {error}"
    lines = [f"⚠️ **{counted(len(error.sentences), 'thing')} to mend**"]
    room = MOST_TEXT
    for at, sentence in enumerate(error.sentences):
        line = f"- {plain(sentence, _MOST_SENTENCE)}"
        room -= utf16_length(line) + 1
        if room < 0:
            return "\n".join([*lines, f"-# … and {len(error.sentences) - at:,} more."])
        lines.append(line)
    return "\n".join(lines)


def _problem_text(text: str, problem: Problem) -> str:
    line, caret = point_at(text, problem.span)
    # An empty text has no place to point at.
    place = code_block(f"{line}\n{caret}") + "\n" if line.strip() else ""
    return f"{place}{problem.sentence()}"
