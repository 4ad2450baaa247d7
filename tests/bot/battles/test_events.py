"""Events in the calendar: added by a referee, moved and ended with the battle or the campaign, and never doubled."""

from datetime import UTC, datetime
from typing import Any

import discord
import pytest
from simcord import MemberActor

from bot.battles.maintenance import MaintenanceTasks
from bot.store.threads import EventRepository
from tests.bot.battles.fights import begun, end
from tests.bot.battles.test_threads import LONG, manager, settled
from tests.bot.conftest import Table, answer, expect_in, said

HOUR, DAY = 3600, 86400


def events(table: Table) -> list[Any]:
    """Return the server's events."""
    return list(table.env.backend.get_guild(table.ann.guild.id).scheduled_events.values())


def starts(table: Table) -> list[float]:
    """Return how many hours from the beginning of the test the events start."""
    times = [datetime.fromisoformat(one.scheduled_start_time).timestamp() for one in events(table)]
    return [(at - 1_800_000_000) / HOUR for at in times]


async def added(table: Table) -> MemberActor:
    """Begin a battle whose turns last a day, and put the end of the turn in the calendar; return the referee."""
    judge = manager(table)
    await begun(table, LONG)
    await table.run("battle clock", by=judge, turn="24 h")
    shown = await table.run("battle clock", by=judge)
    expect_in(said(await table.pressed(shown, "Add to the calendar", by=judge)), "moves with the clock")
    return judge


async def test_a_turns_end_moves_and_ends_with_the_battle(table: Table) -> None:
    judge = await added(table)
    (event,) = events(table)
    assert starts(table) == [24]
    assert event.name == "Axis & Allies #1: this turn ends"
    assert event.entity_metadata == {
        "location": f"https://discord.com/channels/{table.ann.guild.id}/{table.channel.id}"
    }
    clock = await table.run("battle clock", by=judge)
    await table.filled(clock, "Extend this turn", {"time": "6 h"}, by=judge)
    await settled(table)
    assert starts(table) == [30]
    await table.press(clock, "Stop the clock", by=judge)
    await settled(table)
    assert events(table) == []
    table.clock.now += HOUR
    await table.press(await table.run("battle clock", by=judge), "Let the clock go on", by=judge)
    await settled(table)
    assert starts(table) == [31]
    await end(table, by=judge)
    await settled(table)
    assert events(table) == []
    assert await table.bot.services[EventRepository].of_battles() == []


async def test_a_turn_that_began_its_event_ends_it_and_the_next_one_has_its_own(table: Table) -> None:
    await added(table)
    (first,) = events(table)
    first.status = 2  # Discord begins it by itself
    table.clock.now += DAY + 60
    await table.bot.services[MaintenanceTasks].tick()
    await settled(table)
    assert first.status == 3
    assert [one.status for one in events(table) if one is not first] == [1]


async def test_what_a_moderator_took_away_stays_away(table: Table) -> None:
    judge = await added(table)
    (event,) = events(table)
    table.env.backend.delete_scheduled_event(table.ann.guild.id, event.id)
    clock = await table.run("battle clock", by=judge)
    await table.filled(clock, "Extend this turn", {"time": "6 h"}, by=judge)
    await settled(table)
    assert events(table) == []


async def test_an_event_that_wasnt_noted_is_found_again(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot is killed after Discord took the event, and starts again; another press comes as well."""
    puts, put = [0], EventRepository.put

    async def once(self: EventRepository, planned: Any) -> None:  # noqa: ANN401  # an event
        puts[0] += 1
        if puts[0] == 1:  # the wish, not what came of it
            await put(self, planned)

    with monkeypatch.context() as patch:
        patch.setattr(EventRepository, "put", once)
        judge = await added(table)
    await table.restart()
    await table.bot.services[MaintenanceTasks].catch_up()
    await settled(table)
    assert len(events(table)) == 1
    (kept,) = await table.bot.services[EventRepository].of_battles()
    assert kept.event_id == events(table)[0].id
    shown = await table.run("battle clock", by=judge)
    await table.press(shown, "Off the calendar", by=judge)
    assert events(table) == []


async def test_without_the_permission_nothing_is_planned(table: Table) -> None:
    no, guild = discord.PermissionOverwrite(create_events=False), table.ann.guild
    table.channel = guild.create_text_channel("strict", overwrites={guild.default_role: no})
    judge = manager(table)
    await begun(table, LONG)
    await table.run("battle clock", by=judge, turn="24 h")
    shown = await table.run("battle clock", by=judge)
    told = said(await table.pressed(shown, "Add to the calendar", by=judge))
    assert told == "⚠️ To add an event to this server, I need the permission Create Events."
    assert await table.bot.services[EventRepository].of_battles() == []


async def test_the_night_of_a_campaign(table: Table) -> None:
    await begun(table, LONG)
    await table.run("campaign new", name="Siege of Konoha", battle=1)
    now = datetime.fromtimestamp(table.clock.now, UTC)
    later = f"{(now.hour + 2) % 24}:00"
    expect_in(said(await table.run("campaign night", hour=later)), "Siege of Konoha**: <t:")
    assert [one.name for one in events(table)] == ["Siege of Konoha: campaign night"]
    await table.run("campaign night", hour="20:00", days=3)
    (event,) = events(table)
    day = datetime.fromtimestamp(table.clock.now + 3 * DAY, UTC).date().isoformat()
    assert event.scheduled_start_time.startswith(f"{day}T20:00")
    asked = answer(await table.ann.slash(table.channel, "campaign end", campaign="Siege of Konoha"))
    await table.press(asked, "End it")
    assert events(table) == []
