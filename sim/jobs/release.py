"""Names the sources that run here, for people in `version`, and for machines in `release`."""

import argparse
import hashlib
import platform
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import sim
from sim import __version__
from sim.jobs import source_folders

_ROOT = Path(sim.__file__).parent.parent


@cache
def version() -> str:
    """Return the version of exactly these sources, `1.2.3+g1a2b3c4.5d6e7f80`: no two states have the same.

    In a clone it has git's commit, and everywhere a hash of all our files, which is the same in a wheel built from it.
    """
    digest = hashlib.sha256()
    _add_files(digest, [_ROOT / "bot", _ROOT / "sim"])
    return f"{__version__}+{_commit()}{digest.hexdigest()[:8]}"


def _commit() -> str:
    if not (_ROOT / ".git").exists():  # else git would look for one further up, of whatever
        return ""
    command = ["git", "-C", str(_ROOT), "rev-parse", "--short=7", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  # nothing of others
    except (OSError, subprocess.CalledProcessError):
        return ""  # there is no git, or it doesn't trust the clone: the hash tells enough
    return f"g{found.stdout.strip()}."


@cache
def release() -> str:
    """Return which rules run here, the games' too, and what they are computed with, in a line.

    Machines with the same line give the same answers.
    """
    digest = hashlib.sha256(platform.python_version().rpartition(".")[0].encode())
    for library in ("numpy", "numba", "pydantic"):
        digest.update(f"{library} {version_of(library)}".encode())
    _add_files(digest, source_folders())
    return f"Fracas {__version__} ({digest.hexdigest()[:8]})"


def _add_files(digest: "hashlib._Hash", folders: Iterable[Path]) -> None:
    """Add the names and contents of all files, but what Python and Numba have compiled."""
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(folder).as_posix()}".encode() + file.read_bytes())


class VersionAction(argparse.Action):
    """Prints the version, which takes a moment to find, and ends the program."""

    def __init__(self, option_strings: list[str], **_: Any) -> None:  # noqa: ANN401  # argparse's own
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help="print which version this is")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print it."""
        sys.stdout.write(f"Fracas {version()}\n")
        parser.exit()
