"""The page of the offline table: simcord's preview with Fracas's own looks, live updates, and lines that run.

Touches private parts of simcord, which is pinned exactly for it; tests in a browser hold each of them.
"""

import asyncio
import contextlib
import dataclasses
import logging
import os
import re
import secrets
import struct
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import simcord
import simcord.preview
from aiohttp import web
from simcord.preview import Preview
from simcord.preview._server import PreviewServer

from bot.logging_setup import event
from bot.offline.lines import Commands, Line, understand

if TYPE_CHECKING:
    from simcord.actors import MemberActor
    from simcord.builders import ChannelHandle
    from simcord.preview._pages import _Page

_log = logging.getLogger("fracas.offline")

_PAGE: Final = Path(__file__).with_name("page")
_KEY = re.compile(r"[\w-]{43}")
_PUBLISH_SECONDS = 0.2
"""How often an open page gets to see what changed."""

_TIME_SECONDS = 2.0
"""How often the bot's own timers get to run."""

_SHARE = 4
"""How long it rests, by how long it took: much to show is shown less often."""

_TYPES: Final = {"fracas.css": "text/css", "fracas.js": "application/javascript", "fracas.svg": "image/svg+xml"}
_WORDS: Final = (
    ("<title>SimCord Preview</title>", "<title>Fracas</title>"),
    (
        "</head>",
        """<link rel="icon" href="/fracas.svg"><link rel="stylesheet" href="/fracas.css">
        <script defer src="/fracas.js"></script></head>""",
    ),
)
"""What becomes what in simcord's page."""

_PICTURES: Final = {b"\x89PNG\r\n\x1a\n": ("image/png", ">16xII"), b"GIF8": ("image/gif", "<6xHH")}
"""What a picture's first bytes say that it is, and where they say how large."""


def read_key(file: Path) -> str:
    """Return the secret part of the table's address, the same at each start so that open tabs go on after one.

    It lies in `file`, for the user's eyes only; where none can be written, only the log says so.
    """
    try:
        kept = file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        kept = ""
    if _KEY.fullmatch(kept):
        return kept
    key = secrets.token_urlsafe(32)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as opened:
            opened.write(key)
    except OSError as error:
        event(_log, "no_table_key", level=logging.WARNING, path=str(file), reason=error.strerror)
    return key


def _known(body: bytes) -> tuple[str, str] | None:
    """Return which kind of picture this is, and how its size is read; None for anything else."""
    return next((known for start, known in _PICTURES.items() if body.startswith(start)), None)


class Site(PreviewServer):
    """Serves simcord's page with our name, style and script in it; simcord checks Host, Origin and key as ever."""

    _STATIC_FILES: ClassVar[dict[str, str]] = {
        **PreviewServer._STATIC_FILES,  # noqa: SLF001  # our own, inherited
        **{f"/{name}": name for name in _TYPES},
    }

    def __init__(self, preview: Preview, port: int) -> None:
        super().__init__(preview, port)
        self._ours = {f"/{name}": (kind, (_PAGE / name).read_text(encoding="utf-8")) for name, kind in _TYPES.items()}
        page = Path(simcord.preview.__file__).with_name("static").joinpath("index.html").read_text(encoding="utf-8")
        for theirs, ours in _WORDS:
            if theirs not in page:
                raise RuntimeError(f"simcord's page has no {theirs!r} any more")
            page = page.replace(theirs, ours)
        self._ours["/"] = ("text/html", page)

    def _authorized(self, request: web.Request, *, context: str | None = None) -> bool:
        """Answer 503 while the table opens or closes: a page that is told it is unknown would reload, and be lost."""
        if not self.preview._active:  # noqa: SLF001  # simcord's
            raise web.HTTPServiceUnavailable
        allowed: bool = super()._authorized(request, context=context)
        return allowed

    async def _static(self, request: web.Request) -> web.Response:
        if request.path not in self._ours:
            response: web.Response = await super()._static(request)
            return response
        if request.headers.get("Host", "") not in self._allowed_hosts():
            raise web.HTTPForbidden
        kind, text = self._ours[request.path]
        return web.Response(text=text, content_type=kind, headers=self._SECURITY_HEADERS)


class PatientEnv(simcord.Env):
    """A Discord that waits its `settle_timeout` for a start, too; simcord gives one five seconds, on any machine."""

    async def _settle_internal(self, *, timeout: float | None = None, **how: Any) -> None:  # noqa: ANN401, ASYNC109  # simcord's own
        await super()._settle_internal(timeout=None if timeout is None else max(timeout, self.settle_timeout), **how)


def set_clock(env: simcord.Env) -> None:
    """Let the simulated Discord show what time it is; by itself its clock stands still, on a day long ago."""
    env.backend.advance_clock(_seconds_behind(env))


def _seconds_behind(env: simcord.Env) -> float:
    """Return by how much the clock of the simulated Discord is behind the machine's."""
    return max(0.0, time.time() - env.now().timestamp())


class TableEnv(PatientEnv):
    """A Discord that calls no action failed for an error: the bot answers and logs its own."""

    def errors_since(self, _: int) -> tuple[BaseException, ...]:
        """Return none."""
        return ()


class TablePreview(Preview):
    """What the page asks of the table: simcord's actions one after the other, on what each page last showed.

    A message that reads as a command runs as one. Every page is published anew when something changes, no matter where.
    """

    def __init__(
        self,
        env: TableEnv,
        channel: "ChannelHandle",
        viewers: "Sequence[MemberActor]",
        *,
        port: int,
        key: str,
        commands: Commands,
    ) -> None:
        super().__init__(
            env,
            channel,
            tuple(viewers),
            layout="channel",
            display="responsive",
            width=960,
            height=720,
            locale="en-US",
            timezone="UTC",
            presentation_time=None,
            assets=None,
            port=port,
        )
        self.capability = key
        self._server = Site(self, port)
        self._commands = commands
        self._turn = asyncio.Lock()
        self._news = asyncio.Event()
        self._changes: dict[str, dict[str, int]] = {}
        env.backend.subscribers.append(lambda *_: self._news.set())

    async def keep_current(self) -> None:
        """Publish what changes to the open pages, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await self._news.wait()
            self._news.clear()
            begun = loop.time()
            self._advance_presentation_time()
            for page in tuple(self._pages.values()):
                if page is not self._python and page.id in self._pages:
                    self._publish(page, reason="refresh")
            await asyncio.sleep(max(_PUBLISH_SECONDS, _SHARE * (loop.time() - begun)))

    async def keep_time(self) -> None:
        """Let time pass for the simulated Discord, in which the bot's timers stand still, until cancelled."""
        while True:
            await asyncio.sleep(_TIME_SECONDS)
            async with self._turn:
                with contextlib.suppress(TimeoutError):  # a busy machine; the rest of the time passes next time
                    await self.env.advance_time(_seconds_behind(self.env))

    def _publish(self, page: "_Page", *, reason: Any = "action") -> None:  # noqa: ANN401  # a word of simcord's
        before = page.snapshot.get("messages", {})
        super()._publish(page, reason=reason)
        self._changes = {key: changes for key, changes in self._changes.items() if key in self._pages}
        changes = self._changes.setdefault(page.id, {})
        for message, shown in page.snapshot.get("messages", {}).items():
            if shown != before.get(message):
                changes[message] = page.revision

    async def _action(self, context_id: str | None, body: object) -> dict[str, Any]:
        async with self._turn:  # simcord refuses an action during another one
            page = self._get_page(context_id)
            return await self._act(page, dict(body) if isinstance(body, Mapping) else {})

    async def _act(self, page: "_Page", body: dict[str, Any]) -> dict[str, Any]:
        """Perform an action though the page was published since, but for a press of what isn't there any more."""
        seen, kind = body.get("published_revision"), body.get("kind")
        if isinstance(seen, int):
            if kind in {"click", "select"}:
                self._publish(page, reason="refresh")  # simcord counts buttons: another one may stand there by now
                if seen < self._changes[page.id].get(str(body.get("target_id")), 0):
                    why = {"sentence": "This message has just changed; look again, then press."}
                    return self._refusal(page, body, why)
            body["published_revision"] = page.revision
        if kind in {"send_message", "run_command"}:
            page.window_end_id = page.target_id = None  # who speaks wants to see the answer
        if kind == "send_message" and isinstance(text := body.get("content"), str) and not body.get("reply_to_id"):
            line = understand(text, self._commands)
            if line is not None:
                return await self._run(page, body, line)
        return await super()._action(page.id, body)

    async def _run(self, page: "_Page", body: dict[str, Any], line: Line) -> dict[str, Any]:
        if line.sentence:
            return self._refusal(page, body, dataclasses.asdict(line))
        entry = next(entry for entry in page.command_catalog["entries"] if entry["invocation"] == line.command)
        body |= {
            "kind": "run_command",
            "command_id": entry["commandId"],
            "path": entry["path"],
            "schema_fingerprint": entry["schemaFingerprint"],
            "options": dict(line.options),
        }
        result = await super()._action(page.id, body)
        for found in result["diagnostics"]:
            if option := (found.get("subject") or {}).get("commandOption"):
                sentence = f"{option} doesn't take this; choose another value."
                wrong = dataclasses.replace(line, sentence=sentence, option=option)
                return self._refusal(page, body, dataclasses.asdict(wrong))
        return result

    async def _prepare_asset(
        self,
        context_id: str | None,
        asset_id: str,
        *,
        download: bool = False,
        capture: bool = False,
        poster: bool = False,
        media_time: float | None = None,
    ) -> tuple[str, bytes, str]:
        """Hand out a picture as it is; simcord would start a process for each, and for no more than eight at a time."""
        _, record, body = self._authorized_asset(context_id, asset_id)
        known = _known(body)
        if known is not None and not (download or capture or poster):
            return known[0], body, record.filename
        return await super()._prepare_asset(
            context_id, asset_id, download=download, capture=capture, poster=poster, media_time=media_time
        )

    def _reconcile_assets(self, page: "_Page") -> None:
        """Tell how large the pictures are, so that the page leaves room for them: what jumps away closes its list."""
        super()._reconcile_assets(page)
        for record in page.assets.values():
            body = b"" if record.digest is None or record.validated else self._blobs[record.digest].data
            if (known := _known(body)) is not None:
                record.width, record.height = struct.unpack_from(known[1], body)
                record.validated = True

    def _refusal(self, page: "_Page", body: Mapping[str, Any], why: dict[str, Any]) -> dict[str, Any]:
        """Return an answer that did nothing, with what the page is to say, and perhaps the form to open."""
        refused = self._result(
            page,
            request_id=body.get("request_id"),
            sequence=body.get("sequence"),
            rejected=True,
            dispatch="not_dispatched",
            acknowledgement="pending",
            settlement="rejected",
            diagnostics=[],
        )
        return {**refused, "fracas": why}
