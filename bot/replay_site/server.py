"""Serves the site on this machine alone, for the offline table."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from bot.listening import WebListener

PATH = "/replay/"
_LOOPBACK = "127.0.0.1"


@asynccontextmanager
async def served(folder: Path, port: int = 0) -> AsyncIterator[str]:
    """Serve a site that was built into `folder`, and yield its address; `port` 0 takes any free one."""

    async def index(_: web.Request) -> web.FileResponse:
        return web.FileResponse(folder / "index.html")

    app = web.Application()
    app.router.add_get(PATH, index)
    app.router.add_static(PATH, folder)
    listener = WebListener(app, _LOOPBACK, port, "replay site")
    await listener.start()
    try:
        yield f"http://{_LOOPBACK}:{listener.addresses[0][1]}{PATH}"
    finally:
        await listener.close()
