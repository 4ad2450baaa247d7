"""The same dice, seeds and ids in every run of the tests of duels."""

import pytest

from tests.bot.snapshots.walk import fix_chance


@pytest.fixture(autouse=True)
def chance(monkeypatch: pytest.MonkeyPatch, fixed_dice: None) -> None:  # noqa: ARG001  # both together
    fix_chance(monkeypatch)
