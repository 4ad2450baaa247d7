"""Tables of cases and long texts that tests read from a TOML file of their own name beside them."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def kept_table(test: str, name: str) -> list[Any]:
    """Return the rows of a table of the file of `test`, a module's `__file__`; a row of several columns as a tuple."""
    return [tuple(row) if isinstance(row, list) else row for row in _read(Path(test).with_suffix(".toml"))[name]]


def kept_text(test: str, name: str) -> str:
    """Return a text of that file."""
    found: str = _read(Path(test).with_suffix(".toml"))[name]
    return found


def kept_texts(test: str, name: str) -> dict[str, Any]:
    """Return what that file has by names."""
    found: dict[str, Any] = _read(Path(test).with_suffix(".toml"))[name]
    return found
