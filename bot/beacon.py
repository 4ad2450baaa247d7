"""Fetches the rounds of the public beacon, each once for all battles that wait for it."""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

import aiohttp

from bot.logging_setup import event
from bot.metrics import Metrics
from bot.result_cache import CachingSimulator
from sim.core import RuleError
from sim.core.beacon import QUICKNET, Beacon
from sim.jobs.battle import CheckSignature

AFTER_SECONDS = 1.0
"""A round is asked for so long after it is due."""

MAX_PAUSE_SECONDS = 60.0
_HOST_SECONDS = 3.0
_MAX_BYTES = 2048
_LIES = (ValueError, TypeError, LookupError, RecursionError)  # by `json` and by what isn't in it

_log = logging.getLogger("fracas.beacon")


class BeaconClient:
    """The rounds of a beacon, from `hosts`; `chain`: that of new battles, None until a round has come.

    `clock` returns Unix seconds. Operators of a host learn the bot's address and when a battle begins, no more.
    """

    beacon = QUICKNET

    def __init__(
        self, hosts: Sequence[str], simulator: CachingSimulator, metrics: Metrics, clock: Callable[[], float]
    ) -> None:
        self._hosts = tuple(hosts)
        self.chain: str | None = None
        self._simulator = simulator
        self._clock = clock
        self._waiting = metrics.beacon_waiting
        self._away_since: float | None = None
        metrics.beacon_away.set_function(lambda: self._away)

    async def start(self) -> None:
        """Fetch a round, however long it takes: where none ever comes, new battles do without."""
        if self._hosts:
            await self.signature(self.beacon, self.newest)
            self.chain = self.beacon.chain
            event(_log, "beacon_ready", name=self.beacon.name)

    @property
    def newest(self) -> int:
        """A round that every host should have by now."""
        return self.beacon.first_round(self._clock() - 2 * self.beacon.period)

    async def signature(self, beacon: Beacon, number: int) -> str:
        """Return the checked signature of a round, when it is due and as soon as a host has it, however long it takes.

        One request serves all who wait; when the last of them stops waiting, nobody asks any more.
        """

        async def fetch() -> str:
            with self._waiting.track_inprogress():
                return await self._wait_for(beacon, number)

        return await self._simulator.through((beacon, number), fetch)

    async def _wait_for(self, beacon: Beacon, number: int) -> str:
        await asyncio.sleep(beacon.due(number) + AFTER_SECONDS - self._clock())
        pause = 1.0
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            while True:
                errors = []
                for host in self._hosts:
                    try:
                        signature = await self._ask(session, host, beacon, number)
                    except (aiohttp.ClientError, OSError, RuleError, *_LIES) as error:
                        errors.append(f"{host}: {error!r}")
                    else:
                        self._note([])
                        return signature
                self._note(errors)
                await asyncio.sleep(pause)
                pause = min(MAX_PAUSE_SECONDS, 2 * pause)

    async def _ask(self, session: aiohttp.ClientSession, host: str, beacon: Beacon, number: int) -> str:
        """Return the signature of a round as a host has it; for anything else one of `_LIES`."""
        address = f"{host}/{beacon.chain}/public/{number}"
        limit = aiohttp.ClientTimeout(total=_HOST_SECONDS)
        async with session.get(address, timeout=limit, allow_redirects=False) as response:
            body = b""
            while len(body) <= _MAX_BYTES and (more := await response.content.read(_MAX_BYTES)):
                body += more
        if response.status != HTTPStatus.OK or len(body) > _MAX_BYTES:
            raise ValueError(f"no round, with status {response.status}")
        found: Any = json.loads(body)
        if found["round"] != number:
            raise ValueError("another round")
        job = CheckSignature(chain=beacon.chain, round=number, signature=found["signature"])
        if flaw := await self._simulator.once(job):
            raise ValueError(flaw)
        return job.signature

    def _note(self, errors: Sequence[str]) -> None:
        """Note that a host answered, or what was wrong with each; the beginning and the end of an outage are told."""
        if errors and self._away_since is None:
            event(_log, "beacon_unreachable", level=logging.WARNING, error="; ".join(errors))
            self._away_since = time.monotonic()
        elif not errors and self._away_since is not None:
            event(_log, "beacon_reached", away=round(self._away))
            self._away_since = None

    @property
    def _away(self) -> float:
        """For how many seconds no host has answered."""
        return 0.0 if self._away_since is None else time.monotonic() - self._away_since
