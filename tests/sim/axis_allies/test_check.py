"""Army texts kept for later: one army or a battle, from whatever people's editors write."""

import pytest

from sim.axis_allies.army import army_text
from sim.axis_allies.parse import decode_text
from sim.axis_allies.requests import CheckRequest
from sim.core.errors import RuleError, TextError


def read(content: bytes) -> list[str]:
    """Return the armies of a content as they read."""
    request = CheckRequest(content=content)
    assert 0 < request.cost() < 1
    return [army_text(army) for army in request.run().armies]


@pytest.mark.parametrize(
    ("content", "armies"),
    [
        (b"6 tanks, 2 inf", ["6 tanks, 2 infantry"]),
        (b"6 tanks vs 10 inf", ["6 tanks", "10 infantry"]),
        (b"6 tanks > 10 inf", ["6 tanks", "10 infantry"]),
        (b"\xef\xbb\xbf6 tanks\r\n2 inf\r\n", ["6 tanks, 2 infantry"]),
    ],
)
def test_one_army_or_two(content: bytes, armies: list[str]) -> None:
    assert read(content) == armies


def test_every_mistake_is_told() -> None:
    with pytest.raises(TextError) as refused:
        read(b"6 tonks vs 3 imf")
    assert len(refused.value.problems) == 2


@pytest.mark.parametrize("content", [b"", b"x" * 200_000, b"6 tanks vs"])
def test_what_is_no_army(content: bytes) -> None:
    with pytest.raises(TextError):
        read(content)


def test_what_is_no_text() -> None:
    with pytest.raises(RuleError, match="plain text in UTF-8"):
        decode_text(b"PK\x03\x04\xff")
