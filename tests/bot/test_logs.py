import json
import logging
import re
from collections.abc import Iterator
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import Settings
from bot.logging_setup import VALUE_CHARACTERS, LineFormatter, configure, event, redacted, request_id

TOKEN = ".".join(("MTA" + "a" * 21, "Gabc-_", "s" * 38))
OTHER_TOKEN = ".".join(("NzI" + "b" * 23, "Xabcde", "t" * 27))
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"

log = logging.getLogger("fracas.test")


def fail(text: str) -> NoReturn:
    raise ValueError(text)


@pytest.fixture(autouse=True)
def undo() -> Iterator[None]:
    names = ("", "discord", "fracas", "bot", "sim")
    before = {name: (list(logging.getLogger(name).handlers), logging.getLogger(name).level) for name in names}
    yield
    for name, (handlers, level) in before.items():
        logging.getLogger(name).handlers[:] = handlers
        logging.getLogger(name).setLevel(level)


def settings(log_format: str = "text", log_level: str = "INFO") -> Settings:
    return Settings.model_validate({"log_format": log_format, "log_level": log_level, "discord_token": TOKEN})


def json_line(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    written = capsys.readouterr().err
    assert written.count("\n") == 1
    read: dict[str, object] = json.loads(written)
    return read


def record(**fields: object) -> logging.LogRecord:
    return logging.makeLogRecord({"msg": "x", "levelname": "INFO", "name": "fracas", "event": "x", "fields": fields})


def test_an_event_is_one_line_in_either_form() -> None:
    fields = {"name": "aacalc", "user": 2**62, "ms": 12.5, "private": False, "guild": None, "text": "6 tanks"}
    happened = {"created": 1795168800.7, "levelname": "INFO", "name": "fracas.app", "event": "command"}
    record = logging.makeLogRecord(happened | {"fields": fields})
    assert LineFormatter("text").format(record) == (
        "2026-11-20T10:00:00Z INFO  fracas.app event=command name=aacalc user=4611686018427387904 ms=12.5"
        ' private=false guild=null text="6 tanks"'
    )
    line = {"time": "2026-11-20T10:00:00Z", "level": "INFO", "logger": "fracas.app", "event": "command"}
    assert json.loads(LineFormatter("json").format(record)) == line | fields


def test_the_request_is_on_every_line_while_it_lasts(capsys: pytest.CaptureFixture[str]) -> None:
    configure(settings())
    token = request_id.set("r4")
    event(log, "a")
    logging.getLogger("discord.http").warning("slow")
    request_id.reset(token)
    event(log, "b")
    told = ["fracas.test event=a request=r4", "discord.http message=slow request=r4", "fracas.test event=b"]
    written = "".join(rf"{TIME} (INFO |WARNING) {re.escape(line)}\n" for line in told)
    assert re.fullmatch(written, capsys.readouterr().err)


def test_a_field_named_like_a_part_of_the_line_takes_nothing_over(capsys: pytest.CaptureFixture[str]) -> None:
    configure(settings("json"))
    event(log, "a", event="b", time=0, logger="c", request="d", trace="e", message="f")
    line = json_line(capsys)
    assert (line["event"], line["event_"], line["logger"], line["logger_"]) == ("a", "b", "fracas.test", "c")
    assert (line["time_"], line["request_"], line["trace_"], line["message_"]) == (0, "d", "e", "f")
    assert line["time"] != 0


FORGERY = "x\n2026-11-20T10:00:00Z INFO  fracas.app event=granted user=1\r\x1b[2K\u2028\u202e end=1"


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_player_can_not_forge_a_line(capsys: pytest.CaptureFixture[str], log_format: str) -> None:
    configure(settings(log_format))
    event(log, "command", text=FORGERY)
    log.info("they wrote %s", FORGERY)
    try:
        fail(FORGERY)
    except ValueError:
        log.exception("failed")
    lines = capsys.readouterr().err.splitlines()  # which breaks at every break that Unicode knows
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)


@given(st.text(st.characters()))
def test_any_text_is_one_line_and_can_be_read_back(text: str) -> None:
    line = LineFormatter("text").format(record(text=text))
    assert line.isprintable()
    value = line.partition(" text=")[2]
    assert (value if re.fullmatch(r'[^\s"=\\]+', value) else json.loads(value)) == text, "which forges no field either"
    line = LineFormatter("json").format(record(text=text))
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["text"] == text


@pytest.mark.parametrize("log_format", ["text", "json"])
@pytest.mark.parametrize("secret", [TOKEN, OTHER_TOKEN])
def test_tokens_are_taken_out_everywhere(capsys: pytest.CaptureFixture[str], log_format: str, secret: str) -> None:
    configure(settings(log_format))
    log.info("the token is %s.", secret)
    log.info(f"Authorization: Bot {secret}")  # noqa: G004  # a message that holds it without an argument
    log.info("%(token)s", {"token": secret})
    event(log, "start", token=secret, headers={"Authorization": f"Bot {secret}"})
    try:
        try:
            fail(secret)
        except ValueError as error:
            raise KeyError(secret) from error
    except KeyError as error:
        error.add_note(secret)
        log.exception("failed with %s", secret)
    written = capsys.readouterr().err
    assert written.count("\n") == 5
    assert written.count("[redacted]") >= 8
    assert not set(secret.split(".")) & set(re.split(r"[^\w-]", written))


ADDRESS = "https://discord.com/api/v10/webhooks/1/{}/messages/@original"


def test_the_very_token_and_an_interaction_s_are_taken_out_and_other_text_is_left_alone() -> None:
    assert redacted("a hunter2.", "hunter2") == "a [redacted].", "whatever its shape"
    assert redacted(ADDRESS.format("aW50ZXJhY3Rpb246MTI3Ojk4Nz-_x")) == ADDRESS.format("[redacted]")
    for harmless in ("6 tanks, 10 inf vs 3 fighters", "1.2.3", "discord.ext.commands", "a" * 500):
        assert redacted(harmless, TOKEN) == harmless


def test_a_traceback_is_a_field_of_the_line_in_every_form_that_it_comes_in(capsys: pytest.CaptureFixture[str]) -> None:
    configure(settings("json"))
    try:
        fail("inner")
    except ValueError as error:
        event(log, "broken", level=logging.ERROR, exc_info=True)
        event(log, "broken", exc_info=(ValueError, error.with_traceback(None), None))
    event(log, "whole", exc_info=True)  # with no error in hand
    log.warning("where", stack_info=True)
    raised, given, none, where = map(json.loads, capsys.readouterr().err.splitlines())
    assert re.fullmatch(r"(?s)Traceback \(most recent call last\):\n.*\nValueError: inner", raised["trace"])
    assert (given["trace"], "trace" in none) == ("ValueError: inner", False)
    assert "test_a_traceback_is_a_field" in where["trace"]


class Broken:
    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_values_without_text_or_json_misfits_and_very_long_ones_are_told_all_the_same() -> None:
    odd = record(broken=Broken(), huge=10**5000, nan=float("nan"), inf=float("-inf"), data=[1])
    assert (
        LineFormatter("text")
        .format(odd)
        .endswith('event=x broken="<unprintable Broken>" huge="<unprintable int>" nan=nan inf=-inf data=[1]')
    )
    read = json.loads(LineFormatter("json").format(odd))
    assert (read["broken"], read["nan"], read["inf"]) == ("<unprintable Broken>", "nan", "-inf")
    odd = logging.makeLogRecord({"msg": "%d of %d", "args": ("one\n",), "name": "fracas", "levelname": "INFO"})
    expected = r'''message="%d of %d ('one\\n',)"'''
    assert LineFormatter("text").format(odd).endswith(expected)
    line = LineFormatter("text").format(record(text="a" + "b" * 10**6 + "c"))
    assert len(line) < VALUE_CHARACTERS + 200
    assert 'text="ab' in line
    assert line.endswith('bc"')


@pytest.mark.parametrize(
    ("level", "log_level", "told"),
    [
        (logging.DEBUG, "DEBUG", ["fracas.app", "bot.app", "sim.core"]),  # of others not what players typed
        (logging.WARNING, "ERROR", []),
        (logging.ERROR, "ERROR", ["fracas.app", "bot.app", "sim.core", "discord.gateway", "aiosqlite"]),
    ],
)
def test_levels_of_our_own_loggers_and_of_others(
    capsys: pytest.CaptureFixture[str], level: int, log_level: str, told: list[str]
) -> None:
    configure(settings(log_level=log_level))
    for name in ("fracas.app", "bot.app", "sim.core", "discord.gateway", "aiosqlite"):
        logging.getLogger(name).log(level, "detail")
    assert re.findall(r"(\S+) message=detail", capsys.readouterr().err) == told


def test_each_line_is_written_once_whatever_was_set_up_before(capsys: pytest.CaptureFixture[str]) -> None:
    logging.getLogger().addHandler(logging.StreamHandler())
    logging.getLogger("discord").addHandler(logging.StreamHandler())
    configure(settings())
    configure(settings("json"))
    logging.getLogger("discord.client").info("logging in")
    assert json_line(capsys)["message"] == "logging in"


class Gone:
    def write(self, _text: str) -> None:
        raise BrokenPipeError


def test_a_broken_stream_tells_no_secret(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("sys.stderr", Gone())
        configure(settings())
    log.info("token %s", TOKEN)
    assert capsys.readouterr().err == ""
