"""Somebody who can reach a cluster without TLS: `python -m tests.bot.scale.stranger ADDRESS FILE`.

Tries every way to run a function of its own there, which would make the file, and prints how each one ended.
"""

import asyncio
import struct
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from distributed.protocol.serialize import Serialize, ToPickle

distributed: Any = import_module("distributed")  # it has few types


class Evil:
    """Pickled, a call that makes a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self._file,)


async def main(address: str, file: Path) -> None:
    async with distributed.Client(address, asynchronous=True, set_as_default=False) as client:
        (worker,) = (await client.scheduler.identity(n_workers=-1))["workers"]
        ways: dict[str, Any] = {
            "submit": client.submit(Path.touch, file).result(),
            "submit with a large argument": client.submit(touch, file, bytes(20 << 20)).result(),
            "run": client.run(Path.touch, file),
            "run on the scheduler": client.run_on_scheduler(Path.touch, file),
        }
        for place in (address, worker):
            ways |= {f"{kind.__name__} to {place}": say(place, kind(Evil(file))) for kind in (ToPickle, Serialize)}
            ways[f"huge to {place}"] = huge(place)
        for name, way in ways.items():
            try:
                end = repr(await asyncio.wait_for(way, 60))
            except Exception as error:  # noqa: BLE001  # whatever it is, it is told
                end = f"{type(error).__name__} {error}"
            sys.stdout.write(f"{name}: {' '.join(end.split())}\n")


def touch(file: Path, _: bytes) -> None:
    file.touch()


async def say(place: str, what: object) -> str:
    """Say something to a scheduler or worker that it reads before it looks at the request."""
    comm = await distributed.core.connect(place)
    await comm.write({"op": "identity", "reply": True, "what": what})
    return repr(await comm.read())


async def huge(place: str) -> bytes:
    """Begin a message of half a gigabyte, and return what is said after the greeting, until it hangs up."""
    url = urlsplit(place)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    await reader.read(1)
    writer.write(struct.pack("Q", 1 << 29) + bytes(1000))
    while await reader.read(1 << 16):
        pass
    return b"hung up"


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
