"""Names of several words: units and editions, the longest first, and the edition that has what another one lacks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from sim.axis_allies.editions import EDITIONS, Edition
from sim.axis_allies.parse.tokens import Token
from sim.axis_allies.units import WORDS, Unit

T = TypeVar("T")

MAX_WORDS = 4
"""Maximum number of words of a name."""

_BLANKS = str.maketrans("-_", "  ")


def _plain(name: str) -> str:
    return " ".join(name.translate(_BLANKS).split())


_UNITS = {_plain(word): unit for word, unit in WORDS.items()}


def longest_name(
    tokens: Sequence[Token], at: int, names: Mapping[str, T], first: str | None = None
) -> tuple[T | None, int]:
    """Return what the longest name at `at` stands for, None for no name, and how many tokens it has.

    `first`: the name's first word where only the end of the token belongs to it. Hyphens, underscores and full stops
    don't matter.
    """
    words = [first or tokens[at].word, *(token.word for token in tokens[at + 1 : at + MAX_WORDS])]
    words = [_plain(word.rstrip(".")) for word in words]
    for length in range(len(words), 0, -1):
        found = names.get(" ".join(words[:length]))
        if found is not None:
            return found, length
    return None, 1


def unit_at(tokens: Sequence[Token], at: int, first: str | None = None) -> tuple[Unit | None, int]:
    """Return the unit that is named at `at`, None if there is none, and how many tokens its name has."""
    return longest_name(tokens, at, _UNITS, first)


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
