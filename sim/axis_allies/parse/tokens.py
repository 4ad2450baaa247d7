"""A text as tokens with their places, and the words that have a meaning besides units' names.

What is pasted from a chat, a forum or a table brings marks that mean nothing here; they are blanks, so that every place
stays where it is.
"""

import re
from collections.abc import Sequence

from sim.core.caret import Token as TextToken
from sim.core.errors import Span
from sim.core.values import Side

MAX_TEXT = 2_000
"""Maximum code points of a battle text: as many as a chat message holds, more than all units on both sides need."""

VERSUS = frozenset({"vs", "vs.", "v", "v.", "versus", "against", ">"})
"""Words that separate the two sides."""

HEADINGS: dict[str, Side] = {
    **dict.fromkeys(
        ("attacker", "attackers", "attacking", "attack", "att", "atk", "offense", "offence"), Side.ATTACKER
    ),
    **dict.fromkeys(("defender", "defenders", "defending", "defense", "defence", "def"), Side.DEFENDER),
}
"""Words that begin a side."""

HEADING_FILLERS = frozenset({"units", "unit", "army", "armies", "force", "forces", "side", "fleet"})
"""Words after a heading without a meaning."""

BOMBARD = frozenset({"bombard", "bombarding", "bombards", "bombardment", "bombardments", "shore"})
"""Words that mark ships which bombard."""

THEN = "then"
LANDING = "landing"
DAMAGED = "damaged"
OPTION = "|"
ORDER = frozenset({"order", "casualties", "losses"})
TECHNOLOGY = frozenset({"tech", "technology", "technologies"})
OPTION_WORDS = ORDER | TECHNOLOGY | {"rounds", "retreat", "strafe"}
"""Words that begin an option and mean nothing else."""

SEPARATORS = frozenset({",", ";", "&", "+", "and", "plus", "with", "*", "\n"})
TIMES = frozenset({"x", "\u00d7", "*"})
COLONS = frozenset({":", "="})
ARTICLES = frozenset({"a", "an"})

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

NUMBER_WORDS: dict[str, int] = {
    **{word: number for number, word in enumerate(_ONES)},
    **{ten: 10 * number for number, ten in enumerate(_TENS, 2)},
    **{f"{ten}-{_ONES[one]}": 10 * number + one for number, ten in enumerate(_TENS, 2) for one in range(1, 10)},
    "dozen": 12,
}
"""Numbers as words."""

_MARKS = re.compile(r"\*{2,}|`+|~~+|(?<![^\W_])_+|_+(?![^\W_])|#")
_BULLETS = dict.fromkeys(map(ord, "\u2022\u00b7\u2023\u25aa\u25e6\u25cf\u25a0\u25ba"), ",")
QUOTE = ">"
_QUOTES = re.compile(r"^[^\S\n]*>+", re.MULTILINE)
_TOKEN = re.compile(r"[,;&+>()|:=*\u00d7\n]|[^\s,;&+>()|:=*\u00d7]+")
_RULE = re.compile(r"[-\u2212\u2013\u2014=]+")


class Token(TextToken):
    """A word or a sign and its place."""

    @property
    def is_dash(self) -> bool:
        """Whether it is a dash or a line of dashes."""
        return _RULE.fullmatch(self.text) is not None

    @property
    def separates(self) -> bool:
        """Whether it stands between two units, or before the first one."""
        return self.word in SEPARATORS or self.is_dash


def cleaned(text: str) -> str:
    """Return a text of the same length with marks of quotes and bold type as blanks, bullets as commas."""
    lines = [line for line in text.split("\n") if line.strip()]
    if all(line.lstrip().startswith(QUOTE) for line in lines):
        text = _QUOTES.sub(_blanks, text)
    return _MARKS.sub(_blanks, text.translate(_BULLETS))


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found[0])


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text."""
    return [Token(match[0], Span(*match.span())) for match in _TOKEN.finditer(cleaned(text))]


def span_of(tokens: Sequence[Token]) -> Span:
    """Return the place of tokens from the first one to the last one."""
    return Span(tokens[0].span.start, tokens[-1].span.end)
