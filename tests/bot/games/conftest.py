"""The dice of wars and of duels."""

import pytest

from tests.bot.conftest import WAR_SEED, fix_seed
from tests.bot.snapshots.walk import fix_chance


@pytest.fixture
def war_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every game the seed of wars."""
    fix_seed(monkeypatch, WAR_SEED)


@pytest.fixture
def fixed_chance(monkeypatch: pytest.MonkeyPatch, fixed_dice: None) -> None:  # noqa: ARG001  # both together
    """Give every run the same dice, seeds and ids."""
    fix_chance(monkeypatch)
