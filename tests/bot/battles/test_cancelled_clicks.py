"""Clicks that are cancelled anywhere on their way through the bot: nothing is half done, done twice, or unshown."""

import asyncio
import gc
import json
import random
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest

from bot.app import Fracas
from bot.battles import BattleService, UnshownError
from bot.battles.presenter import DropIn, Presenters
from bot.battles.publisher import PanelPublisher
from bot.client import Interaction
from bot.store import OWN_WORK
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.database import Database
from bot.store.sqlite import SqliteDatabase
from bot.store.transactions import PanelRepository
from bot.ui.interactions import acknowledge
from sim.core import RuleError
from sim.core.battle import ANYONE, CLOCK, REFEREE, AnySystem, Seat
from sim.core.staged_job import Job
from sim.jobs.battle import Advance, Begin, Narrate
from sim.workers import InlineSimulator, Simulator
from sim.workers.queue import Caller, R
from tests.bot.conftest import Table
from tests.bot.store.toy import replayed
from tests.bot.store.writer import opened
from tests.conformance.example import Option, choice, example_of, registered

pytestmark = pytest.mark.torture

CANCELLATIONS = 10_000
AT_ONCE = 10
BATTLES = 6
CHANNEL, GUILD = 10, 100
JUDGE = 999
VISITORS = range(1, 9)


class Rules(InlineSimulator):
    """Steps battles; for pictures it is always too busy."""

    async def run(self, job: Job[R], caller: Caller | None = None, sizes: list[int] | None = None) -> R:
        await asyncio.sleep(0)
        if type(job) not in {Advance, Begin, Narrate}:
            raise RuleError("Too busy.")
        return await super().run(job, caller, sizes)


@dataclass
class Discord:
    """The messages as people see them; every request takes some turns of the loop."""

    choose: random.Random
    messages: dict[int, str] = field(default_factory=dict)

    async def put(
        self, message_id: int | None, _text: str = "", *, view: discord.ui.LayoutView | None = None, **_: object
    ) -> SimpleNamespace:
        """Change a message, or post a new one."""
        await self.travel()
        message_id = len(self.messages) + 1 if message_id is None else message_id
        self.messages[message_id] = "" if view is None else shown(view)
        await self.travel()
        return SimpleNamespace(id=message_id)

    async def travel(self, **_options: object) -> None:
        for _ in range(self.choose.randrange(3)):
            await asyncio.sleep(0)

    def channel(self, _channel_id: int, **_: object) -> SimpleNamespace:
        return SimpleNamespace(send=partial(self.put, None), get_partial_message=self.message)

    def message(self, message_id: int) -> SimpleNamespace:
        return SimpleNamespace(edit=partial(self.put, message_id), delete=self.travel)

    def click(self, bot: Fracas, number: int, user_id: int, panel_id: int | None) -> Interaction:
        """Press something on a panel."""
        press = SimpleNamespace(
            id=number,
            client=bot,
            user=SimpleNamespace(id=user_id, display_name=f"visitor {user_id}"),
            guild_id=GUILD,
            channel_id=CHANNEL,
            permissions=discord.Permissions(manage_messages=user_id == JUDGE),
            message=None if panel_id is None else SimpleNamespace(id=panel_id, flags=discord.MessageFlags()),
            extras={},
            response=SimpleNamespace(defer=self.travel, is_done=lambda: True),
            followup=self.channel(CHANNEL),
            edit_original_response=partial(self.put, panel_id),
        )
        return cast("Interaction", press)


def shown(view: Any) -> str:  # noqa: ANN401  # discord.py doesn't type what is called here
    return json.dumps(view.to_components(), sort_keys=True)


class Players:
    """They click, and are cancelled wherever they happen to be; what came of each click is noted."""

    def __init__(self, bot: Fracas, world: Discord, choose: random.Random) -> None:
        self._bot, self._discord, self._choose = bot, world, choose
        self._battles = bot.services[BattleRepository]
        self._last = 0
        self.ids: list[int] = []
        self.finished: set[int] = set()
        self.refused: set[int] = set()
        self.cancelled: set[int] = set()

    async def wave(self) -> None:
        """Click at once, some of it delivered twice; cancel each click some time after the one before."""
        going = await self._going()
        clicks = [click for _ in range(AT_ONCE) for click in self._clicks_on(self._choose.choice(going))]
        for _, task in clicks:
            for _ in range(self._choose.randrange(30)):
                await asyncio.sleep(0)
            if self._choose.random() < 0.3:
                await asyncio.sleep(self._choose.uniform(0, 0.004))
            task.cancel()
        results = await asyncio.gather(*(task for _, task in clicks), return_exceptions=True)
        for (number, _), result in zip(clicks, results, strict=True):
            self._fate_of(result).add(number)

    def _clicks_on(self, battle: Battle) -> list[tuple[int, asyncio.Task[None]]]:
        example = example_of(battle.system)
        option = choice(example, example.system.states.read_json(battle.state_json), self._choose)
        if option is None:
            return []
        self._last += 1
        deliveries = 2 if self._choose.random() < 0.1 else 1
        return [(self._last, asyncio.create_task(self._click(self._last, battle, option))) for _ in range(deliveries)]

    def _fate_of(self, result: BaseException | None) -> set[int]:
        match result:
            case asyncio.CancelledError():
                return self.cancelled
            case None | UnshownError():
                return self.finished
            case RuleError():
                return self.refused
            case _:
                raise result

    async def _going(self) -> list[Battle]:
        going = await self._battles.open_in(CHANNEL)
        while len(going) < BATTLES:
            going.append(await opened(self._battles, self._choose, channel=CHANNEL, starter=JUDGE, seats=self._seats))
            self.ids.append(going[-1].id)
        return going

    def _seats(self, system: AnySystem) -> dict[Seat, int | None]:
        drop_in = isinstance(self._bot.services[Presenters].of(system.name), DropIn)
        seats = [] if drop_in else [seat for seat in system.seats if seat not in {REFEREE, CLOCK, ANYONE}]
        return {seat: 100 + number for number, seat in enumerate(seats)}

    async def _click(self, number: int, battle: Battle, option: Option) -> None:
        legal, seat, action = option
        user_id = self._choose.choice(VISITORS) if seat == ANYONE else battle.holders.get(seat) or JUDGE
        interaction = self._discord.click(self._bot, number, user_id, battle.panel_id)
        service = self._bot.services[BattleService]
        if legal.action is not None:
            await service.press(interaction, battle.id, battle.version, legal.name)
        else:
            await acknowledge(interaction)
            await service.act(interaction, battle.id, battle.version, legal.name, action)


@pytest.fixture
def simulator() -> Simulator:
    """Let a table's battles be stepped, and nothing be drawn."""
    return Rules()


async def test_cancelled_ten_thousand_times_at_any_moment(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    bot, choose = table.bot, random.Random(20261120)
    for loop in (bot.tick, bot.flush_outbox):
        loop.cancel()  # nobody else shows anything
    world = Discord(choose)
    monkeypatch.setattr(bot, "get_partial_messageable", world.channel)
    players = Players(bot, world, choose)
    db = bot.services[Database]
    assert isinstance(db, SqliteDatabase)
    while len(players.cancelled) < CANCELLATIONS:
        await players.wave()
        assert not db._conn.in_transaction

    applied = {row[0] for row in await db.fetch_all("SELECT interaction_id FROM applied_interactions")}
    assert players.finished <= applied
    assert not (players.refused - players.finished - players.cancelled) & applied
    assert players.cancelled & applied - players.finished  # some were met in the middle of their transaction
    assert players.cancelled - applied  # and some before it
    steps = await replayed(bot.services[BattleRepository], players.ids)
    assert sum(steps.values()) == len(applied)  # each once
    assert {*steps} == {*registered()}
    await expect_shown_or_pending(bot, world, players.ids)
    assert locks(bot) == 0


async def expect_shown_or_pending(bot: Fracas, world: Discord, ids: list[int]) -> None:
    """Check that what isn't in the outbox is on its panel, and that publishing empties the outbox."""
    pending = {battle.id for battle in await bot.services[PanelRepository].pending()}
    assert 0 < len(pending) < len(ids)
    await expect_shown(bot, world, [battle_id for battle_id in ids if battle_id not in pending])
    assert await bot.services[PanelPublisher].pending() == (len(pending), 0)
    assert await bot.services[PanelRepository].pending() == []
    await expect_shown(bot, world, ids)


async def expect_shown(bot: Fracas, world: Discord, ids: list[int]) -> None:
    for battle_id in ids:
        battle = await bot.services[BattleRepository].get(battle_id, OWN_WORK)
        assert battle is not None
        assert battle.panel_id is not None
        panel = await bot.services[PanelPublisher].render(battle, None)
        assert world.messages[battle.panel_id] == shown(panel.view)


def locks(bot: Fracas) -> int:
    """Return how many battles are locked, for a step or for publishing."""
    gc.collect()  # of the tracebacks
    return len(bot.services[BattleRepository]._locks) + len(bot.services[PanelPublisher]._locks)
