"""What happens without being asked: idle battles are closed, old ones forgotten, listeners hear of ended ones."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from bot.app import USUAL_TICKS
from bot.battles.ended import EndedBattles
from bot.battles.maintenance import MaintenanceTasks
from bot.battles.publisher import PanelPublisher
from bot.store import OWN_WORK
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository, Retention
from tests.bot.battles.fights import begin, begun, end, stored, stranger, told, write
from tests.bot.conftest import SEED, Table, buttons_of, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def test_an_idle_battle_is_closed_and_its_log_posted(table: Table) -> None:
    panel = await begun(table)
    table.clock.pass_days(29)
    await table.bot.services[MaintenanceTasks].clear()
    assert (await stored(table)).is_open
    table.clock.pass_days(2)
    await table.bot.services[MaintenanceTasks].clear()
    assert (await stored(table)).status == "ended"
    assert text_of(panel).startswith("### #1 Axis & Allies: ended, round 1\n")
    assert buttons_of(panel) == []
    posted = table.channel.last_message
    assert posted is not None
    assert posted.content.startswith("#1 Axis & Allies is closed after 30 days without a move.")
    text, journal = posted.attachments
    assert (text.filename, journal.filename) == ("battle-1.txt", "battle-1.jsonl")
    assert SEED.hex().encode() in await journal.read()


async def test_a_log_that_can_not_be_posted_keeps_nothing_else_from_being_done(table: Table) -> None:
    await begun(table)
    second = await begun(table)
    table.clock.pass_days(31)
    table.env.inject_error("POST", "/channels/*/messages", status=403, code=50001, times=1)
    await table.bot.services[MaintenanceTasks].clear()
    assert [(await stored(table, number)).status for number in (1, 2)] == ["ended", "ended"]
    assert buttons_of(second) == []
    assert table.channel.last_message is not None
    assert table.channel.last_message.content.startswith("#2 ")


async def test_what_is_due_is_done_at_the_start(table: Table) -> None:
    await begun(table)
    table.clock.pass_days(31)
    await table.restart()
    await table.env.settle()
    assert (await stored(table)).status == "ended"


async def test_a_finished_battle_is_forgotten_after_ninety_days(table: Table) -> None:
    panel = await begin(table)
    await table.press(panel, "Fight to the end")
    table.clock.pass_days(89)
    await table.bot.services[MaintenanceTasks].clear()
    assert (await stored(table)).status == "finished"
    table.clock.pass_days(2)
    await table.bot.services[MaintenanceTasks].clear()
    assert await table.bot.services[BattleRepository].by_number(table.channel.id, 1) is None
    reply = await table.run("battle log", number=1)
    assert text_of(reply) == "⚠️ There is no battle #1 in this channel."
    assert text_of(await begin(table)).startswith("### #2 "), "a number is never given twice"


async def test_a_log_page_of_a_battle_that_was_forgotten(table: Table) -> None:
    panel = await begin(table, "60 inf vs 60 inf")
    await table.press(panel, "Fight to the end")
    log = await table.run("battle log", number=1)
    await table.bot.services[Retention].forget_finished_older_than(-1)
    assert told(await table.press(log, "▶️")) == "⚠️ This battle is no longer kept."


async def test_a_button_of_a_battle_that_was_forgotten(table: Table) -> None:
    panel = await begun(table)
    battle_id = (await stored(table)).id
    await write(table, "DELETE FROM battles WHERE id = ?", battle_id)
    reply = await table.pressed(panel, "Fight round 2")
    assert reply.ephemeral
    assert text_of(reply) == "⚠️ This battle is no longer kept."


async def test_a_server_that_removes_the_bot_is_forgotten_a_month_later(table: Table) -> None:
    await begun(table)
    channel_id = table.channel.id
    table.env.backend.remove_guild(table.ann.guild.id)
    await table.env.settle()
    table.clock.pass_days(29)
    await table.bot.services[MaintenanceTasks].clear()
    assert await table.bot.services[BattleRepository].by_number(channel_id, 1) is not None
    table.clock.pass_days(2)
    await table.bot.services[MaintenanceTasks].clear()
    assert await table.bot.services[BattleRepository].by_number(channel_id, 1) is None


async def test_a_server_that_removed_the_bot_while_it_was_away_is_forgotten_too(table: Table) -> None:
    await begun(table)
    await table.bot.services[MaintenanceTasks].clear()
    channel_id, guild_id = table.channel.id, table.ann.guild.id
    emit = table.env.backend.emit
    table.env.backend.emit = lambda *_: None  # type: ignore[method-assign]  # the bot hears nothing of it
    table.env.backend.remove_guild(guild_id)
    table.env.backend.emit = emit  # type: ignore[method-assign]  # as it was
    await table.restart()
    await table.env.settle()
    assert not list(table.bot.guilds)
    table.clock.pass_days(31)
    await table.bot.services[MaintenanceTasks].clear()
    assert await table.bot.services[BattleRepository].by_number(channel_id, 1) is None


async def test_a_server_where_the_bot_is_no_member_is_not_forgotten_for_that(table: Table) -> None:
    """People may use it there as an app of their own."""
    battle = await table.bot.services[BattleRepository].open(
        system="aa-battle",
        rules=1,
        setup_json="{}",
        state_json="{}",
        channel_id=5,
        guild_id=6,
        starter_id=7,
        seats={},
    )
    await table.bot.services[MaintenanceTasks].clear()
    table.clock.pass_days(29)
    await table.bot.services[MaintenanceTasks].clear()
    assert await table.bot.services[Retention]._db.fetch_all("SELECT * FROM guilds_left") == []
    assert await table.bot.services[BattleRepository].get(battle.id, OWN_WORK) is not None


@pytest.mark.parametrize("while_away", [True, False])
async def test_a_server_that_has_the_bot_again_is_not_forgotten(table: Table, while_away: bool) -> None:
    await begun(table)
    guild = table.bot.guilds[0]
    await table.bot.on_guild_remove(guild)
    if while_away:
        await table.restart()  # it is among the servers of the start
        await table.env.settle()
    else:
        await table.bot.on_guild_join(guild)
        assert await table.bot.services[Retention]._db.fetch_all("SELECT * FROM guilds_left") == []
    table.clock.pass_days(31)
    await table.bot.services[MaintenanceTasks].clear()
    assert await table.bot.services[BattleRepository].by_number(table.channel.id, 1) is not None


async def test_a_failing_round_of_keeping_does_not_end_the_rounds(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = 0

    async def fail() -> tuple[int, int]:
        nonlocal failed
        failed += 1
        raise OSError("the disk is full")

    monkeypatch.setattr(table.bot.services[PanelPublisher], "pending", fail)
    for _ in range(USUAL_TICKS):
        await table.bot.flush_outbox()
    assert failed == 1
    assert table.bot.flush_outbox.is_running()


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
    await table.press(await table.run("battle end", by=table.ben, number=2), "Agree to end", by=table.ann)


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
