"""What holds for all tests."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sim.jobs.discovery import games, systems

# A busy machine is no fault of the code under test: deadline and too_slow measure seconds, and how much is drawn before
# filter_too_much and data_too_large give up differs from seed to seed. What CI tries is the same every time.
settings.register_profile(
    "fracas",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
settings.load_profile("fracas")


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
