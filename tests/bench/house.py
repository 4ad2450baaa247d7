"""Measures the house: `python -m tests.bench.house` prints it, `--check` fails where the budget is passed.

The budget stands in pyproject.toml, `[tool.fracas.house]`.
"""

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SMALL = 40
"""A file under this many lines wants a reason."""

LARGE = 450
"""A file over this many lines is more than one concept."""

SHORT = 5
"""A helper used once of at most so many lines may stand where it is used."""


def main() -> None:
    """Print lines, files, small and large ones, helpers that are used once, by room; then what passes the budget."""
    code, tests = [*_files("bot"), *_files("sim")], [*_files("tests")]
    print(f"{'room':32}{'lines':>8}{'files':>8}{f'<{SMALL}':>8}{f'>{LARGE}':>8}{'once':>8}{f'<={SHORT}':>8}")
    for room, files in {**_rooms(code), "bot and sim": code, "tests": tests}.items():
        print(f"{room:32}" + "".join(f"{number:8,}" for number in measure(files).values()))
    found = {"code": measure(code), "tests": measure(tests)}
    budget = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["fracas"]["house"]
    passed = [
        f"{what} has {found[what][part]:,} {part}, {most:,} are allowed"
        for what, parts in budget.items()
        for part, most in parts.items()
        if found[what][part] > most
    ]
    if "--check" in sys.argv and passed:
        sys.exit("\n".join(passed))


def measure(files: Iterable[Path]) -> dict[str, int]:
    """Return lines, files, small and large files, private functions that are used once, and the short ones of these."""
    texts = [path.read_text() for path in files]
    once = [helper for text in texts for helper in _used_once(text)]
    return {
        "lines": sum(text.count("\n") for text in texts),
        "files": len(texts),
        "small": sum(text.count("\n") < SMALL for text in texts),
        "large": sum(text.count("\n") > LARGE for text in texts),
        "once": len(once),
        "short": sum(length <= SHORT for length in once),
    }


def _used_once(text: str) -> Iterator[int]:
    """Yield the lengths of the private functions of a module that are named once beside their definition."""
    tree = ast.parse(text)
    named = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.name.startswith("_"):
            continue
        if named[node.name] == 1:
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def _files(folder: str) -> Iterator[Path]:
    yield from sorted((ROOT / folder).rglob("*.py"))


def _rooms(files: Iterable[Path]) -> dict[str, list[Path]]:
    rooms: dict[str, list[Path]] = {}
    for path in files:
        parts = path.relative_to(ROOT).parts
        depth = 3 if parts[1] in {"games", "features"} else 2
        rooms.setdefault("/".join(parts[: min(depth, len(parts) - 1)]), []).append(path)
    return rooms


if __name__ == "__main__":
    main()
