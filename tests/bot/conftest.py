"""A table in the simulated Discord: the real bot, a real database file, two players in a channel, a third outside."""

import asyncio
import os
import random
import re
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import discord
import pytest
import simcord
from discord import app_commands
from simcord import ChannelHandle, InteractionResult, MemberActor, ResponseMessage
from simcord.http import router

from bot.app import Fracas
from bot.battles.followers import EndedBattles, Followers
from bot.config import Server
from bot.games import Games
from bot.offline.site import PatientEnv
from bot.store.battle import ClockRepository
from bot.store.database import Database
from bot.ui import interactions
from bot.ui.error_replies import RefusedError
from sim.core import RuleError
from sim.jobs.warm_up import warm_up
from sim.workers import InlineSimulator, Simulator
from sim.workers.queue import PoolLimits
from tests.bot import payloads
from tests.bot.breaks import Wire
from tests.bot.store.databases import Cable, database_of, open_database, running_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session", autouse=True)
def _kernels() -> None:
    """Compile before the first table opens: no test's time is for that."""
    warm_up()


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    """Start Debian's Chromium; skip where there is none."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="there is no playwright")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@dataclass
class Clock:
    """The bot's clock, in Unix seconds; it stands still unless a test moves it."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def pass_days(self, days: float) -> None:
        """Let time go by."""
        self.now += days * 24 * 60 * 60


@dataclass
class Table:
    """What a test needs: the players, the channel, and shorthands for what they do and see."""

    env: simcord.Env
    bot: Fracas
    channel: ChannelHandle
    ann: MemberActor
    ben: MemberActor
    clock: "Clock"
    reopen: Callable[[], Any] = field(repr=False)

    async def run(self, command: str, *, by: MemberActor | None = None, **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
        """Type a command, and return what answers it."""
        return answer(await (by or self.ann).slash(self.channel, command, **options))

    async def calc(self, battle: str, *, by: MemberActor | None = None, **options: int | str) -> ResponseMessage:
        """Type `/aacalc`, and return what answers it."""
        return await self.run("aacalc", by=by, battle=battle, **options)

    async def aacalc(self, battle: str, *, by: MemberActor | None = None, **options: int | str) -> InteractionResult:
        """Type `/aacalc`."""
        return await (by or self.ann).slash(self.channel, "aacalc", battle=battle, **options)

    async def press(self, message: ResponseMessage, label: str, *, by: MemberActor | None = None) -> InteractionResult:
        """Press the button with this label, emoji, or last part of its id."""
        return await (by or self.ann).click(message, custom_id=button(message, label))

    async def pressed(self, message: ResponseMessage, label: str, *, by: MemberActor | None = None) -> ResponseMessage:
        """Press a button, and return what answers it."""
        return answer(await self.press(message, label, by=by))

    async def settled(self) -> None:
        """Wait until everything has followed the battles so far."""
        for followers in (EndedBattles, Followers):
            await self.bot.services[followers].settled()

    async def fight_out(self, panel: ResponseMessage, *, by: MemberActor | None = None) -> None:
        """Fight a battle to its end, and wait until everything has followed it."""
        await self.press(panel, "Fight to the end", by=by)
        await self.settled()

    async def fill(
        self, message: ResponseMessage, label: str, values: dict[str, Any], *, by: MemberActor | None = None
    ) -> InteractionResult:
        """Press a button that opens a form, and send the form."""
        form = await self.press(message, label, by=by)
        return await (by or self.ann).submit_modal(form, chosen(form, values))

    async def filled(
        self, message: ResponseMessage, label: str, values: dict[str, Any], *, by: MemberActor | None = None
    ) -> ResponseMessage:
        """Press a button that opens a form, send the form, and return what answers it."""
        return answer(await self.fill(message, label, values, by=by))

    async def surely(self, command: str, *, by: MemberActor | None = None, **options: str) -> ResponseMessage:
        """Type a command that can't be undone, and press the red button of the question; return the answer."""
        actor = by or self.ann
        return await insist(actor, answer(await actor.slash(self.channel, command, **options)))

    async def page(self, message: ResponseMessage, page: int, *, by: MemberActor | None = None) -> ResponseMessage:
        """Choose a page (from 0) in the jump list, and return what answers it."""
        (jump,) = [node["custom_id"] for node in payloads.components(message.components) if node["type"] == 3]
        return answer(await (by or self.ann).select(message, [str(page)], custom_id=jump))

    async def files(self, result: InteractionResult) -> dict[str, bytes]:
        """Ask for the files of an answer."""
        sent = answer(await self.press(answer(result), "Files"))
        return {attached.filename: await attached.read() for attached in sent.attachments}

    async def restart(self, *, away: float = 0) -> None:
        """End the bot and its database, and start both again from the file, after `away` seconds."""
        await self.bot.services[ClockRepository].sign_of_life(back=False)
        self.clock.now += away
        self.bot = await self.reopen()


def text_of(message: ResponseMessage | None) -> str:
    """Return all text that a message shows."""
    assert message is not None
    texts = [node["content"] for node in payloads.components(message.components) if node["type"] == payloads.TEXT]
    return "\n".join([message.content, *texts]).strip().replace("\N{NO-BREAK SPACE}", " ")


def alt_of(message: ResponseMessage | None) -> str:
    """Return what a message's picture says in words."""
    assert message is not None
    (gallery,) = [node for node in payloads.components(message.components) if node["type"] == payloads.GALLERY]
    text: str = gallery["items"][0]["description"]
    return text


def posts(table: Table, channel: ChannelHandle | None = None) -> list[ResponseMessage]:
    """Return what everybody sees in a channel, in order, but for Discord's own lines."""
    stored = table.env.backend.messages.get((channel or table.channel).id, {})
    shown = [ResponseMessage(table.env, stored[at]) for at in sorted(stored)]
    return [message for message in shown if message.components and not message.ephemeral]


async def files_of(message: ResponseMessage) -> dict[str, bytes]:
    """Return a message's files by their names."""
    return {attachment.filename: await attachment.read() for attachment in message.attachments}


def form_values(form: InteractionResult) -> dict[str, Any]:
    """Return what stands in the fields of a form, lists left out."""
    assert form.modal is not None
    fields = [node["component"] for node in payloads.components(form.modal["components"]) if "component" in node]
    return {field["custom_id"]: field.get("value") or "" for field in fields if field["type"] == payloads.TEXT_INPUT}


def chosen(form: InteractionResult, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a form's fields as Discord sends them.

    What was chosen from a list comes in a list, and a choice in sight that is left as it is comes as its default.
    """
    assert form.modal is not None
    fields = [node for node in payloads.components(form.modal["components"]) if "custom_id" in node]
    lists = {field["custom_id"] for field in fields if field["type"] == payloads.SELECT}
    kept = {
        field["custom_id"]: option["value"]
        for field in fields
        if field["type"] == payloads.RADIO
        for option in field["options"]
        if option.get("default")
    }
    given = {name: [value] if name in lists and isinstance(value, str) else value for name, value in values.items()}
    return kept | given


def said(message: ResponseMessage | None) -> str:
    """Return what a player reads: without the backslashes that keep what others wrote from being markdown."""
    return text_of(message).replace("\\", "")


def expect_in(text: str, *parts: str) -> None:
    """Check that a message has these parts; how they are joined is not a test's business."""
    missing = [part for part in parts if part not in text]
    assert not missing, f"{missing} not in {text!r}"


def answer(result: InteractionResult) -> ResponseMessage:
    """Return the message that answers an interaction."""
    assert result.response is not None
    return result.response


HOUSE = re.compile(r"b2:[0-9]+:[0-9]+:(fair|rematch|share|more|over):")
"""The ids of the buttons that every battle's panel has: about its dice, and at the end for a rematch."""


def buttons_of(message: ResponseMessage, *, house: bool = False) -> list[str]:
    """Return the labels (or emoji) of a message's buttons that can be pressed; `house`: those of every panel, too."""
    shown = payloads.pressable(payloads.components(message.components))
    return [payloads.label(node) for node in shown if house or HOUSE.match(node.get("custom_id", "")) is None]


def button(message: ResponseMessage, label: str) -> str:
    """Return the id of the button with this label or emoji."""
    found: list[str] = [
        node["custom_id"]
        for node in payloads.components(message.components)
        if node["type"] == payloads.BUTTON and label in {node.get("label"), (node.get("emoji") or {}).get("name")}
    ]
    assert len(found) == 1, f"{label!r} is not one of {buttons_of(message)}"
    return found[0]


async def insist(actor: MemberActor, asked: ResponseMessage) -> ResponseMessage:
    """Press the red button of a question, and return the answer; a refusal has none, and is returned."""
    red = [node["custom_id"] for node in payloads.components(asked.components) if node.get("style") == payloads.RED]
    return answer(await actor.click(asked, custom_id=red[0])) if red else asked


COMPILING = 120.0
"""Seconds that a first question may take where no kernel has been compiled yet."""


@pytest.fixture
def simulator() -> Simulator:
    """Run the rules at once; a test that needs other limits overrides this."""
    return InlineSimulator(PoolLimits())


@pytest.fixture(scope="session")
def migrated_file() -> bytes:
    """Return a new database as a file; copied, it saves each test the migrations."""

    async def migrate(path: Path) -> None:
        await (await open_database(path)).close()

    with TemporaryDirectory() as directory:
        path = Path(directory) / "fracas.db"
        asyncio.run(migrate(path))
        return path.read_bytes()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Start PostgreSQL; see `database_of`."""
    with running_server() as started:
        yield started


@pytest.fixture
async def cable(server: Server) -> AsyncIterator[Cable]:
    """Return a way to a database of the server that a test can cut."""
    async with database_of(server) as place:
        cable = Cable(place)
        await cable.mend()
        yield cable
        cable.cut()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every press take its time before it is acknowledged: a busy machine is no slow database."""
    monkeypatch.setattr(interactions, "PATIENCE", COMPILING)


@pytest.fixture
def table_server(request: pytest.FixtureRequest) -> Server | None:
    """Return the server of tables' databases, with TABLE_ENGINE=postgres; None for files."""
    found: Server | None = request.getfixturevalue("server") if os.environ.get("TABLE_ENGINE") == "postgres" else None
    return found


@pytest.fixture
async def kept_in(tmp_path: Path, migrated_file: bytes, table_server: Server | None) -> AsyncIterator[Path | Server]:
    """Return where a table's database is."""
    if table_server is None:
        path = tmp_path / "fracas.db"
        path.write_bytes(migrated_file)
        yield path
    else:
        async with database_of(table_server) as database:
            yield database


@asynccontextmanager
async def set_table(kept_in: Path | Server, simulator: Simulator) -> AsyncIterator[Table]:
    """Set a table, and check afterwards that all payloads were fine and no error went unexpected."""
    opened: list[Database] = []
    clock = Clock()

    async def new_bot() -> Fracas:
        games = Games.discover()
        opened.append(await open_database(kept_in, games.schemas))
        if not opened[-1].is_shared:
            # Here nobody pulls a plug, so nobody need wait for the disk. The store's own tests run it as it is.
            await opened[-1].fetch_all("PRAGMA synchronous = OFF")
        return Fracas(simulator=simulator, db=opened[-1], games=games, clock=clock, monotonic=clock)

    async def reopen() -> Fracas:
        await opened[-1].close()
        bot = await new_bot()
        await env.restart_bot(bot)
        return bot

    bot = await new_bot()
    env = PatientEnv(bot, settle_timeout=COMPILING)
    try:
        await env.start()
        # What `bot.tree.sync()` sends; reading Discord's answer takes longer than all the rest.
        assert bot.application_id is not None
        commands = [command.to_dict(bot.tree) for command in bot.tree.get_commands()]
        await bot.http.bulk_upsert_global_commands(bot.application_id, commands)
        guild = env.create_guild()
        channel = guild.create_text_channel("battles")
        ann, ben = (guild.add_member(env.create_user(name)) for name in ("ann", "ben"))
        yield Table(env, bot, channel, ann, ben, clock, reopen)
    finally:
        await env.shutdown()
        await opened[-1].close()  # an open connection would keep the process from ending
    expect_nothing_wrong(env)


@pytest.fixture
async def table(kept_in: Path | Server, simulator: Simulator) -> AsyncIterator[Table]:
    """Set the table for a test."""
    async with set_table(kept_in, simulator) as table:
        yield table


def expect_nothing_wrong(env: simcord.Env) -> None:
    """Check that all payloads were fine and no error went unexpected."""
    for entry in env.http_requests:
        payloads.check(entry)
    if unexpected := [error for error in env.errors if not _is_expected(error)]:
        raise BaseExceptionGroup("the bot raised what no player caused", unexpected)


def _is_expected(error: BaseException) -> bool:
    """Tell whether it is a player's mistake, which the simulator records like any other error of a command."""
    cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
    return isinstance(cause, RuleError | RefusedError)


@pytest.fixture(autouse=True)
def _dice(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Draw seeds that differ from test to test and not from run to run: no test passes or fails by luck."""
    drawn = random.Random(request.node.nodeid)
    monkeypatch.setattr(secrets, "token_bytes", drawn.randbytes)
    monkeypatch.setattr(secrets, "randbelow", drawn.randrange)


SEED = bytes(range(32))
"""With these dice, six tanks lose to ten infantry in the third round."""


WAR_SEED = (2143).to_bytes(32, "big")
"""By this seed people play a war in the order in which they joined: Ann from A2, Ben from H4 of the flat map."""


def fix_seed(monkeypatch: pytest.MonkeyPatch, seed: bytes = SEED) -> None:
    """Give every battle the same seed, so that what is rolled is known."""
    monkeypatch.setattr("bot.store.battles.secrets", SimpleNamespace(token_bytes=lambda _size: seed))


def fix_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make seeds, ids and references the same in every run."""
    numbers = count(1)

    def token_bytes(size: int = 32) -> bytes:
        return next(numbers).to_bytes(size, "big")

    monkeypatch.setattr(secrets, "token_bytes", token_bytes)
    monkeypatch.setattr(secrets, "token_hex", lambda size=3: token_bytes(size).hex())
    monkeypatch.setattr(secrets, "token_urlsafe", lambda size=9: f"token-{next(numbers):0{size}}")
    monkeypatch.setattr(secrets, "randbelow", lambda most: next(numbers) % most)
    monkeypatch.setattr(secrets, "choice", itemgetter(0))


@pytest.fixture
def fixed_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fix the seed for a whole test."""
    fix_seed(monkeypatch)


@pytest.fixture
def war_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every game the seed of wars."""
    fix_seed(monkeypatch, WAR_SEED)


@pytest.fixture
def fixed_chance(monkeypatch: pytest.MonkeyPatch, fixed_dice: None) -> None:  # noqa: ARG001  # both together
    """Give every run the same dice, seeds and ids."""
    fix_chance(monkeypatch)


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    """Return what breaks connections; the bot tries again without a pause."""
    cutter = Wire(router.dispatch)
    monkeypatch.setattr(router, "dispatch", cutter.send)
    monkeypatch.setattr("bot.client.PAUSES", (0.0, 0.0, 0.0, 0.0))
    return cutter


@pytest.fixture
def judge(table: Table) -> MemberActor:
    """Let somebody into the server who may manage messages, and so is a referee."""
    role = table.ann.guild.create_role("judge", permissions=discord.Permissions(manage_messages=True))
    return table.ann.guild.add_member(table.env.create_user("judge"), roles=[role])
