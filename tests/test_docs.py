"""What the pages show of the code is what it says, the rules' examples too; the lock file; the README's promises."""

import doctest
import io
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from bot.config import KEPT_BACKUPS, OFFLINE, variables
from bot.games import Games
from bot.store.personal_tables import HOUSE_TABLES
from sim import __version__
from sim.__main__ import main
from sim.axis_allies.editions import EDITIONS, Row
from sim.axis_allies.units import Unit
from tests.bot.commands_page import COMMANDS, anchor, commands_page
from tests.sample_games import SAMPLE

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGE = ROOT / ".docs" / "write-a-game.md"
OPERATE, PRIVACY, TERMS = (ROOT / ".docs" / f"{name}.md" for name in ("operate", "privacy", "terms"))
BLOCKS = re.findall(r"```(?:python|sql|toml)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
SOURCES = [path.read_text(encoding="utf-8") for path in SAMPLE.rglob("*") if path.suffix in {".py", ".sql", ".toml"}]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.strip().splitlines()[0])
def test_write_a_game_shows_the_sample_game(block: str) -> None:
    assert any(block in source for source in SOURCES)


def test_the_page_has_such_blocks() -> None:
    assert len(BLOCKS) > 10


def test_each_step_of_write_a_game_names_the_test_that_takes_it() -> None:
    steps = re.split(r"^## (?=[0-9])", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    files = [ROOT / "tests" / "test_games.py", ROOT / "tests" / "bot" / "test_sample_game.py"]
    source = "".join(file.read_text(encoding="utf-8") for file in files)
    tests = set(re.findall(r"^(?:async )?def (test_\w+)", source, re.MULTILINE))
    named = {step.splitlines()[0]: set(re.findall(r"`(test_\w+)`", step.split("\n## ")[0])) for step in steps}
    assert [number.split(".")[0] for number in named] == [str(number) for number in range(1, len(steps) + 1)]
    assert [step for step, found in named.items() if not found or found - tests] == []


def test_the_game_of_the_page_is_small() -> None:
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in SAMPLE.rglob("*.py")) <= 400


def headings(page: Path) -> set[str]:
    """Return what links may name behind a `#`."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize(
    "page",
    [README, *sorted((ROOT / ".github").glob("*.md")), *sorted((ROOT / ".docs").rglob("*.md"))],
    ids=lambda page: page.name,
)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    broken = []
    for link, heading in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8")):
        target = page.parent / link if link else page
        if not target.exists() or (heading and heading not in headings(target)):
            broken.append((link, heading))
    assert broken == []


def test_the_gallery_has_light_pictures_of_everything_each_told_in_words() -> None:
    gallery = ROOT / ".docs" / "gallery.md"
    shown = dict(re.findall(r"!\[([^\]]{30,})\]\(([^)]+)\)", gallery.read_text(encoding="utf-8")))
    kept = {f"gallery/{path.name}" for path in (ROOT / ".docs" / "gallery").iterdir()}
    assert {*shown.values()} == kept
    assert len(kept) >= 20
    assert [name for name in kept if (gallery.parent / name).stat().st_size > 60_000] == []


def test_the_readme_takes_a_few_minutes_to_read() -> None:
    shown = re.sub(r"\]\([^)]*\)", "]", README.read_text(encoding="utf-8"))  # nobody reads a link's address
    assert len(re.findall(r"\S*\w\S*", shown)) <= 1000


async def test_the_page_of_commands_is_what_the_command_tree_says() -> None:
    kept = COMMANDS.read_text(encoding="utf-8")
    assert await commands_page() == kept, "if this is meant, run `python -m tests.bot.commands_page`"


def event_names() -> set[str]:
    """Return the name of every log event; where a variable holds it, what its type allows."""
    names: set[str] = set()
    for path in (ROOT / "bot").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        for name in re.findall(r'(?<![.\w])(?<!def )event\(\s*[\w.]+,\s*("?[\w-]+"?)', source):
            held = [name] if name.startswith('"') else re.findall(rf"\b{name}: Literal(\[.*?\])", source, re.DOTALL)
            names |= {*re.findall(r'"([\w-]+)"', "".join(held))}
    return names


def test_every_log_event_is_explained() -> None:
    rows = re.findall(
        r"^\| (`.+?) \| (?:INFO|WARNING|ERROR) \| .+ \|$", OPERATE.read_text(encoding="utf-8"), re.MULTILINE
    )
    explained = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert len(explained) == len(set(explained))
    assert event_names() >= {"started", "command", "click", "failed"}
    assert event_names() - set(explained) == set()


def test_the_privacy_policy_names_all_that_is_kept() -> None:
    text = PRIVACY.read_text(encoding="utf-8")
    listed = [table for table in (*HOUSE_TABLES, *Games.discover().personal_data) if table.is_listed]
    missing = [table.table for table in listed if f"\n- {table.label[1]} {table.kept}" not in text]
    assert missing == []
    assert text.count("\n- ") == len(listed) + len(["log", "backups", "elsewhere"]) + len(["show", "export", "delete"])
    assert f"after {OFFLINE.copy_days} days" in text
    assert f"the last {KEPT_BACKUPS} are kept" in text


def test_the_pages_for_operators_name_only_settings_there_are() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (OPERATE, PRIVACY, TERMS))
    assert set(re.findall(r"\bFRACAS_[A-Z_]+", pages)) <= set(variables().values())


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


REQUIREMENTS = PROJECT["dependencies"]
EXTRAS = [
    requirement
    for extra in PROJECT["optional-dependencies"].values()
    for requirement in extra
    if not requirement.startswith("fracas[")
]


def canonical(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()  # type: ignore[index]  # all have names


def lock(name: str) -> str:
    return (ROOT / ".deploy" / name).read_text(encoding="utf-8")


def versions(text: str) -> set[str]:
    return {line for line in text.splitlines() if "==" in line}


@pytest.mark.parametrize(
    ("name", "requirements"),
    [("requirements.txt", REQUIREMENTS), ("requirements-dev.txt", REQUIREMENTS + EXTRAS)],
)
def test_a_lock_holds_every_requirement_by_hash_and_no_address(name: str, requirements: list[str]) -> None:
    text = lock(name)
    locked = {canonical(line) for line in versions(text)}
    assert {canonical(requirement) for requirement in requirements} <= locked
    assert text.count("\n    --hash=sha256:") >= len(locked)
    assert not re.search(r"https?:|--(extra-)?index|--find-links", text)
    assert all(re.match(r"[a-z0-9-]+==|    --hash=sha256:", line) for line in text.splitlines())


@pytest.mark.parametrize(
    ("name", "package"),
    [("requirements", "discord-py"), ("requirements-postgres", "asyncpg"), ("requirements-cluster", "distributed")],
)
def test_the_image_has_what_it_needs_and_developers_test_the_same(name: str, package: str) -> None:
    locked = versions(lock(f"{name}.txt"))
    assert package in map(canonical, locked)
    assert locked <= versions(lock("requirements-dev.txt"))
    assert f"-r {name}.txt" in lock("Dockerfile")


def test_the_version_stands_in_one_place() -> None:
    assert PROJECT["dynamic"] == ["version"]
    found = [path for path in ROOT.glob("[bs]*/**/*.py") if __version__ in path.read_text(encoding="utf-8")]
    assert [path.relative_to(ROOT).as_posix() for path in found] == ["sim/__init__.py"]


def test_the_commands_and_their_minutes_are_the_same_everywhere() -> None:
    readme, contributing, workflow = (
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("README.md", ".github/CONTRIBUTING.md", ".github/workflows/ci.yml")
    )
    daily = "python -m pytest -n 2 --dist worksteal"
    rest = f"{daily} -m rest"
    assert re.findall(r"^python3 -m venv .venv && (.+)$", readme, re.MULTILINE) == [
        ".venv/bin/pip install '.[offline]' && .venv/bin/python -m bot",
        f".venv/bin/pip install '.[offline,test]' && .venv/bin/{daily}",
        f".venv/bin/pip install '.[offline,test-all]' && .venv/bin/{rest}",
    ]
    assert re.findall(r"^\| `(python -m pytest -n .+)` \|", contributing, re.MULTILINE) == [daily, rest]
    assert re.findall(r"\.venv/bin/(python -m pytest.*)$", workflow, re.MULTILINE) == [daily]
    minutes = re.findall(r"at most (\d+) minutes", readme)
    (budget,) = re.findall(r"timeout-minutes: (\d+)\n(?:.+\n)+?      - run: \.ci/run", workflow)
    assert re.findall(r"at most (\d+) minutes", contributing) == [*minutes, budget]
    assert sum(map(int, minutes)) < int(budget)


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
