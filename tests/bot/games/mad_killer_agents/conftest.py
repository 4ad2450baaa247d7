"""The dice of these tests."""

import pytest

from tests.bot.conftest import WAR_SEED, fix_seed


@pytest.fixture
def fixed_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every game the seed of wars."""
    fix_seed(monkeypatch, WAR_SEED)
