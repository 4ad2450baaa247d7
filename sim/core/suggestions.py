"""The nearest known word for a mistyped one."""

from collections.abc import Mapping
from typing import TypeVar

from rapidfuzz import fuzz, process

T = TypeVar("T")

LIKE_ENOUGH = 60.0
"""Likeness of 0 to 100 below which a suggestion misleads more than it helps."""


def nearest(word: str, known: Mapping[str, T], *, parts: bool = False, least: float = LIKE_ENOUGH) -> T | None:
    """Return the value of the key most like `word`, or None if none is like it.

    `parts`: a word that is a part of a key is like it, too.
    """
    found = process.extractOne(word, list(known), scorer=fuzz.WRatio if parts else fuzz.ratio, score_cutoff=least)
    return None if found is None else known[found[0]]
