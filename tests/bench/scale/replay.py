"""Replays the mix with the real bot against the Discord on loopback, and measures it.

Processor time is what the kernel charged to the bot's process and to its workers, so other programs hardly matter.
"""

import asyncio
import contextlib
import shutil
import sqlite3
import struct
import tempfile
import time
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sim.marked_for_death.tables import example
from tests.bench.scale.model import Cost, Units, total
from tests.live.conftest import open_discord, run_command, start_bot
from tests.live.discord_server import LittleDiscord
from tests.live.process import BotProcess, port_of_its_own, until_ready
from tests.live.world import Channel, Exchange, Json, Message, Player, User, snowflake

LONG_SECONDS = 0.2
"""From here on a job goes to a cluster, if there is one."""

JOB_OVERHEAD = 0.0047
"""Seconds that the smallest job takes in a local worker, its way there and back."""

PLAYS = 5
SERVERS, EVENTS = 2000, 4000
CHANNELS, ROLES, EMOJIS = 30, 20, 20
"""What a server has."""

QUIET_SECONDS, QUIET_WORK = 0.04, 0.0005
_INTERACTION_ROUTES = ("/interactions/", "/webhooks/")


@dataclass(frozen=True)
class Scene:
    """One scene of the mix."""

    game: str
    share: float
    steps: list[Json]


@dataclass(frozen=True)
class Measured:
    """Each game's part of 100 scenes; the seconds of jobs, as often as they come."""

    games: dict[str, Cost]
    jobs: list[float]
    units: Units


def load_mix() -> list[Scene]:
    """Read the mix."""
    text = Path(__file__).with_name("mix.toml").read_text(encoding="utf-8")
    return [Scene(**scene) for scene in tomllib.loads(text)["scene"]]


def cpu(*processes: int) -> float:
    """Return the seconds of processor time that processes have used."""
    return sum(time.clock_gettime((~process << 3) | 2) for process in processes)


def memory(process: int) -> int:
    """Return the bytes of memory that a process has for itself, and its part of what it shares."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))


class Meter:
    """Reads what a bot has used so far."""

    def __init__(self, discord: LittleDiscord, bot: BotProcess, folder: Path) -> None:
        self._discord, self._bot, self._database = discord, bot, folder / "fracas.db"

    async def settle(self) -> None:
        """Wait until the bot and its workers do nothing."""
        used = -1.0
        while (now := cpu(self._bot.pid, *self._bot.workers)) - used > QUIET_WORK:
            used = now
            await asyncio.sleep(QUIET_SECONDS)

    def working(self) -> float:
        """Return the seconds of all workers."""
        return cpu(*self._bot.workers)

    def read(self) -> Cost:
        """Return everything but commands and jobs."""
        requests = self._discord.api.requests
        return Cost(
            interactions=len(self._discord.api.exchanges),
            bot_seconds=cpu(self._bot.pid),
            worker_seconds=self.working(),
            stored=self._stored(),
            # SQLite counts the transactions there, as walIndexWriteHdr says.
            commits=struct.unpack_from("=I", Path(f"{self._database}-shm").read_bytes(), 8)[0],
            requests=len(requests),
            limited=sum(not request.path.startswith(_INTERACTION_ROUTES) for request in requests),
            sent=sum(request.size for request in requests),
        )

    def _stored(self) -> int:
        """Return the size of the database packed into small pages."""
        with tempfile.TemporaryDirectory() as place:
            for file in (self._database, Path(f"{self._database}-wal")):
                shutil.copy(file, place)
            with contextlib.closing(sqlite3.connect(Path(place) / self._database.name)) as copy:
                for order in ("PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM"):
                    copy.execute(order)
                return int(copy.execute("PRAGMA page_count").fetchone()[0]) * 512


class Actors:
    """Ann and Ben, who play a scene in a channel of their own."""

    def __init__(self, discord: LittleDiscord, number: int) -> None:
        channel = discord.new_channel(f"scene-{number}")
        self._number = number
        self._people = {f"@{name}": discord.player(f"{name}{number}", channel) for name in ("ann", "ben")}
        self._ann: Player = self._people["@ann"]
        self._panel: Message | None = None
        self._last: Exchange | None = None

    async def do(self, step: Json) -> None:
        """Do one step of a scene, and wait for its answer."""
        match step:
            case {"type": command, **options}:
                ((option, text),) = options.items()
                await self._ann.complete(command, option, **{option: self._value(text)})
            case {"slash": command, **options}:
                self._last = await self._ann.slash(command, **{name: self._value(options[name]) for name in options})
                self._panel = self._panel or self._last.message
            case {"press": label} | {"maybe": label} if self._panel is not None:
                if "press" in step or _button(self._panel, label):
                    self._last = await self._ann.press(self._panel, _button(self._panel, label))
            case {"answer": label} if self._last is not None:
                self._last = await self._ann.press(self._last.message, _button(self._last.message, label))
            case {"submit": fields} if self._last is not None:
                await self._ann.submit(self._last, **{name: self._value(fields[name]) for name in fields})
            case _:
                raise ValueError(step)

    def _value(self, value: Any) -> Any:  # noqa: ANN401  # a value of TOML, and of an option
        if value == "{n}":
            return self._number
        if not isinstance(value, str):
            return value
        if value.endswith(".csv"):
            return value, example().replace(b"Dragon", b"Dragon %d" % self._number)
        return self._people.get(value) or value.replace("{n}", str(self._number))


def _button(message: Message, label: str) -> str:
    return next((one for one in message.buttons if one.startswith(label)), "")


async def play(discord: LittleDiscord, meter: Meter, scene: Scene) -> tuple[Cost, list[float]]:
    """Play a scene some times; return what it cost once, and the seconds of each job of all."""
    jobs: list[float] = []
    for number in range(PLAYS + 1):
        actors = Actors(discord, number + 1)
        for step in scene.steps:
            before = meter.working()
            await actors.do(step)
            await meter.settle()
            if number and (worked := meter.working() - before) > QUIET_WORK:
                jobs.append(worked)
        if not number:  # the first time loads and fills what stays
            began = meter.read()
    spent = total(meter.read(), began.times(-1))
    long = [seconds for seconds in jobs if seconds > LONG_SECONDS]
    commands = PLAYS * sum("slash" in step for step in scene.steps)
    spent = replace(spent, commands=commands, jobs=len(jobs), long_jobs=len(long), long_seconds=sum(long))
    return spent.times(1 / PLAYS), jobs


async def measure() -> Measured:
    """Measure everything; takes some minutes."""
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        discord = await open_discord(stack, {})
        await run_command(discord, folder, "--sync")
        bot, began, bare = await _started(stack, discord, folder)
        meter = Meter(discord, bot, folder)
        games: dict[str, Cost] = {}
        jobs: list[float] = []
        for scene in load_mix():
            cost, seconds = await play(discord, meter, scene)
            games[scene.game] = total(games.get(scene.game, Cost()), cost.times(scene.share))
            jobs += [one + JOB_OVERHEAD for one in seconds for _ in range(round(scene.share))]
        bot_bytes, worker_bytes = memory(bot.pid), max(map(memory, bot.workers))
        assert not bot.trouble, bot.trouble
        await bot.stop()

        guilds = [_server(discord) for _ in range(SERVERS)]
        discord.gateway.ready["guilds"] += [{"id": guild["id"], "unavailable": True} for guild in guilds]
        discord.gateway.opening += [("GUILD_CREATE", guild) for guild in guilds]
        bot, began_full, full = await _started(stack, discord, folder)
        before = cpu(bot.pid)
        for number in range(EVENTS):
            channel = guilds[number % SERVERS]["channels"][number % CHANNELS]
            await discord.gateway.dispatch("CHANNEL_UPDATE", channel | {"guild_id": guilds[number % SERVERS]["id"]})
        await Meter(discord, bot, folder).settle()
        between = cpu(bot.pid)
        stranger = discord.player("stranger", discord.channel)
        for _ in range(EVENTS):
            await stranger.say("Has anyone seen my keys?")  # Discord doesn't hand over what it says
        await Meter(discord, bot, folder).settle()
        units = Units(
            command=total(*games.values()).a_command(),
            event_seconds=(between - before) / EVENTS,
            message_seconds=(cpu(bot.pid) - between) / EVENTS,
            server_seconds=(began_full - began) / SERVERS,
            server_bytes=(full - bare) / SERVERS,
            bot_bytes=bot_bytes,
            worker_bytes=worker_bytes,
        )
        return Measured(games, jobs, units)


async def _started(
    stack: contextlib.AsyncExitStack, discord: LittleDiscord, folder: Path
) -> tuple[BotProcess, float, int]:
    """Start a bot; return it with the seconds and the bytes that it took until it was ready."""
    port = port_of_its_own()
    settings = {"FRACAS_HEALTH_PORT": str(port), "FRACAS_WORKERS": "1", "FRACAS_JOB_SECONDS": "60"}
    bot = await start_bot(stack, discord, folder, settings=settings)
    await until_ready(port)
    await Meter(discord, bot, folder).settle()
    return bot, cpu(bot.pid), memory(bot.pid)


def _server(discord: LittleDiscord) -> Json:
    """Return a server of the usual size."""
    guild: Json = discord._guild_json(snowflake())
    role, somebody = guild["roles"][0], User("somebody").json()
    overwrites = [{"id": guild["id"], "type": 0, "allow": "1024", "deny": "2048"}] * 2
    channel = Channel("channel", int(guild["id"])).json() | {"permission_overwrites": overwrites}
    emoji = {"name": "emoji", "roles": [], "user": somebody, "available": True, "animated": False}
    return guild | {
        "roles": [role, *(role | {"id": str(snowflake()), "name": f"role {number}"} for number in range(ROLES))],
        "channels": [channel | {"id": str(snowflake()), "name": f"channel-{number}"} for number in range(CHANNELS)],
        "emojis": [emoji | {"id": str(snowflake())} for _ in range(EMOJIS)],
    }
