"""What surrounds the code: the lock file, the README's promises, the layers."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from sim import __version__

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


REQUIREMENTS = PROJECT["dependencies"]
EXTRAS = [requirement for extra in PROJECT["optional-dependencies"].values() for requirement in extra]


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


def test_developers_test_what_the_live_bot_runs() -> None:
    assert versions(lock("requirements.txt")) <= versions(lock("requirements-dev.txt"))


def test_the_version_stands_in_one_place() -> None:
    assert PROJECT["dynamic"] == ["version"]
    found = [path for path in ROOT.glob("[bs]*/**/*.py") if __version__ in path.read_text(encoding="utf-8")]
    assert [path.relative_to(ROOT).as_posix() for path in found] == ["sim/__init__.py"]


def test_the_readme_has_exactly_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^python3 -m venv .venv && (.+)$", readme, re.MULTILINE) == [
        ".venv/bin/pip install '.[offline]' && .venv/bin/python -m bot",
        ".venv/bin/pip install '.[offline,test]' && .venv/bin/python -m pytest",
    ]


ALLOWED = {
    "sim/core": {"sim.core"},
    "sim/axis_allies": {"sim.axis_allies", "sim.core"},
    "sim/marked_for_death": {"sim.marked_for_death", "sim.core"},
    "sim/boss_fight": {"sim.boss_fight", "sim.core"},
    "sim/duel": {"sim.duel", "sim.core"},
    "sim/mad_killer_agents": {"sim.mad_killer_agents", "sim.core"},
    "sim/adapters": {"sim.workers", "sim.core"},
    "bot/render": {"bot.render", "sim"},
    "bot/store": {"bot.store", "bot.cooperative", "sim.core"},
}


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_imports_run_one_way(room: str) -> None:
    for path in (ROOT / room).rglob("*.py"):
        for name in imported(path):
            if name.split(".")[0] in {"bot", "sim"}:
                assert any(name == prefix or name.startswith(f"{prefix}.") for prefix in ALLOWED[room]), (
                    f"{path}: {name}"
                )


def test_the_rules_never_import_discord_or_the_database() -> None:
    for path in (ROOT / "sim").rglob("*.py"):
        assert not {name.split(".")[0] for name in imported(path)} & {"discord", "bot", "aiosqlite", "random", "time"}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names
