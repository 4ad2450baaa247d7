"""A text as tokens with their places, and what words mean: names of units and editions, and words besides them.

What is pasted from a chat, a forum or a table brings marks that mean nothing here; they are blanks, so that every place
stays where it is.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from sim.axis_allies.editions import EDITIONS, Edition
from sim.axis_allies.units import WORDS, Unit
from sim.core.caret import Token as TextToken
from sim.core.errors import Span
from sim.core.values import Side

T = TypeVar("T")

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


_MAX_WORDS = 4  # of a name: aircraft carrier extra life
_BLANKS = str.maketrans("-_", "  ")


def plain_name(name: str) -> str:
    """Return a name of several words with single blanks between them."""
    return " ".join(name.translate(_BLANKS).split())


UNIT_NAMES = {plain_name(word): unit for word, unit in WORDS.items()}
"""Every name of a unit, with blanks for hyphens."""


def longest_name(
    tokens: Sequence[Token], at: int, names: Mapping[str, T], first: str | None = None
) -> tuple[T | None, int]:
    """Return what the longest name at `at` stands for, None for no name, and how many tokens it has.

    `first`: the name's first word where only the end of the token belongs to it. Hyphens, underscores and full stops
    don't matter.
    """
    words = [first or tokens[at].word, *(token.word for token in tokens[at + 1 : at + _MAX_WORDS])]
    words = [plain_name(word.rstrip(".")) for word in words]
    for length in range(len(words), 0, -1):
        found = names.get(" ".join(words[:length]))
        if found is not None:
            return found, length
    return None, 1


def unit_at(tokens: Sequence[Token], at: int, first: str | None = None) -> tuple[Unit | None, int]:
    """Return the unit that is named at `at`, None if there is none, and how many tokens its name has."""
    return longest_name(tokens, at, UNIT_NAMES, first)


def called(edition: Edition) -> str:
    """Return an edition's short name as it stands in a sentence."""
    return edition.name.capitalize()


def nearest_edition(book: Edition, suits: Callable[[Edition], bool]) -> Edition | None:
    """Return `book` if it suits, else the nearest in years that does, the later one of two; None if none does."""
    if suits(book):
        return book
    suitable = [edition for edition in reversed(EDITIONS.values()) if suits(edition)]
    return min(suitable, key=lambda edition: abs(edition.year - book.year), default=None)


def edition_with(book: Edition, units: Iterable[Unit]) -> Edition | None:
    """Return `book` if it has all of `units`, else the nearest edition that has."""
    wanted = set(units)
    return nearest_edition(book, lambda edition: wanted <= edition.units.keys())


def add_edition(edition: Edition) -> str:
    """Return how to ask for an edition that has what another one lacks."""
    return f"{called(edition)} has: add edition:{edition.name}"
