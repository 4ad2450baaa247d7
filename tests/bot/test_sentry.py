import json
import logging
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.config import SettingsError
from bot.games.axis_allies.cog import CalcQuery
from bot.logging_setup import errors_reported, event
from tests.bot.conftest import Table, text_of
from tests.bot.test_app import acknowledge

pytest.importorskip("sentry_sdk", reason="pip install '.[test-all]' brings it")
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

pytestmark = pytest.mark.rest

DSN = "https://key@sentry.invalid/1"
TYPED = "77 tanks vs 991 inf"
LOCAL = "xyzzy-of-a-player"
_log = logging.getLogger("fracas.app")


class Mailbox(Transport):
    """Takes what would be sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.sent.append(envelope.serialize().decode())

    @property
    def events(self) -> list[dict[str, Any]]:
        """What was sent, read."""
        return [json.loads(text.splitlines()[2]) for text in self.sent]


@contextmanager
def reporting() -> Iterator[Mailbox]:
    mailbox = Mailbox()
    with errors_reported(DSN, "1.2.3", transport=mailbox):
        yield mailbox


def fail(*_: object) -> None:
    """Be a mistake of ours that quotes a player."""
    quoted = f"{TYPED} {LOCAL}"
    raise ZeroDivisionError(quoted) from KeyError(quoted)


async def test_an_error_of_a_command_comes_without_what_people_wrote_or_are_called(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CalcQuery, "build", fail)
    with reporting() as mailbox:
        result = await table.aacalc(TYPED)
    acknowledge(table)
    (sent,), (report,) = mailbox.sent, mailbox.events
    (reply,) = result.followups
    assert report["tags"] == {"reference": text_of(reply).split("`")[1]}
    assert (report["message"], report["level"], report["logger"]) == ("failed", "error", "fracas.app")
    kinds = [(value["module"], value["type"]) for value in report["exception"]["values"]]
    assert kinds == [("builtins", "KeyError"), ("builtins", "ZeroDivisionError")]
    frames = report["exception"]["values"][-1]["stacktrace"]["frames"]
    assert (frames[-1]["module"], frames[-1]["function"]) == (__name__, "fail")
    assert any(frame["module"].startswith("bot.") and frame["in_app"] for frame in frames)
    assert table.channel.guild is not None
    people = (table.ann.id, table.channel.id, table.channel.guild.id, "ann", "ben", socket.gethostname())
    for private in (TYPED, LOCAL, "tanks", str(Path.cwd()), *map(str, people)):
        assert not re.search(rf"\b{re.escape(private)}\b", sent), private
    assert set(report) == ALLOWED
    assert all(set(frame) == FRAME for frame in frames)


ALLOWED = {
    "environment", "event_id", "exception", "level", "logger", "message", "platform", "release", "sdk",
    "server_name", "tags", "timestamp",
}  # fmt: skip
FRAME = {"module", "filename", "function", "lineno", "in_app"}


def test_log_lines_are_sent_without_their_text_and_fields() -> None:
    with reporting() as mailbox:
        event(_log, "battle_damaged", level=logging.ERROR, battle=123456789, reason=LOCAL)
        logging.getLogger("discord.client").error("Ignoring exception in %s", LOCAL)
        logging.getLogger("asyncio").error(f"Task of {LOCAL} was destroyed")  # noqa: G004  # as asyncio does
        event(_log, f"a name {LOCAL}", level=logging.ERROR, reference=LOCAL)
        event(_log, "not_shown", level=logging.WARNING)
    assert LOCAL not in "".join(mailbox.sent)
    assert "123456789" not in "".join(mailbox.sent)
    names = [(report["logger"], report["message"]) for report in mailbox.events]
    here = "test_sentry.test_log_lines_are_sent_without_their_text_and_fields"
    assert names == [
        ("fracas.app", "battle_damaged"),
        ("discord.client", here),
        ("asyncio", here),
        ("fracas.app", here),
    ]
    assert not any(report.get("tags") for report in mailbox.events)


def test_nothing_is_sent_afterwards_or_unasked() -> None:
    with reporting() as mailbox:
        pass
    handlers = list(logging.getLogger().handlers)
    with errors_reported(None, "1.2.3"):
        assert logging.getLogger().handlers == handlers
    event(_log, "failed", level=logging.ERROR)
    assert mailbox.sent == []


def test_without_the_extra_the_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(SettingsError) as caught, errors_reported(DSN, "1.2.3"):
        pass
    assert str(caught.value) == "FRACAS_SENTRY_DSN needs the extra package: pip install 'fracas[sentry]'."
