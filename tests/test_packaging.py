"""What surrounds the code: the lock file, the README's promises."""

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
        ".venv/bin/pip install '.[offline,test]' && .venv/bin/python -m pytest -n 2 --dist worksteal",
    ]
