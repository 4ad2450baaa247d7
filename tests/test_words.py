"""What players read is written as a native player speaks: the forms that slipped in before don't come back."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.tables import kept_table, kept_texts

ROOT = Path(__file__).parent.parent
FORBIDDEN = kept_texts(__file__, "forbidden")

SAID_BEFORE = kept_table(__file__, "said_before")
"""Sentences of the first versions, in small letters, as native speakers marked them."""

STORED = {"neither side can hurt the other"}
"""Values in battles of earlier versions, which players read in other words."""


def is_command(node: ast.AsyncFunctionDef) -> bool:
    """Return whether players read a function's docstring."""
    return any(ast.unparse(each).startswith("slash(") for each in node.decorator_list)


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string, docstrings of commands too; what an f-string inserts becomes {}."""
    tree = ast.parse(source)
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    told = {id(node.body[0]) for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef) and is_command(node)}
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and id(node) not in told}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            texts = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(texts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts | alone:
            yield node.lineno, node.value


def found_in(source: str) -> Iterator[str]:
    """Yield each forbidden form with its line."""
    for line, text in strings(source):
        for form, pattern in FORBIDDEN.items():
            if text not in STORED and re.search(pattern, text, re.IGNORECASE):
                yield f"{line}: {form}: {text!r}"


def test_players_read_no_forbidden_form() -> None:
    files = [path for room in ("bot", "sim") for path in sorted((ROOT / room).rglob("*.py"))]
    found = [
        f"{path.relative_to(ROOT)}:{what}" for path in files for what in found_in(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_what_was_said_before_is_neither_in_code_nor_in_documents() -> None:
    assert len(SAID_BEFORE) >= 30
    documents = [ROOT / "README.md", *(ROOT / ".docs").rglob("*.md"), *(ROOT / ".github").rglob("*.md")]
    pages = [path for path in (ROOT / "bot").rglob("*") if path.suffix in {".html", ".js", ".css"}]
    tables = [*(ROOT / "sim").rglob("*.toml"), *(ROOT / "sim").rglob("*.csv")]
    texts = {path: path.read_text(encoding="utf-8") for path in (*documents, *pages, *tables)}
    for path in chain((ROOT / "bot").rglob("*.py"), (ROOT / "sim").rglob("*.py")):
        texts[path] = "\n".join(text for _, text in strings(path.read_text(encoding="utf-8")))
    plain = {path: " ".join(text.lower().split()) for path, text in texts.items()}
    assert [(path.name, words) for path, text in plain.items() for words in SAID_BEFORE if words in text] == []
    spelt = FORBIDDEN["British spelling"]
    lines = ((path.name, line) for path in documents for line in texts[path].splitlines() if "armour_class" not in line)
    assert [(name, line) for name, line in lines if re.search(spelt, line, re.IGNORECASE)] == []


@pytest.mark.parametrize("source", kept_table(__file__, "forms"))
def test_each_form_is_found(source: str) -> None:
    assert list(found_in(f"x = {source}"))
    assert list(found_in(f"@slash(group)\nasync def command():\n    {source}"))


@pytest.mark.parametrize(
    "source", ['"""Likewise, a docstring."""', 'x = "%d %s"', 'x = "83.6% of the time"', "# likewise"]
)
def test_nothing_else_is_found(source: str) -> None:
    assert not list(found_in(source))
