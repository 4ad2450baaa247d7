"""Builds the site: a folder of plain files that works from any static host, and from the disk.

The offline table serves it on this machine.

A browser lets a page on the disk load scripts, and nothing else. So everything big is in scripts of their own, as
base64 of what gzip made of it, and each hands its content to the page.
"""

import base64
import gzip
import hashlib
import json
import zipfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files
from io import BytesIO
from pathlib import Path

from aiohttp import web

import sim
from bot.listening import WebListener
from bot.replay_site.parts import PARTS, PYODIDE
from sim import __version__

RULES = "rules.zip"
WIDTHS = "widths.json"
HASHES = "hashes.txt"
_PAGE = ("index.html", "app.js", "style.css", "icon.svg")
_WORKER = "worker.js"
_LEFT_OUT = {"workers", "__pycache__"}
_DAWN = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file knows: the same files give the same bytes


def build(folder: Path, parts: Mapping[str, bytes], titles: Mapping[str, str]) -> dict[str, bytes]:
    """Write the site and return its files by their paths; `titles`: of battles, by their system.

    Files of an earlier site in the folder are replaced; OSError if it can't be written.
    """
    from sim.core.cards.fonts import advance_table  # noqa: PLC0415  # loads Pillow, which only this needs

    page = files("bot.replay_site") / "page"
    site = {name: (page / name).read_bytes() for name in _PAGE}
    widths = advance_table().model_dump_json().encode()
    packed = {**parts, RULES: rules_zip(), WIDTHS: widths, _WORKER: (page / _WORKER).read_bytes()}
    scripts = {f"parts/{name}.js": _script(name, data) for name, data in packed.items()}
    listed = [[name, len(scripts[f"parts/{name}.js"])] for name in packed]
    about = {"version": __version__, "pyodide": PYODIDE, "titles": dict(sorted(titles.items())), "parts": listed}
    site["about.js"] = f"Fracas.about({json.dumps(about)});\n".encode("ascii")
    licences = [f"Fracas {__version__}: MIT", *(f"{part.fetch}: {part.licence}" for part in PARTS)]
    site["licences.txt"] = "\n".join([*licences, ""]).encode()
    site |= scripts
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(site.items())]
    site[HASHES] = "".join(sums).encode("ascii")
    for name, data in site.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return site


def rules_zip() -> bytes:
    """Return `sim` without its worker processes as a zip file, the same bytes for the same files."""
    root = Path(sim.__path__[0])
    found = sorted(
        path for path in root.rglob("*") if path.is_file() and not _LEFT_OUT & {*path.relative_to(root).parts}
    )
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in found:
            info = zipfile.ZipInfo(path.relative_to(root.parent).as_posix(), _DAWN)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())
    return packed.getvalue()


def _script(name: str, data: bytes) -> bytes:
    """Return a script that hands `data` to the page."""
    text = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")
    return f'Fracas.part("{name}", "{text}");\n'.encode("ascii")


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
