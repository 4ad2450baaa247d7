"""The bar of a long calculation: at most one edit in two seconds, and nothing of it is left behind."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from bot.answers.document import Document
from bot.answers.handler import Handlers
from bot.games.axis_allies.questions import CalcQuery
from bot.ui.progress import Bar, Progress, bar_text
from sim.core.errors import RuleError
from sim.workers import Caller
from tests.bot.conftest import Table, answer, text_of

Work = Callable[[CalcQuery, Caller, Progress], Awaitable[Document]]
BATTLE = "6 tanks vs 10 inf"


class Clock:
    """Seconds that the test lets pass."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Watched:
    """Works out what the real desk does, in steps of so many seconds, and notes what the bar showed meanwhile."""

    def __init__(self, table: Table, seconds: float, steps: int, error: Exception | None = None) -> None:
        self.clock = Clock()
        self.shown: list[str] = []
        self._seconds, self._steps, self._error = seconds, steps, error
        self._real: Work = table.bot.services[Handlers].query_handler("aa").build_document
        table.bot.monotonic = self.clock

    async def __call__(self, query: CalcQuery, caller: Caller, progress: Progress) -> Document:
        assert isinstance(progress, Bar)
        show = progress._show
        progress._show = self._noting(show)  # type: ignore[assignment, method-assign]  # to see what is shown
        for step in range(self._steps):
            self.clock.now += self._seconds
            progress.update(step / self._steps, f"step {step}")
            if progress._showing is not None:
                await progress._showing
        if self._error is not None:
            raise self._error
        return await self._real(query, caller, progress)

    def _noting(self, show: Callable[[str], Awaitable[None]]) -> Callable[[str], Coroutine[Any, Any, None]]:
        async def noting(text: str) -> None:
            self.shown.append(text.split("\n-# ")[1])
            await show(text)

        return noting


def watch(table: Table, seconds: float, steps: int, error: Exception | None = None) -> Watched:
    watched = Watched(table, seconds, steps, error)
    table.bot.services[Handlers].query_handler("aa").build_document = watched  # type: ignore[method-assign]  # in its place
    return watched


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0, "▱▱▱▱▱▱▱▱▱▱ 0%"),
        (0.45, "▰▰▰▰▱▱▱▱▱▱ 45%"),
        (0.999, "▰▰▰▰▰▰▰▰▰▱ 99%"),
        (1, "▰▰▰▰▰▰▰▰▰▰ 100%"),
        (7, "▰▰▰▰▰▰▰▰▰▰ 100%"),
        (-1, "▱▱▱▱▱▱▱▱▱▱ 0%"),
        (float("nan"), "▱▱▱▱▱▱▱▱▱▱ 0%"),
    ],
)
def test_the_bar(share: float, shown: str) -> None:
    assert bar_text(share, "Fighting").split("\n") == [shown, "-# Fighting"]


async def test_at_most_one_bar_in_two_seconds_and_the_answer_takes_its_place(table: Table) -> None:
    watched = watch(table, 0.5, 13)
    result = await table.aacalc(BATTLE)
    assert watched.shown == ["step 3", "step 7", "step 11"]
    patched = [entry for entry in table.env.http_requests if entry.method == "PATCH" and "@original" in entry.path]
    assert len(patched) == 4
    assert "▰▰▱▱▱▱▱▱▱▱ 23%" in str(patched[0].json)
    assert "step" not in text_of(answer(result))
    assert text_of(answer(result)).startswith("### 🛡️ Defender wins")
    assert result.followups == []


async def test_a_quick_answer_has_no_bar(table: Table) -> None:
    watched = watch(table, 0.19, 10)
    await table.aacalc(BATTLE)
    assert watched.shown == []


@pytest.mark.parametrize("private", [True, False])
async def test_an_error_takes_its_place_too(table: Table, private: bool) -> None:
    watched = watch(table, 2, 2, RuleError("That was too much."))
    result = await table.aacalc(BATTLE, private=private)
    assert watched.shown == ["step 0", "step 1"]
    if private:
        assert text_of(answer(result)) == "⚠️ That was too much."
    else:
        (reply,) = result.followups
        assert reply.ephemeral
        assert text_of(reply) == "⚠️ That was too much."
        assert table.channel.history() == [], "nothing is left in the channel"


async def test_an_older_answer_stays_until_there_is_a_new_one(table: Table) -> None:
    message = answer(await table.aacalc(BATTLE))
    before = text_of(message)
    watched = watch(table, 2, 2, RuleError("That was too much."))
    result = await table.press(message, "Swap sides")
    assert watched.shown == ["step 0", "step 1"]
    assert text_of(message) == before
    assert [text_of(followup) for followup in result.followups] == ["⚠️ That was too much."]


async def test_beside_an_older_answer_the_bar_goes_when_the_new_one_comes(table: Table) -> None:
    message = answer(await table.aacalc(BATTLE))
    watch(table, 2, 2)
    result = await table.press(message, "Swap sides")
    assert "⚔️ **Attacker** 10 infantry" in text_of(answer(result))
    assert result.followups == []


async def test_a_bar_that_can_not_be_shown_keeps_nothing_from_being_answered(table: Table) -> None:
    watched = watch(table, 2, 1)
    table.env.inject_error("PATCH", "/webhooks/*", status=500, code=0, message="down", times=1)
    result = await table.aacalc(BATTLE)
    assert watched.shown == ["step 0"]
    assert text_of(answer(result)).startswith("### 🛡️ Defender wins")
