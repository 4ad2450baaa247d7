"""The log: one event, one line, as text or JSON; no token gets in, and no player can forge a line.

Errors also go to Sentry where that is set up: which one happened where, and nothing that people wrote or are called.
"""

import json
import logging
import math
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, cast

from bot.config import TOKEN_SHAPE, Settings, SettingsError

if TYPE_CHECKING:
    from sentry_sdk import Client
    from sentry_sdk.types import Event

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the interaction being answered, on every log line; "" if there is none."""

OWN_LOGGERS = ("fracas", "bot", "sim")
VALUE_CHARACTERS = 20_000
REDACTED = "[redacted]"

# What starts with base64 of "interaction:" answers for the bot for 15 minutes; discord.py logs addresses with it.
_INTERACTION_TOKEN = re.compile(r"(?<![\w-])aW50ZXJhY3Rpb246[\w-]+", re.ASCII)
_BARE = re.compile(r'[^\s"=\\]+')
_RESERVED = frozenset({"time", "level", "logger", "event", "message", "request", "trace"})
_INT64 = 1 << 63

Plain = str | int | float | bool | None
ExcInfo = bool | BaseException | tuple[type[BaseException], BaseException, TracebackType | None] | None


def event(
    logger: logging.Logger, name: str, /, *, level: int = logging.INFO, exc_info: ExcInfo = None, **fields: object
) -> None:
    """Log that something happened: `event(log, "command", name="pig chance", ms=12)`.

    Numbers, booleans and None stay what they are; every other value is written as text. A field that is named
    like one of the line's own parts (time, level, logger, event, message, request, trace) gets a "_" behind
    its name. `exc_info` means what it means in `logging`.
    """
    logger.log(level, name, exc_info=exc_info, extra={"event": name, "fields": fields}, stacklevel=2)


def configure(settings: Settings) -> None:
    """Send every log line to stderr in the form the settings ask for; a later call replaces an earlier one.

    `log_level` is for Fracas's own loggers. Other people's packages tell nothing below INFO, where they would
    write out what players typed. discord.py's own set-up must stay off (`log_handler=None`).
    """
    token = "" if settings.discord_token is None else settings.discord_token.get_secret_value()
    handler = LineHandler(sys.stderr)
    handler.setFormatter(LineFormatter(settings.log_format, token))
    for logger in (root := logging.getLogger(), logging.getLogger("discord")):
        for old in list(logger.handlers):
            # Earlier handlers neither redact nor escape.
            if isinstance(old, LineHandler) or type(old) is logging.StreamHandler:
                logger.removeHandler(old)
    root.addHandler(handler)
    level = logging.getLevelNamesMapping()[settings.log_level]
    root.setLevel(max(level, logging.INFO))
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(level)
    discord = logging.getLogger("discord")
    discord.setLevel(logging.NOTSET)
    discord.propagate = True


def redacted(text: str, token: str = "") -> str:
    """Return a text with "[redacted]" in the place of the bot's token, and of whatever has the shape of a token."""
    if token:
        text = text.replace(token, REDACTED)
    return _INTERACTION_TOKEN.sub(REDACTED, TOKEN_SHAPE.sub(REDACTED, text))


class LineHandler(logging.StreamHandler):  # type: ignore[type-arg]  # the class takes no argument at run time
    """Writes the lines; ignores stream errors."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's name
        """Do nothing: the formatter can't fail, and a broken stream can't be reported.

        The inherited method prints the raw message and its arguments, secrets included.
        """


class LineFormatter(logging.Formatter):
    """Makes one line of each record, as `text` or `json`, without the bot's `token`; never fails."""

    def __init__(self, form: Literal["text", "json"], token: str = "") -> None:
        super().__init__()
        self._form = form
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line without control characters."""
        time = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        contents = self._contents(record)
        if self._form == "json":
            head: dict[str, Plain] = {"time": time, "level": record.levelname, "logger": record.name}
            return json.dumps(head | contents)
        pairs = " ".join(f"{name}={as_text(value)}" for name, value in contents.items())
        return f"{time} {record.levelname:<5} {as_text(record.name)} {pairs}"

    def _contents(self, record: logging.LogRecord) -> dict[str, Plain]:
        """Return what the line tells, in order, redacted and cut."""
        name = getattr(record, "event", None)
        contents: dict[str, object] = {"message": _message(record)} if name is None else {"event": name}
        for field, value in getattr(record, "fields", {}).items():
            contents[f"{field}_" if field in _RESERVED else field] = value
        if request := request_id.get():
            contents["request"] = request
        if trace := _trace(record):
            contents["trace"] = trace
        return {name: self._clean(value) for name, value in contents.items()}

    def _clean(self, value: object) -> Plain:
        value = plain(value)
        if not isinstance(value, str):
            return value
        value = redacted(value, self._token)  # before cutting, lest half a token stays
        if len(value) <= VALUE_CHARACTERS:
            return value
        half = VALUE_CHARACTERS // 2
        return f"{value[:half]} […] {value[-half:]}"


def plain(value: object) -> Plain:
    """Return a value that JSON can hold: itself where it can be, otherwise its text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and -_INT64 <= value < _INT64:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    try:
        return str(value)
    except Exception:  # noqa: BLE001  # a value that can't be written must not take the event with it
        return f"<unprintable {type(value).__name__}>"


def as_text(value: Plain) -> str:
    """Return a value for a text line: bare where that is unmistakable, otherwise quoted and escaped."""
    if not isinstance(value, str):
        return json.dumps(value)
    if value.isprintable() and _BARE.fullmatch(value):
        return value
    # What isn't printable are line and page breaks, direction marks and zero-width ones.
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(each if each.isprintable() else json.dumps(each).strip('"') for each in quoted)


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # noqa: BLE001  # a message that doesn't fit its arguments is still worth reading
        return f"{plain(record.msg)} {plain(record.args)}"


def _trace(record: logging.LogRecord) -> str:
    parts = []
    if record.exc_info:
        if record.exc_info[1] is not None:  # as it is after exc_info=True with no error in hand
            parts.append("".join(traceback.format_exception(record.exc_info[1])))
    elif record.exc_text:
        parts.append(record.exc_text)
    if record.stack_info:
        parts.append(record.stack_info)
    return "\n".join(part.rstrip("\n") for part in parts)


MAX_CHAIN = 10
CLOSE_SECONDS = 2.0
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{0,63}")
_REFERENCE = re.compile("[0-9a-f]{6}")


@contextmanager
def errors_reported(dsn: str | None, release: str, **options: Any) -> Iterator[None]:  # noqa: ANN401  # the client's
    """Report what is logged as an error to the Sentry of `dsn`; with None do nothing.

    SettingsError when the extra isn't installed.
    """
    if dsn is None:
        yield
        return
    try:
        from sentry_sdk import Client  # noqa: PLC0415  # an extra
    except ImportError:
        raise SettingsError("FRACAS_SENTRY_DSN needs the extra package: pip install 'fracas[sentry]'.") from None
    client = Client(
        dsn=dsn,
        release=release,
        server_name="fracas",  # by itself it tells the machine's name
        # Integrations would add what is in the log's records, in variables and on the command line.
        default_integrations=False,
        auto_enabling_integrations=False,
        auto_session_tracking=False,
        include_local_variables=False,
        include_source_context=False,
        max_breadcrumbs=0,
        **options,
    )
    handler = ErrorReports(client)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        client.close(timeout=CLOSE_SECONDS)


class ErrorReports(logging.Handler):
    """Sends errors as events that hold words of the program only.

    The texts of exceptions and of log messages may quote what players typed, and a log event's fields are people and
    servers: of all these only the reference is sent that the player reads.
    """

    def __init__(self, client: "Client") -> None:
        super().__init__(logging.ERROR)
        self._client = client

    def emit(self, record: logging.LogRecord) -> None:
        """Report one error."""
        if record.name.startswith("sentry_sdk"):
            return
        report: dict[str, Any] = {"level": record.levelname.lower(), "logger": record.name, "tags": {}}
        name = str(getattr(record, "event", ""))
        report["message"] = name if _WORD.fullmatch(name) else f"{record.module}.{record.funcName}"
        reference = str(getattr(record, "fields", {}).get("reference", ""))
        if _REFERENCE.fullmatch(reference):
            report["tags"]["reference"] = reference
        if record.exc_info and record.exc_info[1] is not None:
            report["exception"] = {"values": [_exception(error) for error in _chain(record.exc_info[1])]}
        self._client.capture_event(cast("Event", report))


def _chain(error: BaseException | None) -> list[BaseException]:
    """Return an error after those that it came from, the oldest first, as Sentry wants them."""
    chain: list[BaseException] = []
    while error is not None and error not in chain and len(chain) < MAX_CHAIN:
        chain.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return chain[::-1]


def _exception(error: BaseException) -> dict[str, Any]:
    frames = [
        {
            "module": module,
            "filename": f"{module.replace('.', '/')}.py",
            "function": frame.f_code.co_name,
            "lineno": line,
            "in_app": module.partition(".")[0] in {"bot", "sim"},
        }
        for frame, line in traceback.walk_tb(error.__traceback__)
        for module in [frame.f_globals.get("__name__", "?")]
    ]
    kind = type(error)
    return {"type": kind.__name__, "module": kind.__module__, "stacktrace": {"frames": frames}}
