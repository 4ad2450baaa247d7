"""The rules' pages: what their examples show is what the code does, and who cites them finds the place."""

import doctest
import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from sim.__main__ import main
from sim.axis_allies.editions import EDITIONS, Row
from sim.axis_allies.units import Unit
from tests.bot.commands_page import anchor
from tests.test_docs import ROOT, headings

RULES = ROOT / ".docs" / "rules"
PAGES = sorted(RULES.glob("*.md"))

_BLOCK = re.compile(r"^```(?P<kind>[a-z]+)(?: (?P<file>[\w.-]+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ python -m sim (?P<arguments>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
_CITED = re.compile(r"\.docs/rules/(?P<page>\w+\.md)(?P<headings>(?:(?:,| and) \"[^\"]+\")*)")
_CHECKER = doctest.OutputChecker()


def terminal(arguments: str) -> str:
    """Return what a terminal shows after `python -m sim` with these arguments."""
    shown = io.StringIO()
    with redirect_stdout(shown), redirect_stderr(shown):
        main(shlex.split(arguments))
    return shown.getvalue()


def console_examples(block: str) -> int:
    """Run the commands of a block and return how many there are; `...` stands for whatever comes there."""
    found = list(_COMMAND.finditer(block))
    assert "".join(example[0] for example in found) == block, "a block has commands and what they print, nothing else"
    for example in found:
        shown = terminal(example["arguments"])
        expected, got = (f"{text.rstrip()}\n" for text in (example["output"], shown))
        assert _CHECKER.check_output(expected, got, doctest.ELLIPSIS), f"{example[0]}now prints:\n{shown}"
    return len(found)


def python_examples(block: str, names: dict[str, Any], page: str) -> int:
    """Run the lines of a block that begin with >>> and return how many there are; `names` live through the page."""
    test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
    told = io.StringIO()
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.write, clear_globs=False)
    names |= test.globs
    assert not results.failed, told.getvalue()
    return results.attempted


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_show_what_the_code_does(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of `console` and `pycon` are run; one with a file's name is that file, for the examples after it."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    examples = 0
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["file"]:
            (tmp_path / block["file"]).write_text(block["text"], encoding="utf-8")
        elif block["kind"] == "console":
            examples += console_examples(block["text"])
        elif block["kind"] == "pycon":
            examples += python_examples(block["text"], names, page.name)
    assert examples >= 4


def citations() -> Iterator[tuple[str, str, str]]:
    """Yield every citation of a page in the code: the file, the page, the heading, "" for none."""
    for folder in ("bot", "sim", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for cited in _CITED.finditer(" ".join(path.read_text(encoding="utf-8").split())):
                for heading in re.findall(r'"([^"]+)"', cited["headings"]) or [""]:
                    yield str(path.relative_to(ROOT)), cited["page"], heading


def test_who_cites_a_page_finds_the_heading() -> None:
    """A citation is the page and its headings: .docs/rules/duel.md, "Initiative" and "A round"."""
    known = {page.name: headings(page) for page in PAGES}
    found = list(citations())
    assert {page for _, page, _ in found} == known.keys()
    assert [cited for cited in found if anchor(cited[2]) not in known[cited[1]]] == []


def test_the_units_are_those_of_the_editions() -> None:
    text = (RULES / "axis_allies.md").read_text(encoding="utf-8")
    names, *rows = re.findall(
        r"^\| (unit|[a-z ]+) \|(.+)\|$", text[text.index("## Units") :].split("\n## ")[0], re.MULTILINE
    )
    shown = {row[0]: [cell.strip() for cell in row[1].split("|")] for row in rows}
    editions = [cell.strip() for cell in names[1].split("|")]
    assert shown == {unit.value: [written(EDITIONS[name].units.get(unit)) for name in editions] for unit in Unit}


def written(row: Row | None) -> str:
    """Return a unit's row as the page writes it."""
    if row is None:
        return "-"
    if row.mark:
        return f"mark {row.cost}"
    return f"{row.attack}/{row.defence} {row.cost}{' x2' if row.hits > 1 else ''}"
