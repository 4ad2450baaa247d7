"""Completing a deck's text while it is typed: kinds of tokens, their traits, elements."""

import re

from sim.boss_fight.traits import TABLE, Kind, kind_of
from sim.boss_fight.values import Element
from sim.core.names import name_key

MOST = 25
"""Completions that are offered at once."""

_LAST = re.compile(r"(?P<part>[^;\n]*)\Z")


def completions(text: str) -> list[str]:
    """Return the text with its last, unfinished word completed in every way that fits, at most `MOST`, best first.

    Behind `@` come elements, else traits of the token's kind (of any, where it has none), and kinds where a token
    begins.
    """
    found = _LAST.search(text)
    part = found["part"] if found else ""
    label, colon, rest = part.rpartition(":")
    at = max(text.rfind(mark) for mark in ",;:@\n") + 1
    head, word = text[:at], text[at:]
    if "@" in rest:
        names: list[str] = [*Element]
    elif colon:
        names = _traits(kind_of(label))
    else:
        names = [f"{kind}:" for kind in Kind] * ("," not in part) + _traits(None)
    blank = " " if head and not head.endswith(("@", "\n")) else ""
    return [f"{head}{blank}{name}" for name in _beginning(names, word)][:MOST]


def _traits(kind: Kind | None) -> list[str]:
    return list(dict.fromkeys(row.trait.name for row in TABLE if kind in {None, row.kind}))


def _beginning(names: list[str], word: str) -> list[str]:
    """Return the names that begin with `word`, then those with a later word that does."""
    key = name_key(word)
    first = [name for name in names if name_key(name).startswith(key)]
    later = [
        name for name in names if name not in first and any(part.startswith(key) for part in name_key(name).split())
    ]
    return first + later
