"""Gives Numba a folder on disk for compiled kernels, one for each state of their sources on this kind of machine.

Numba finds a compiled kernel by its file and line. It sees no change in what a kernel calls, and can't even look at a
kernel whose arguments' classes have moved. So another release, or an edit, gets another folder.
"""

import hashlib
import os
import platform
import re
import shutil
import sys
import tempfile
from importlib.abc import MetaPathFinder
from importlib.metadata import version
from pathlib import Path

from typing_extensions import override

import sim
from sim.jobs import source_folders

_VARIABLE = "NUMBA_CACHE_DIR"
_PREFIX = f"kernels-{sys.implementation.cache_tag}-"
_NUMBA = re.compile(rb"^\s*(from|import) (numba|sim\.core\.kernels)\b", re.MULTILINE)
_COMPLETE = "complete"
_CPU_INFO = Path("/proc/cpuinfo")
_PROCESSOR = ("vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU part", "Features")


def use_kernel_cache() -> Path | None:
    """Let Numba keep its kernels in their folder, in this process and in those it starts; before Numba is imported.

    Returns the folder, or None where none can be written to. It lies in NUMBA_CACHE_DIR if that is set, else beside the
    sources, else in the user's cache. Kernels that lie compiled in a folder that can only be read, as in an image, are
    copied to the next: Numba uses no folder that it can't write to.
    """
    if named := os.environ.get(_VARIABLE):
        folder = Path(named)  # perhaps set by the process that started this one
        places = [folder.parent if folder.name.startswith(_PREFIX) else folder]
    else:
        user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        places = [Path(sim.__file__).parent / "__pycache__", user / "fracas"]
    name = _PREFIX + _digest()
    delivered = None
    for folder in (place / name for place in places):
        if _is_writable(folder):
            os.environ[_VARIABLE] = str(folder)
            if delivered is not None and not is_complete():
                shutil.copytree(delivered, folder, ignore=shutil.ignore_patterns(_COMPLETE), dirs_exist_ok=True)
                mark_complete()
            return folder
        if (folder / _COMPLETE).exists():
            delivered = folder
    return None


def use_kernel_cache_with_numba() -> None:
    """Do so when Numba is imported, if it ever is: to find the folder takes longer than a quick command."""
    if "numba" not in sys.modules and not any(isinstance(finder, _BeforeNumba) for finder in sys.meta_path):
        sys.meta_path.insert(0, _BeforeNumba())


class _BeforeNumba(MetaPathFinder):
    """Finds no module itself, but is asked first."""

    @override
    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname == "numba":
            sys.meta_path.remove(self)
            use_kernel_cache()


def is_complete() -> bool:
    """Return whether every kernel has been compiled into the folder in use."""
    return _stamp().exists()


def mark_complete() -> None:
    """Note that every kernel has been compiled, and delete the folders of other releases."""
    stamp = _stamp()
    stamp.touch()
    for other in stamp.parent.parent.glob(f"{_PREFIX}*"):
        if other != stamp.parent:
            shutil.rmtree(other, ignore_errors=True)


def _stamp() -> Path:
    return Path(os.environ.get(_VARIABLE, "")) / _COMPLETE


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _digest() -> str:
    """Return a hash of everything that compiled kernels depend on.

    The sources are those with kernels, and all that lie beside them: helpers, constants, types.
    """
    digest = hashlib.sha256(f"{sys.version} {version('numba')} {platform.machine()}".encode())
    digest.update("".join(_processor()).encode())
    for root in source_folders():
        for folder in sorted({file.parent for file in root.rglob("*.py") if _NUMBA.search(file.read_bytes())}):
            for source in sorted(folder.glob("*.py")):
                digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _processor() -> list[str]:
    """Return what names the processor and what it can do: the one that Numba is told to compile for, else this one."""
    if told := os.environ.get("NUMBA_CPU_NAME"):
        return [told, os.environ.get("NUMBA_CPU_FEATURES", "")]
    if not _CPU_INFO.exists():
        return [platform.processor()]
    lines = _CPU_INFO.read_text().splitlines()
    return sorted({line for line in lines if line.partition(":")[0].strip() in _PROCESSOR})
