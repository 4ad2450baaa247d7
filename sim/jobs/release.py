"""Which rules run here, in a line: machines with the same line give the same answers."""

import hashlib
import platform
from functools import cache
from importlib.metadata import version

from sim import __version__
from sim.jobs.discovery import source_folders

_LIBRARIES = ("numpy", "numba", "pydantic")


@cache
def release() -> str:
    """Return the version of Fracas, and a hash of all rules, the games' too, and of what they are computed with."""
    digest = hashlib.sha256(platform.python_version().rpartition(".")[0].encode())
    for library in _LIBRARIES:
        digest.update(f"{library} {version(library)}".encode())
    for folder in source_folders():
        for source in sorted(folder.rglob("*.py")):
            digest.update(f"{source.relative_to(folder)}".encode() + source.read_bytes())
    return f"Fracas {__version__} ({digest.hexdigest()[:8]})"
