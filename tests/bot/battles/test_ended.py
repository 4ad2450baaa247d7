"""Who listens to ended battles hears of each one, however it ended, and of what they missed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from bot.battles.ended import EndedBattles
from bot.battles.maintenance import MaintenanceTasks
from bot.store.battles.battle import Battle
from bot.store.battles.retention import Retention
from tests.bot.battles.fights import begin, end, stored, stranger
from tests.bot.conftest import Table, answer, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


@dataclass(eq=False)
class Listener:
    """Knows which battles there are to hear of, and notes which it heard of; it fails as often as it is told to."""

    closed: Callable[[], Awaitable[list[int]]]
    heard: list[Battle] = field(default_factory=list)
    failures: int = 0

    async def missing(self) -> list[int]:
        known = {battle.id for battle in self.heard}
        return [battle_id for battle_id in await self.closed() if battle_id not in known]

    async def ended(self, battle: Battle) -> None:
        if self.failures:
            self.failures -= 1
            raise ValueError("this battle is too much for me")
        self.heard.append(battle)


def listen(table: Table) -> Listener:
    async def closed() -> list[int]:
        rows = await table.bot.services[Retention]._db.fetch_all("SELECT id FROM battles WHERE status <> 'open'")
        return [row["id"] for row in rows]

    listener = Listener(closed)
    table.bot.services[EndedBattles].add(listener)
    return listener


async def by_its_last_step(table: Table) -> None:
    await table.press(await begin(table), "Fight to the end")


async def by_the_referee(table: Table) -> None:
    await begin(table)
    await end(table, by=stranger(table, manage_messages=True))


async def by_consent(table: Table) -> None:
    await begin(table)
    await table.press(
        answer(await table.ben.slash(table.channel, "battle end", number=2)), "Agree to end", by=table.ann
    )


async def by_the_bot(table: Table) -> None:
    await begin(table)
    table.clock.pass_days(31)
    await table.bot.services[MaintenanceTasks].clear()


@pytest.mark.parametrize("ends", [by_its_last_step, by_the_referee, by_consent, by_the_bot])
async def test_a_listener_hears_of_each_end_once(table: Table, ends: Callable[[Table], Awaitable[None]]) -> None:
    listener = listen(table)
    await begin(table)
    assert listener.heard == []
    await end(table, number=1)
    await ends(table)
    await table.bot.services[EndedBattles].settled()
    assert [battle.number for battle in listener.heard] == [1, 2]
    assert not any(battle.is_open for battle in listener.heard)


async def test_a_failing_listener_hurts_neither_the_battle_nor_another_listener(table: Table) -> None:
    failing, other = listen(table), listen(table)
    failing.failures = 1
    panel = await begin(table)
    await table.press(panel, "Fight to the end")
    await table.bot.services[EndedBattles].settled()
    assert (await stored(table)).status == "finished"
    assert "wins after" in text_of(panel)
    assert (len(failing.heard), len(other.heard)) == (0, 1)
    table.bot.services[EndedBattles].wake()
    await table.bot.services[EndedBattles].settled()
    assert failing.heard == [], "not again at every battle's end"
    await table.bot.services[MaintenanceTasks].catch_up()
    await table.bot.services[EndedBattles].settled()
    assert len(failing.heard) == 1


async def test_a_battle_that_ended_unheard_is_told_of_after_the_start(table: Table) -> None:
    panel = await begin(table)
    await table.press(panel, "Fight to the end")
    await table.restart()
    listener = listen(table)
    await table.bot.services[MaintenanceTasks].catch_up()
    await table.bot.services[EndedBattles].settled()
    assert [battle.number for battle in listener.heard] == [1]


async def test_a_battle_is_told_of_though_its_channel_is_out_of_reach(table: Table) -> None:
    listener = listen(table)
    panel = await begin(table)
    table.env.inject_error("PATCH", "/webhooks/*", status=403, code=50001, times=3)
    table.env.inject_error("PATCH", "/channels/*", status=403, code=50001, times=3)
    table.env.inject_error("POST", "/webhooks/*", status=403, code=50001, times=3)
    table.env.inject_error("POST", "/channels/*", status=403, code=50001, times=3)
    await table.press(panel, "Fight to the end")
    await table.bot.services[EndedBattles].settled()
    assert [battle.number for battle in listener.heard] == [1]
