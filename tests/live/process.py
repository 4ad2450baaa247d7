"""The bot as a process, what it logs, and its health pages."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp

from tests.live.discord_server import PATIENCE, TOKEN, LittleDiscord
from tests.sim.workers.waiting import dead, stat_of, until
from tests.test_deploy import ROOT, clean_environment


class BotProcess:
    """`python -m bot` with its Discord on loopback; its files are in `folder`."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self._process = process
        self._folder = folder

    @classmethod
    async def start(
        cls, discord: LittleDiscord, folder: Path, *arguments: str, settings: Mapping[str, str] = {}
    ) -> "BotProcess":
        """Start the bot; `settings`: environment variables; `PROGRAM` names another module than `tests.live`."""
        ours = {"DISCORD_TOKEN": TOKEN, "FRACAS_LOG_FORMAT": "json", "PYTHONPATH": str(ROOT), "FRACAS_BEACON": "off"}
        with (folder / "out").open("ab") as out, (folder / "err").open("ab") as err:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", settings.get("PROGRAM", "tests.live"), *discord.addresses, *arguments),
                cwd=folder,
                stdout=out,
                stderr=err,
                env=clean_environment(**{**ours, **settings}),
                start_new_session=True,  # a program of its own: Ctrl-C is for the tests alone
            )
        return cls(process, folder)

    async def signed_in(self, discord: LittleDiscord) -> None:
        """Wait until the bot is connected; AssertionError with the log if it ends before."""
        ending = asyncio.create_task(self._process.wait())
        signing_in = asyncio.create_task(discord.until(lambda: discord.gateway.connected))
        await asyncio.wait({ending, signing_in}, return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        signing_in.cancel()
        assert self.running, f"the bot ended: {self.err}"
        assert discord.gateway.connected, f"the bot didn't sign in: {self.err}"

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def processes(self) -> list[int]:
        """The bot's process, those that it started, and the workers."""
        return [self.pid, *_children().get(self.pid, ()), *self.workers]

    @property
    def workers(self) -> list[int]:
        """The processes of the workers: what the fork server started."""
        children = _children()
        return [worker for child in children.get(self._process.pid, ()) for worker in children.get(child, ())]

    @contextlib.asynccontextmanager
    async def workers_held(self) -> AsyncIterator[None]:
        """Hold all workers, and those that come, so that no job ends within the block."""
        self._signal_workers(signal.SIGSTOP)
        holding = asyncio.create_task(self._hold_workers())
        try:
            yield
        finally:
            holding.cancel()
            self._signal_workers(signal.SIGCONT)

    async def _hold_workers(self) -> None:
        while True:
            await asyncio.sleep(0.05)
            self._signal_workers(signal.SIGSTOP)

    def _signal_workers(self, number: signal.Signals) -> None:
        for worker in self.workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, number)

    @property
    def running(self) -> bool:
        return self._process.returncode is None

    @property
    def out(self) -> str:
        return (self._folder / "out").read_text()

    @property
    def err(self) -> str:
        return (self._folder / "err").read_text()

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines of the log, each an object; what is no log line is the event "(raw)"."""
        lines = []
        for line in self.err.splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                lines.append({"event": "(raw)", "level": "RAW", "message": line})
        return lines

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return the log lines of one event."""
        return [line for line in self.log if line.get("event") == name]

    @property
    def trouble(self) -> list[dict[str, Any]]:
        """The log lines that nobody may cause: errors, tracebacks, what is no log line."""
        return [line for line in self.log if line["level"] not in {"INFO", "WARNING"} or "trace" in line]

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._process.send_signal(signal.SIGTERM)

    async def ended(self, seconds: float = PATIENCE) -> int:
        """Wait for the end; AssertionError with the log if it doesn't come."""
        try:
            async with asyncio.timeout(seconds):
                return await self._process.wait()
        except TimeoutError:
            raise AssertionError(f"the bot runs on after {seconds:g} s: {self.err}") from None

    async def stop(self) -> int:
        """Send SIGTERM and wait for the end."""
        self.terminate()
        return await self.ended()

    async def stopped(self) -> None:
        """Wait until the process has been stopped, as by SIGSTOP."""
        await until(lambda: stat_of(self.pid)[:1] == ["T"], 0.05, PATIENCE)

    async def kill(self) -> None:
        """End the process, whatever it does, and wait until those that it started have said their last."""
        _, *started = self.processes
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        await until(lambda: all(map(dead, started)), 0.05, PATIENCE)


def _children() -> dict[int, list[int]]:
    """Return the processes that each process started."""
    children: dict[int, list[int]] = {}
    for pid in [int(process.name) for process in Path("/proc").glob("[0-9]*")]:
        if stat := stat_of(pid):
            children.setdefault(int(stat[1]), []).append(pid)
    return children


def port_of_its_own() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def read(port: int, path: str) -> tuple[int, str, str]:
    """Return status, kind and content of a page."""
    url = f"http://127.0.0.1:{port}{path}"
    async with aiohttp.ClientSession() as session, session.get(url, timeout=aiohttp.ClientTimeout(30)) as response:
        return response.status, response.headers["Content-Type"], await response.text()


async def page(port: int, path: str) -> tuple[int, dict[str, object]]:
    """Return status and content of a page in JSON."""
    status, kind, text = await read(port, path)
    assert kind == "application/json; charset=utf-8"
    return status, json.loads(text)


async def metric(port: int, series: str) -> float:
    """Return a metric; KeyError if there is no such series."""
    _, _, text = await read(port, "/metrics")
    return float(dict(line.rsplit(" ", 1) for line in text.splitlines())[series])


async def until_ready(port: int, status: int = 200) -> None:
    """Wait for all that players need, the workers, too; or until the page about it answers with another `status`."""

    async def is_so() -> bool:
        return (await read(port, "/readyz"))[0] == status

    await until(is_so, 0.1, PATIENCE)
