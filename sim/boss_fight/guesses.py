"""What somebody may mean who writes "fire sword": traits by their words, in any order, and an element."""

from collections.abc import Sequence
from itertools import islice

from sim.boss_fight.traits import Kind, find_trait, kinds_with, nearest_trait, traits_with_words
from sim.boss_fight.values import ELEMENT_NAMES
from sim.core.names import name_key

MAX_GUESSES = 3
_SHORT = 2
"""Characters of words such as "of", which alone say nothing."""


def guess_traits(typed: str, kind: Kind | None = None) -> list[str]:
    """Return at most `MAX_GUESSES` texts of traits that `typed` may mean, best first: `attack: Sword @Fire`.

    The kind stands before a trait of another `kind` of token than this, and before one that differs between kinds.
    """
    words = name_key(typed).split()
    element = next((ELEMENT_NAMES[word] for word in words if word in ELEMENT_NAMES), None)
    ending = "" if element is None else f" @{element}"
    words = [word for word in words if word not in ELEMENT_NAMES]
    if not words:
        return [ending.strip()] if ending else []
    names = _named(words, typed, kind)
    labels = kind is None or not names
    texts = (text for name in names or _named(words, typed, None) for text in _texts(name, kind, labels=labels))
    return [f"{text}{ending}" for text in islice(texts, MAX_GUESSES)]


def _named(words: Sequence[str], typed: str, kind: Kind | None) -> Sequence[str]:
    """Return traits with all the words, else the one that is spelled most alike, else those with one of the words."""
    if every := traits_with_words(words, kind):
        return every
    if (near := nearest_trait(typed, kind)) is not None:
        return (near,)
    some = (traits_with_words([word], kind) for word in words if len(word) > _SHORT)
    return list(dict.fromkeys(name for names in some for name in names))


def _texts(name: str, kind: Kind | None, *, labels: bool) -> list[str]:
    if not labels or (kind is None and find_trait(name) is not None):
        return [name]
    return [f"{each}: {name}" for each in kinds_with(name).split(", ")]
