"""`fracas replay-site DIR` and `fracas warm`: what is built before the bot starts."""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bot.battles.presenter import game_titles
from bot.cli.main import CommandError, parser_of
from bot.game import Games
from bot.replay_site.builder import HASHES, PartError, build, fetch, read_parts
from sim.jobs import kernel_cache
from sim.jobs.warm_up import warm_ups


def build_site(argv: Sequence[str]) -> int:
    """Build the site where you can watch a battle and check its dice, and say where it is and how large."""
    parser = parser_of("replay-site")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where to put the site")
    parser.add_argument(
        "--cache", type=Path, metavar="FOLDER", help="where to keep Python for browsers (default: the user's cache)"
    )
    parser.add_argument("--from", dest="given", type=Path, metavar="FOLDER", help="take its files here, fetch nothing")
    arguments = parser.parse_args(argv)
    Games.discover()
    cache = arguments.given or arguments.cache or cache_folder()
    try:
        if arguments.given is None:
            fetch(cache)
        site = build(arguments.folder, read_parts(cache), game_titles())
    except PartError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{error.filename or arguments.folder} can't be written: {error.strerror}.") from None
    size = sum(map(len, site.values())) / 1e6
    print(f"{arguments.folder}: {len(site)} files, {size:.1f} MB; {HASHES} lists their SHA-256.")
    print(f"Open {arguments.folder / 'index.html'}, or put the folder on any web server.")
    return 0


def cache_folder() -> Path:
    """Return where the user's programs keep what they can fetch again."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "fracas" / "replay-site"


def compile_kernels(argv: Sequence[str]) -> int:
    """Compile every kernel into its folder on disk; say where that is, and how long each game takes."""
    parser_of("warm").parse_args(argv)
    folder = kernel_cache.use_kernel_cache()
    if folder is None:
        raise CommandError("Compiled kernels can be kept nowhere; let NUMBA_CACHE_DIR name a folder open to writing.")
    if kernel_cache.is_complete():
        print(f"Nothing to compile: the kernels are in {folder}")
        return 0
    print(f"Compiling the kernels of the games, which takes a minute or so, into {folder}", flush=True)
    began = before = time.monotonic()
    for game in warm_ups():
        now = time.monotonic()
        print(f"{game}: {now - before:.1f} s", flush=True)
        before = now
    kernel_cache.mark_complete()
    size = sum(file.stat().st_size for file in folder.rglob("*"))
    print(f"Compiled in {time.monotonic() - began:.0f} s; {size / 1e6:.0f} MB.")
    return 0
