"""`python -m tests.live.sealed HTTP GATEWAY ...`: the bot as `tests.live` starts it, but it knows the tests' beacon.

Workers run this again, as they don't a `__main__.py`: they check its signatures. In the environment are `LEAD`, the
seconds from a press to its round, `PERIOD`, those from a round to the next (without it 1), and `STOP`, the moment when
the process stops, so that it can be killed there.
"""

import os
import pkgutil
import signal
import sys
from dataclasses import replace
from typing import Any
from unittest import mock

from bot.beacon import BeaconClient
from sim.core.beacon import BEACONS
from tests.beacon import CHAIN
from tests.live.__main__ import run

BeaconClient.beacon = replace(CHAIN, period=int(os.environ.get("PERIOD", CHAIN.period)))
mock.patch.dict(BEACONS, {BeaconClient.beacon.chain: BeaconClient.beacon}).start()


def stop(when: str, where: str) -> None:
    """Let this process stop "before" or "after" the first call of a method, `module:Class.name`."""
    kind, _, name = where.rpartition(".")
    owner = pkgutil.resolve_name(kind)
    method = getattr(owner, name)

    async def last(*arguments: Any, **named: Any) -> None:  # noqa: ANN401  # of any method
        if when == "after":
            await method(*arguments, **named)
        os.kill(os.getpid(), signal.SIGSTOP)

    setattr(owner, name, last)


if __name__ == "__main__":
    mock.patch("bot.battles.sealing.LEAD_SECONDS", float(os.environ["LEAD"])).start()
    if moment := os.environ.get("STOP"):
        stop(*moment.split())
    sys.exit(run())
