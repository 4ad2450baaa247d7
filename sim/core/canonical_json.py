"""One text for each JSON value, and its fingerprint."""

import hashlib
import json

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
