"""What a text may go on with while it is typed."""

import re

from sim.axis_allies.editions import DEFAULT, EDITIONS
from sim.axis_allies.parse.question import named_edition
from sim.axis_allies.units import WORDS

_ONE = re.compile(r"(?<![0-9.])1\s*\Z", re.ASCII)


def completions(text: str, edition: str = DEFAULT) -> list[str]:
    """Return the text with its last word completed to each unit name that starts with it, best first.

    The units are those of the edition that the text names, else of `edition`. Empty if the text ends in a blank, in a
    count, or in a word that starts no unit name.
    """
    start = len(text)
    while start and text[start - 1].isalpha():
        start -= 1
    head, beginning = text[:start], text[start:].casefold()
    if not beginning:
        return []
    plural = not _ONE.search(head)
    units = EDITIONS[named_edition(text) or edition].units
    names = {unit.plural if plural else unit.value: unit for unit in units}
    by_name = [name for name in names if any(part.startswith(beginning) for part in name.split())]
    by_word = [name for name, unit in names.items() if name not in by_name and WORDS.get(beginning) is unit]
    return [head + name for name in by_word + by_name]
