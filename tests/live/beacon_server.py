"""The tests' beacon on loopback: it signs rounds when they are due, and may be away."""

import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import web

from sim.core.beacon import Beacon
from tests.beacon import CHAIN, sign


@dataclass
class LittleBeacon:
    """A host of a `chain`; `asked`: for which rounds, one after the other."""

    chain: Beacon = CHAIN
    mood: Literal["away", "well"] = "well"
    address: str = ""
    asked: list[int] = field(default_factory=list)

    async def handle(self, request: web.Request) -> web.Response:
        """Answer a request for a round."""
        number = int(request.match_info["round"])
        self.asked.append(number)
        if self.mood == "away" or time.time() < self.chain.due(number):
            return web.Response(status=503)
        return web.json_response({"round": number, "randomness": "00" * 32, "signature": sign(number)})


@contextlib.asynccontextmanager
async def little_beacon(chain: Beacon = CHAIN) -> AsyncIterator[LittleBeacon]:
    """Run a host."""
    beacon = LittleBeacon(chain)
    app = web.Application()
    app.router.add_get(f"/{chain.chain}/public/{{round:[0-9]+}}", beacon.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    beacon.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield beacon
    await runner.cleanup()
