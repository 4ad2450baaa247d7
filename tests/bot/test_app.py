"""The commands as Discord registers them, the one error handler, and what players read when something is lost.

Limits that neither discord.py nor the simulator checks are checked here; what each command takes is held by
`snapshots/commands.json`, to the letter.
"""

import logging
import re
import subprocess
import sys
from functools import partial

import pytest
from simcord import ResponseMessage

from bot.config import Server
from bot.games.axis_allies.cog import CalcQuery
from bot.health import health_server
from bot.store import DiskFullError
from bot.store.database import Database
from tests.bot.battles.fights import begin, click_seen, errors, seen, told, with_button
from tests.bot.conftest import Table, answer, button, buttons_of, text_of
from tests.bot.store.databases import Cable
from tests.bot.test_health import sample


def fail(*_: object) -> None:
    """Be a mistake of ours."""
    raise ZeroDivisionError("secret detail")


def acknowledge(table: Table) -> list[BaseException]:
    """Take what the simulator recorded as seen: this test caused it."""
    errors = list(table.env._errors)
    table.env._errors.clear()
    return errors


async def test_our_own_mistakes_get_a_reference_for_the_player_and_a_trace_in_the_log(
    table: Table, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CalcQuery, "build", fail)
    text = told(await table.aacalc("6 tanks vs 10 inf"))
    assert text.startswith("⚠️ Something went wrong on our side.")
    assert "secret detail" not in text
    reference = text.split("`")[1]
    (record,) = [record for record in caplog.records if record.exc_info and record.levelno == logging.ERROR]
    assert reference in str(record.__dict__)
    assert isinstance(record.exc_info and record.exc_info[1], ZeroDivisionError)
    assert any("ZeroDivisionError" in repr(error) for error in acknowledge(table))
    assert sample(table.bot.metrics, "fracas_commands_total", name="aacalc", result="failed") == 1


async def test_commands_and_presses_are_counted_and_logged_with_their_request(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fracas.app")
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    await table.press(message, "▶️")
    await table.aacalc("6 tonks vs 10 inf")
    count = partial(sample, table.bot.metrics)
    labels = re.findall(r"^(?!fracas_build_info)\w+\{(.*?)\}", table.bot.metrics.render().decode(), re.MULTILINE)
    assert not [label for label in labels if re.search(r"[0-9]{6}", label)], "no ids"
    assert count("fracas_commands_total", name="aacalc", result="ok") == 1
    assert count("fracas_commands_total", name="aacalc", result="refused") == 1
    assert count("fracas_clicks_total", kind="turn", result="ok") == 1
    assert count("fracas_job_seconds_count", game="axis_allies", result="ok") == 1
    logged = [str(vars(record)) for record in caplog.records if record.name == "fracas.app"]
    assert sum("'name': 'aacalc'" in text for text in logged) == 2
    assert not any("tonks" in text for text in logged), "what players type is not logged"


async def pressed_later(table: Table, custom_id: str) -> ResponseMessage:
    """Press a button of another id below an answer, as an older version would have left it; {} is the query's id."""
    message = await table.calc("6 tanks vs 10 inf")
    custom_id = custom_id.format(button(message, "▶️").split(":")[1])
    (result,) = await click_seen(table, with_button(seen(table, message), custom_id), (table.ann, custom_id))
    return answer(result)


async def test_a_button_of_a_version_long_gone_says_so_and_a_page_beyond_the_end_is_the_last(table: Table) -> None:
    for custom_id in ("p0:old:1", "nonsense", "a1:../../etc:edit", "j1:" + "x" * 90, "a1:{}:explode"):
        reply = await pressed_later(table, custom_id)
        assert reply.ephemeral, custom_id
        assert "older version" in text_of(reply), custom_id
    assert "**Share text**" in text_of(await pressed_later(table, "p1:{}:next:999999"))


@pytest.mark.parametrize(("status", "code"), [(404, 10062), (401, 50027), (404, 10015), (404, 10008)])
async def test_an_answer_that_can_not_be_delivered_any_more_is_logged_and_nothing_breaks(
    table: Table, caplog: pytest.LogCaptureFixture, status: int, code: int
) -> None:
    for method, path, text in (("POST", "/interactions/*", "6 tonks"), ("PATCH", "/webhooks/*", "6 tanks")):
        caplog.clear()
        table.env.inject_error(method, path, status=status, code=code, message="too late")
        await table.aacalc(f"{text} vs 10 inf")
        assert any("undelivered" in str(vars(each)) for each in caplog.records)
        assert errors(caplog) == []
    assert "⚔️ **6 tanks** vs " in text_of(answer(await table.aacalc("6 tanks vs 10 inf")))
    acknowledge(table)


async def test_a_press_on_a_message_that_is_deleted_meanwhile_is_answered(table: Table) -> None:
    shown = answer(await table.aacalc("6 tanks vs 10 inf"))
    before = seen(table, shown)
    table.env.backend.delete_message(shown.channel_id, shown.id)
    (result,) = await click_seen(table, before, (table.ann, button(shown, "Next")))
    assert told(result) == "⚠️ The message to show this in was deleted."
    acknowledge(table)


def test_a_plain_start_loads_nothing_that_outgrows_one_machine() -> None:
    program = (
        "import sys; from bot.cli import run; from bot.config import Settings; run.simulator_of(Settings());"
        "print([name for name in sys.modules if name.startswith(('bot.scale', 'asyncpg', 'dask', 'distributed'))])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


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
            pressed = await table.press(panel, "Next round")
            assert text_of([*pressed.followups, pressed.response][0]) == "⚠️ The database can't be reached; press again."
        assert sample(bot.metrics, "fracas_clicks_total", kind="battle", result="refused") == 3
        assert await table.ann.autocomplete(table.channel, "aacalc", "battle", "6") == []
        for loop in (bot.forget, bot.flush_outbox, bot.tick, bot.flush_foreign_panels):
            await loop.coro(bot)
        checks = health_server(bot, 0).checks
        assert not await checks["database"]()
        assert 'reason="lost"} 1.0' in bot.metrics.render().decode()
        assert troubles(log) == ["database_lost"]
        await cable.mend()
        await table.press(panel, "Next round")
        assert text_of(panel).startswith("### #1 Axis & Allies: round 1\n")
        assert await checks["database"]()
        assert troubles(log) == ["database_lost", "database_reached"]


async def test_a_full_disk_is_told_once_and_players_read_that_nothing_was_lost(
    table: Table, log: pytest.LogCaptureFixture
) -> None:
    panel = await begin(table, "200 inf vs 200 bombers")
    db = table.bot.services[Database]
    checks = health_server(table.bot, 0).checks
    assert await checks["disk"]()
    await db.fetch_all("PRAGMA max_page_count = 1")  # as many as there are
    told: list[str] = []
    while len(told) < 3:
        pressed = await table.press(panel, next(label for label in buttons_of(panel) if label.startswith("Fight")))
        told += [text_of(reply) for reply in pressed.followups]
    assert set(told) == {"⚠️ This bot's disk is full; its operator must make room. Nothing was lost."}
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


COMMANDS = {
    *("aa", "aacalc", "about", "battle", "boss", "duel", "help", "ladder", "luck", "mfd", "mka", "privacy", "profile"),
    "roster",
}
"""Commands of the house and of the games that have always been there; more games bring more."""
