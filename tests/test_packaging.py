"""What surrounds the code: the lock file, the README's promises."""

import re
import tomllib
from pathlib import Path

import pytest

from sim import __version__

ROOT = Path(__file__).resolve().parent.parent
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


def test_developers_test_what_the_live_bot_runs() -> None:
    assert versions(lock("requirements.txt")) <= versions(lock("requirements-dev.txt"))


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
