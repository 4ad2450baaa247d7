"""Files that get their name when they are whole."""

import os
from pathlib import Path

UNFINISHED = ".part"
"""What a file's name ends in before."""


def put_in_place(part: Path, file: Path) -> None:
    """Give a finished file its name, safely on the disk."""
    with part.open("rb+") as written:
        os.fsync(written.fileno())
    part.replace(file)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
