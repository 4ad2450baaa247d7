"""The bot as a process, and what it logs."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.live.discord_server import PATIENCE, TOKEN, LittleDiscord

ROOT = Path(__file__).parents[2]


class BotProcess:
    """`python -m bot` with its Discord on loopback; its files are in `folder`."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self._process = process
        self._folder = folder

    @classmethod
    async def start(
        cls, discord: LittleDiscord, folder: Path, *arguments: str, wait: bool = True, settings: Mapping[str, str] = {}
    ) -> "BotProcess":
        """Start the bot and, with `wait`, go on when it has signed in; `settings`: environment variables."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("FRACAS_", "DISCORD_"))}
        ours = {"DISCORD_TOKEN": TOKEN, "FRACAS_LOG_FORMAT": "json", "PYTHONPATH": str(ROOT)}
        identified = discord.gateway.identified
        with (folder / "out").open("ab") as out, (folder / "err").open("ab") as err:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.live", *discord.addresses, *arguments),
                cwd=folder,
                stdout=out,
                stderr=err,
                env={**clean, **ours, **settings},
            )
        bot = cls(process, folder)
        if wait:
            try:
                await discord.until(lambda: discord.gateway.identified > identified)
            except AssertionError:
                await bot.kill()
                raise AssertionError(f"the bot didn't sign in: {bot.err}") from None
        return bot

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

    async def kill(self) -> None:
        """End the process, whatever it does."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
