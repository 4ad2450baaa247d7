"""A live bot whose connections break before or after what they were for: all is done once, and shown whole."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pytest

from tests.live.conftest import Live
from tests.live.wire import CALLBACK, ORIGINAL, Fault

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

When = Literal["before", "after"]
both = pytest.mark.parametrize("when", ["before", "after"])


@contextmanager
def broken(live: Live, method: str, route: str, when: When) -> Iterator[None]:
    """Let the connection break at one request like this within the block."""
    with live.discord.api.faults.add(Fault(method, route, reset=when)) as fault:
        yield
    assert fault.hits == 1


@both
@pytest.mark.parametrize(("method", "route"), [("POST", CALLBACK), ("PATCH", ORIGINAL)])
async def test_an_answer_with_a_picture(live: Live, method: str, route: str, when: When) -> None:
    with broken(live, method, route, when):
        asked = await live.ann.slash("aacalc", battle="30 inf, 6 tanks vs 40 inf")
    assert "30 infantry, 6 tanks" in asked.text
    (picture,) = asked.message.files
    assert picture.data.startswith(b"\x89PNG")
    assert picture.data.rstrip().endswith(b"IEND\xaeB`\x82"), "the whole of it, though it was sent twice"
    assert live.discord.posted(live.channel) == [asked.message]
