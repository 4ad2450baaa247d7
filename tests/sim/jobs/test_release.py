import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sim import __version__
from sim.jobs import release


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with sources that stand for ours."""
    for half in ("bot", "sim"):
        (tmp_path / half / "inner").mkdir(parents=True)
        (tmp_path / half / "inner" / "source.py").write_text("x = 1")
    monkeypatch.setattr(release, "_ROOT", tmp_path)
    return tmp_path


def version() -> str:
    return release.version.__wrapped__()


def test_no_two_states_have_the_same_version(root: Path) -> None:
    inner = root / "bot" / "inner"
    seen = [version()]
    assert re.fullmatch(rf"{re.escape(__version__)}\+[0-9a-f]{{8}}", seen[0])
    (inner / "source.py").write_text("x = 2")
    seen.append(version())
    (inner / "0001_new.sql").write_text("SELECT 1")
    seen.append(version())
    (inner / "0001_new.sql").rename(inner / "0002_new.sql")
    seen.append(version())
    assert len(set(seen)) == len(seen)


def test_what_is_compiled_is_no_source(root: Path) -> None:
    before = version()
    cache = root / "sim" / "__pycache__"
    cache.mkdir()
    (cache / "source.cpython-311.pyc").write_bytes(b"1")
    assert version() == before


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_clone_knows_its_commit(root: Path) -> None:
    of_files = version()

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@localhost", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet")
    assert version() == of_files, "there is no commit yet"
    git("add", ".")
    git("commit", "--quiet", "--message", "First")
    head = git("rev-parse", "HEAD")[:7]
    assert version() == of_files.replace("+", f"+g{head}.")
    (root / "sim" / "inner" / "source.py").write_text("x = 2")
    changed = version()
    assert changed != of_files.replace("+", f"+g{head}.")
    assert f"+g{head}." in changed
