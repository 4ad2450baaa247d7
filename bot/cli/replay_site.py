"""`fracas replay-site DIR`: builds the site on which anybody can watch a battle and check its dice."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.battles.presenter import titles
from bot.cli.options import CommandError, parser_of
from bot.game import Games
from bot.replay_site.builder import HASHES, build
from bot.replay_site.parts import PartError, fetch, read_parts


def main(argv: Sequence[str]) -> int:
    """Build the site, and say where it is and how large."""
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
        site = build(arguments.folder, read_parts(cache), titles())
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
