"""The dice of these tests."""

import pytest


class _Secrets:
    """Draws a seed by which people play in the order in which they joined: Ann from A2, Ben from H4 of the flat map."""

    @staticmethod
    def token_bytes(size: int) -> bytes:
        return (2143).to_bytes(size, "big")


@pytest.fixture
def fixed_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every game that seed."""
    monkeypatch.setattr("bot.store.battles.repository.secrets", _Secrets)
