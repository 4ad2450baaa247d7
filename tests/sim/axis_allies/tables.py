"""Tables of cases as text: a row a line, its columns parted by `=>`; a line that begins with `=>` goes on with the row.

A table is easier to read and to extend than tuples of strings that are broken over several lines. Lines that begin with
`#` say what follows.
"""

import re
from pathlib import Path
from typing import Any


def rows(table: str) -> list[tuple[str, ...]]:
    """Return the columns of each row."""
    whole = re.sub(r"\n\s*=>", " =>", re.sub(r"(?m)^#.*", "", table))
    return [tuple(re.split(r"\s*=>\s*", line.strip())) for line in whole.splitlines() if line.strip()]


def cases(name: str) -> list[tuple[str, ...]]:
    """Return the rows of a file beside this one."""
    return rows(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def mistakes(table: str, before: int = 1) -> list[tuple[Any, ...]]:
    """Return the first columns of each row of a table or of a file, and a list of the pairs that follow them."""
    found = cases(table) if table.endswith(".txt") else rows(table)
    return [(*row[:before], list(zip(row[before::2], row[before + 1 :: 2], strict=True))) for row in found]
