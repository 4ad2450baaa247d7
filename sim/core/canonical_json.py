"""Canonical JSON: one text for each value, its digest, and strict reading."""

import hashlib
import json
from collections.abc import Callable
from typing import Any, NoReturn

from pydantic import JsonValue


def canonical(value: JsonValue) -> str:
    """Return the one text of a JSON value: keys in order, no blanks, ASCII only.

    A float is the shortest text that reads back as the same number, and never a whole number's: 1.0 is not 1.
    ValueError for NaN and infinities.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest(value: JsonValue) -> str:
    """Return the SHA-256 of the canonical text, in hexadecimal."""
    return text_digest(canonical(value))


def text_digest(text: str) -> str:
    """Return the SHA-256 of a canonical text, in hexadecimal: quick even for a large value."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def read_strict(text: str, parse_int: Callable[[str], int] = int) -> Any:  # noqa: ANN401  # as json.loads
    """Return the value of a JSON text; ValueError also for NaN, infinities and a name twice in an object."""
    return json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_number, parse_int=parse_int)


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
