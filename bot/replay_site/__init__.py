"""The static site that replays a battle in a browser and checks its dice with the rules' own code; this builds it.

It is a folder of plain files that works from any static host, and from the disk. The offline table serves it on this
machine. What isn't ours is pinned, and checked when it is fetched: Python for browsers from npm, and wheels.

A browser lets a page on the disk load scripts, and nothing else. So everything big is in scripts of their own, as
base64 of what gzip made of it, and each hands its content to the page.
"""

import base64
import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from aiohttp import web

import sim
from bot.config import OperatorError
from bot.listening import WebListener
from sim import __version__

PYODIDE = "314.0.7"
PYODIDE_FILES = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide.asm.mjs", "pyodide.mjs")
_PLATFORM = ("3.14", "cp314", "pyemscripten_2026_0_wasm32")
_PATIENCE = 600


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a registry: `fetch` is what npm (name@version) or pip (name==version) knows it by, `tag` a wheel's."""

    fetch: str
    license: str
    sha256: str
    tag: str = "py3-none-any"

    @property
    def file(self) -> str:
        """Its name there."""
        if "@" in self.fetch:
            return f"{self.fetch.replace('@', '-')}.tgz"
        return f"{self.fetch.replace('-', '_').replace('==', '-')}-{self.tag}.whl"


PARTS = (
    Part(
        f"pyodide@{PYODIDE}",
        "MPL-2.0, with CPython under PSF-2.0",
        "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
    ),
    Part(
        "pydantic_core==2.50.4",
        "MIT",
        "e6da138a1ecc1341c8b788a5ee822670b03788e1f5decf7af9d461de6e508b8e",
        "cp314-cp314-pyemscripten_2026_0_wasm32",
    ),
    Part("pydantic==2.14.3", "MIT", "3f7b347782ab7e4cf4c798496ae3a82787d9f21ec12676a9c564355eeef8daa8"),
    Part("annotated-types==0.8.0", "MIT", "f072f4d804ea359e4eaf198b1af7a8b0943881a87f31bb764f8bf219bb9419e0"),
    Part("typing-extensions==4.16.0", "PSF-2.0", "481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8"),
    Part("typing-inspection==0.4.5", "MIT", "bc210535442b39e1bf2805e0c7a17dfd6a4ace760c84c7f7d16245d23a6b1c39"),
)
"""pydantic must be the version that the wheel of pydantic_core belongs to."""


def fetch(folder: Path) -> None:
    """Fetch the parts that a folder doesn't have yet; OperatorError if one can't be had."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        if not (folder / part.file).exists():
            with TemporaryDirectory(dir=folder) as scratch:
                _fetch(part, Path(scratch))
                _check(part, Path(scratch))
                (Path(scratch) / part.file).replace(folder / part.file)


def read_parts(folder: Path) -> dict[str, bytes]:
    """Return the parts' files by name, those of Pyodide unpacked; OperatorError if one is missing or another one."""
    found = {part.file: _check(part, folder) for part in PARTS}
    archive = folder / PARTS[0].file
    with tarfile.open(archive) as packed:
        for name in PYODIDE_FILES:
            member = packed.extractfile(f"package/{name}")
            if member is None:
                raise OperatorError(f"{archive} has no {name}.")
            found[name] = member.read()
    del found[archive.name]
    return found


def _check(part: Part, folder: Path) -> bytes:
    try:
        data = (folder / part.file).read_bytes()
    except OSError as error:
        raise OperatorError(f"{folder / part.file} can't be read: {error.strerror}.") from None
    found = hashlib.sha256(data).hexdigest()
    if found != part.sha256:
        raise OperatorError(
            f"{folder / part.file} isn't the file that this version was tested with; its SHA-256 is {found}."
        )
    return data


def _fetch(part: Part, folder: Path) -> None:
    """Let npm or pip put a part into a folder; OperatorError with what they say if they don't."""
    command: Sequence[str]
    if part.file.endswith(".tgz"):
        tool, npm = "npm", shutil.which("npm")
        if npm is None:
            raise OperatorError("npm fetches Python for browsers, and isn't installed; install Node.js, or see --from.")
        command = (npm, "pack", "--silent", part.fetch)
    else:
        tool, (version, abi, platform) = "pip", _PLATFORM
        command = (
            *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"),
            *("--only-binary", ":all:", "--implementation", "cp", "--python-version", version, "--abi", abi),
            *("--platform", platform, "--dest", ".", part.fetch),
        )
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_PATIENCE, check=False)  # noqa: S603  # npm or pip, with arguments of ours
    except subprocess.TimeoutExpired:
        raise OperatorError(f"{part.fetch} took more than {_PATIENCE // 60} minutes to come.") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason given"]
        raise OperatorError(f"{tool} can't fetch {part.fetch} ({lines[-1].strip()[:200]}).")


RULES = "rules.zip"
WIDTHS = "widths.json"
HASHES = "hashes.txt"
_PAGE = ("index.html", "app.js", "style.css", "icon.svg")
_WORKER = "worker.js"
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
    licenses = [f"Fracas {__version__}: MIT", *(f"{part.fetch}: {part.license}" for part in PARTS)]
    site["licenses.txt"] = "\n".join([*licenses, ""]).encode()
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
    root, left_out = Path(sim.__path__[0]), {"workers", "__pycache__"}
    found = sorted(
        path for path in root.rglob("*") if path.is_file() and left_out.isdisjoint(path.relative_to(root).parts)
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
async def served(folder: Path) -> AsyncIterator[str]:
    """Serve a site that was built into `folder` at any free port, and yield its address."""

    async def index(_: web.Request) -> web.FileResponse:
        return web.FileResponse(folder / "index.html")

    app = web.Application()
    app.router.add_get(PATH, index)
    app.router.add_static(PATH, folder)
    async with WebListener(app, _LOOPBACK, 0, "replay site").listening() as (host, port):
        yield f"http://{host}:{port}{PATH}"
