"""What a text may go on with while it is typed."""

import re
from collections.abc import Iterable

from sim.axis_allies.editions import DEFAULT, EDITIONS
from sim.axis_allies.parse.question import named_edition
from sim.axis_allies.units import WORDS, Unit

_ONE = re.compile(r"(?<![0-9.])1\s*\Z", re.ASCII)


def completions(text: str, edition: str = DEFAULT) -> list[str]:
    """Return the text with its last word completed to each unit name that starts with it, best first.

    The units are those of the edition that the text names, else of `edition`. Empty if the text ends in a blank, in a
    count, or in a word that starts no unit name.
    """
    head, beginning = _cut_word(text)
    if not beginning:
        return []
    units = EDITIONS[named_edition(text) or edition].units
    before, word = _cut_word(head.removesuffix(" "))
    two_words = [name for name in _names(units, before) if word and name.startswith(f"{word} {beginning}")]
    if two_words:
        return [before + name for name in two_words]
    names = _names(units, head)
    by_name = [name for name in names if any(part.startswith(beginning) for part in name.split())]
    by_word = [name for name, unit in names.items() if name not in by_name and WORDS.get(beginning) is unit]
    return [head + name for name in by_word + by_name]


def _cut_word(text: str) -> tuple[str, str]:
    """Return a text without the letters at its end, and these in lower case."""
    start = len(text)
    while start and text[start - 1].isalpha():
        start -= 1
    return text[:start], text[start:].casefold()


def _names(units: Iterable[Unit], head: str) -> dict[str, Unit]:
    """Return the units by name, in the number that fits a text before it."""
    plural = not _ONE.search(head)
    return {unit.plural if plural else unit.value: unit for unit in units}
