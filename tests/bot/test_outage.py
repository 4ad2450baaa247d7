"""What players, operators and the log read of a database that is lost or has no room, and of answers that come late."""

import logging

import pytest

from bot.config import Server, Settings
from bot.store.database import Database
from bot.store.errors import DiskFullError
from bot.watching import health_server
from sim.workers import InlineSimulator
from tests.bot.battles.fights import begin
from tests.bot.conftest import Table, buttons_of, text_of
from tests.bot.store.servers import Cable


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO)
    return caplog


def troubles(log: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged of WARNING and above, by whomever, and of the database."""
    return [
        record.getMessage()
        for record in log.records
        if record.levelno >= logging.WARNING or record.name == "fracas.database"
    ]


def refused_clicks(table: Table) -> float | None:
    return table.bot.metrics.registry.get_sample_value("fracas_clicks_total", {"kind": "battle", "result": "refused"})


class TestLost:
    @pytest.fixture
    def kept_in(self, cable: Cable) -> Server:
        return cable.place

    async def test_a_cut_is_told_once_and_everything_goes_on(
        self, table: Table, cable: Cable, log: pytest.LogCaptureFixture
    ) -> None:
        panel = await begin(table)
        bot = table.bot
        cable.cut()
        for _ in range(3):
            pressed = await table.press(panel, "Fight round 1")
            assert text_of([*pressed.followups, pressed.response][0]) == "⚠️ The database can't be reached; press again."
        assert refused_clicks(table) == 3
        assert await table.ann.autocomplete(table.channel, "aacalc", "battle", "6") == []
        for loop in (bot.forget, bot.flush_outbox, bot.tick, bot.flush_foreign_panels):
            await loop.coro(bot)
        checks = health_server(bot, InlineSimulator(), Settings(health_port=1))._checks
        assert not await checks["database"]()
        assert 'reason="lost"} 1.0' in bot.metrics.render().decode()
        assert troubles(log) == ["database_lost"]
        await cable.mend()
        await table.press(panel, "Fight round 1")
        assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
        assert await checks["database"]()
        assert troubles(log) == ["database_lost", "database_reached"]


async def test_a_full_disk_is_told_once_and_players_read_that_nothing_was_lost(
    table: Table, log: pytest.LogCaptureFixture
) -> None:
    panel = await begin(table, "200 inf vs 200 bombers")
    db = table.bot.services[Database]
    checks = health_server(table.bot, InlineSimulator(), Settings(health_port=1))._checks
    assert await checks["disk"]()
    await db.fetch_all("PRAGMA max_page_count = 1")  # as many as there are
    told: list[str] = []
    while len(told) < 3:
        pressed = await table.press(panel, next(label for label in buttons_of(panel) if label.startswith("Fight")))
        told += [text_of(reply) for reply in pressed.followups]
    assert set(told) == {"⚠️ The disk of this bot is full; its operator must make room. Nothing was lost."}
    assert not await checks["disk"]()
    assert await checks["database"]()
    assert troubles(log) == ["disk_full"]
    (record,) = [record for record in log.records if record.levelno == logging.ERROR]
    assert record.exc_info is None
    assert isinstance(db.availability.trouble, DiskFullError)


@pytest.mark.parametrize("code", [10062, 40060, 50027])
async def test_suggestions_that_come_too_late_are_no_error(
    table: Table, log: pytest.LogCaptureFixture, code: int
) -> None:
    table.env.inject_error("POST", "/interactions/*", status=404, code=code)
    await table.ann.autocomplete(table.channel, "aacalc", "battle", "6")
    assert troubles(log) == []
    assert "not_suggested" in [record.getMessage() for record in log.records]
