"""A beacon of the tests' own, whose secret is known here: it signs any round, wrongly, and before it is due.

Its hosts are on loopback: one that signs rounds when they are due, and any other.
"""

import contextlib
import hashlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import web
from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from sim.core.beacon import TAG, Beacon

_SECRET = Scalar.from_le_bytes(hashlib.sha256(b"fracas tests").digest()[:31] + b"\0")

CHAIN = Beacon(
    name="the tests' beacon",
    genesis=1_600_000_000,
    period=1,
    key=bytes((G2Point() * _SECRET).to_compressed_bytes()).hex(),
    group="00" * 32,
    beacon_id="tests",
)

SIGNED = {
    42: "95a9f9f5b231b7714de1553105d8ffdf3dcda24cfdb1e689319bccf79a9c8ce430a91b811fbfaf763900bc998b5d686a",
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    657413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
}
"""What drand's quicknet signed, by round."""


def sign(number: int) -> str:
    """Return the signature of a round."""
    hashed = G1Point.hash_to_curve(hashlib.sha256(number.to_bytes(8, "big")).digest(), TAG)
    return bytes((hashed * _SECRET).to_compressed_bytes()).hex()


@contextlib.asynccontextmanager
async def host_of(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    """Run a host, and yield its address."""
    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@dataclass
class LittleBeacon:
    """A host of a `chain`, which may be away; `asked`: for which rounds, one after the other."""

    chain: Beacon = CHAIN
    mood: Literal["away", "well"] = "well"
    address: str = ""
    asked: list[int] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        """Answer a request for a round."""
        number = int(request.path.removeprefix(f"/{self.chain.chain}/public/"))
        self.asked.append(number)
        if self.mood == "away" or time.time() < self.chain.due(number):
            return web.Response(status=503)
        return web.json_response({"round": number, "randomness": "00" * 32, "signature": sign(number)})


@contextlib.asynccontextmanager
async def little_beacon(chain: Beacon = CHAIN) -> AsyncIterator[LittleBeacon]:
    """Run such a host."""
    beacon = LittleBeacon(chain)
    async with host_of(beacon.answer) as beacon.address:
        yield beacon
