"""The one error handler, and what discord.py would leave unanswered."""

import logging
import subprocess
import sys
from typing import Any

import pytest

from bot.answers.document import Document
from bot.answers.handler import Handlers
from tests.bot.conftest import Table, answer, text_of


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
    monkeypatch.setattr(table.bot.services[Handlers].of("aa"), "document", fail)
    result = await table.aacalc("6 tanks vs 10 inf")
    (reply,) = result.followups
    assert reply.ephemeral
    text = text_of(reply)
    assert text.startswith("⚠️ Something went wrong on our side.")
    assert "secret detail" not in text
    reference = text.split("`")[1]
    (record,) = [record for record in caplog.records if record.exc_info and record.levelno == logging.ERROR]
    assert reference in str(record.__dict__)
    assert isinstance(record.exc_info and record.exc_info[1], ZeroDivisionError)
    assert any("ZeroDivisionError" in repr(error) for error in acknowledge(table))
    assert (
        table.bot.metrics.registry.get_sample_value("fracas_commands_total", {"name": "aacalc", "result": "failed"})
        == 1
    )


async def test_a_press_that_fails_is_answered_too(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    monkeypatch.setattr(Document, "page", fail)
    result = await table.press(message, "▶️")
    (reply,) = result.followups
    assert reply.ephemeral
    assert "Something went wrong" in text_of(reply)
    assert "Defender wins 91.7% of the time" in text_of(message)


async def test_commands_and_presses_are_counted_and_logged_with_their_request(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fracas.app")
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    await table.press(message, "▶️")
    await table.aacalc("6 tonks vs 10 inf")
    count = table.bot.metrics.registry.get_sample_value
    assert count("fracas_commands_total", {"name": "aacalc", "result": "ok"}) == 1
    assert count("fracas_commands_total", {"name": "aacalc", "result": "refused"}) == 1
    assert count("fracas_clicks_total", {"kind": "turn", "result": "ok"}) == 1
    assert count("fracas_job_seconds_count", {"game": "axis_allies", "result": "ok"}) == 1
    logged = [str(vars(record)) for record in caplog.records if record.name == "fracas.app"]
    assert sum("'name': 'aacalc'" in text for text in logged) == 2
    assert not any("tonks" in text for text in logged), "what players type is not logged"


@pytest.mark.parametrize("custom_id", ["p0:old:1", "nonsense", "a1:../../etc:edit", "j1:" + "x" * 90])
async def test_a_button_of_a_version_long_gone_says_so(table: Table, custom_id: str) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    rename(table, message.id, "▶️", custom_id)
    reply = answer(await table.ann.click(message, custom_id=custom_id))
    assert reply.ephemeral
    assert "older version" in text_of(reply)


async def test_an_action_that_no_desk_knows_says_so(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    (row,) = [component for component in message.components if str(component).count("a1:")]
    stored = row["components"][0]["custom_id"].split(":")[1]
    rename(table, message.id, "▶️", f"a1:{stored}:explode")
    reply = answer(await table.ann.click(message, custom_id=f"a1:{stored}:explode"))
    assert "older version" in text_of(reply)


async def test_a_page_beyond_the_end_is_the_last(table: Table) -> None:
    message = answer(await table.aacalc("6 tanks vs 10 inf"))
    stored = next(str(component).split("p1:")[1] for component in message.components if "p1:" in str(component)).split(
        ":"
    )[0]
    rename(table, message.id, "▶️", f"p1:{stored}:next:999999")
    turned = answer(await table.ann.click(message, custom_id=f"p1:{stored}:next:999999"))
    assert "**Share text**" in text_of(turned)


@pytest.mark.parametrize(("status", "code"), [(404, 10062), (401, 50027), (404, 10008)])
async def test_an_answer_that_can_not_be_delivered_any_more_is_logged_and_nothing_breaks(
    table: Table, caplog: pytest.LogCaptureFixture, status: int, code: int
) -> None:
    table.env.inject_error("POST", "/interactions/*", status=status, code=code, message="too late")
    await table.aacalc("6 tonks vs 10 inf")
    assert any("undelivered" in str(vars(record)) and record.levelno == logging.WARNING for record in caplog.records)
    assert "5.5 infantry" in text_of(answer(await table.aacalc("6 tanks vs 10 inf")))
    acknowledge(table)


def rename(table: Table, message_id: int, emoji: str, custom_id: str) -> None:
    """Give a button of a message another id, as an older version would have left it."""
    stored = table.env.backend.get_message(table.channel.id, message_id)

    def walk(nodes: list[dict[str, Any]]) -> None:
        for node in nodes:
            if (node.get("emoji") or {}).get("name") == emoji:
                node["custom_id"] = custom_id
            walk(node.get("components", []))

    walk(stored.components)


def test_a_plain_start_loads_nothing_that_outgrows_one_machine() -> None:
    program = (
        "import sys; from bot.cli import run; from bot.config import Settings; run.simulator_of(Settings());"
        "print([name for name in sys.modules if name.startswith(('bot.scale', 'asyncpg', 'dask', 'distributed'))])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout == "[]\n"
