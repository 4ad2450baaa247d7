"""Errors to Sentry, for who asks for it: which error happened where, and nothing that people wrote or are called."""

import logging
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from bot.config import SettingsError

if TYPE_CHECKING:
    from sentry_sdk import Client
    from sentry_sdk.types import Event

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
        _frame(frame.f_globals.get("__name__", "?"), frame.f_code.co_name, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    kind = type(error)
    return {"type": kind.__name__, "module": kind.__module__, "stacktrace": {"frames": frames}}


def _frame(module: str, function: str, line: int) -> dict[str, Any]:
    own = module.partition(".")[0] in {"bot", "sim"}
    return {
        "module": module,
        "filename": f"{module.replace('.', '/')}.py",
        "function": function,
        "lineno": line,
        "in_app": own,
    }
