"""Notes in the journal and the times at which clocks are looked at: both in the transaction of what they tell of."""

import json
from dataclasses import replace

import pytest

from bot.store.battles.clocks import Beginning, ClockRepository, ServerHours, ServerHoursRepository
from bot.store.battles.panels import Reminder, TurnReminderRepository
from bot.store.battles.repository import BattleRepository, UndoRequestRepository
from bot.store.battles.transactions import Commit, close_joining
from bot.store.database import Database
from sim.core.canonical_json import canonical
from sim.core.journal import JournalRow, Kind
from tests.bot.store.toy import advance, ended, expect_sound, noted, opened, read, stepped, switched, went_back

NOW = 5000


@pytest.fixture
def clocks(db: Database) -> ClockRepository:
    return ClockRepository(db, lambda: NOW)


async def test_a_note_changes_neither_the_game_nor_what_buttons_mean(battles: BattleRepository) -> None:
    battle = await advance(battles, await opened(battles))
    after = await switched(battles, battle)
    assert (after.version, after.moved, after.steps, after.state) == (2, 1, 1, battle.state)
    assert after.joining_closed
    assert not after.was_undone
    assert (await advance(battles, after)).moved == 3
    await expect_sound(battles, battle.id)


async def test_a_note_that_is_refused_changes_nothing_beside_the_journal(battles: BattleRepository) -> None:
    battle = await opened(battles)
    later = await advance(battles, battle)
    commit = Commit([noted(battle)], battle.state_json, hook=close_joining(battle.id, closed=True))
    with pytest.raises(Exception, match="1"):
        await battles.commit(battle.id, 0, 7, commit)
    assert await read(battles, battle.id) == later


async def test_an_undo_takes_back_what_notes_stand_between(battles: BattleRepository) -> None:
    battle = await switched(battles, await advance(battles, await opened(battles)))
    battle = await went_back(battles, await advance(battles, battle), 1)
    assert (battle.was_undone, battle.joining_closed, battle.moved) == (True, True, 4)
    await expect_sound(battles, battle.id)


@pytest.mark.parametrize("kinds", [(Kind.CLOCK, Kind.UNDO), (Kind.STEP, Kind.SEATS)])
async def test_rows_that_do_not_belong_together(battles: BattleRepository, kinds: tuple[Kind, Kind]) -> None:
    battle = await opened(battles)
    entry, state, _ = stepped(battle, None)
    rows = [replace(JournalRow.of(entry), kind=kind) for kind in kinds]
    with pytest.raises(ValueError, match="don't belong together"):
        Commit(rows, canonical(state))


async def test_a_request_to_undo_outlives_notes_alone(db: Database, battles: BattleRepository) -> None:
    battle = await advance(battles, await opened(battles))
    requests = UndoRequestRepository(db)
    await requests.ask(battle.id, 1, 1)
    battle = await switched(battles, battle)
    pending = await requests.pending(battle.id)
    assert pending is not None
    assert pending.version == battle.version
    await advance(battles, battle)
    assert await requests.pending(battle.id) is None


async def test_whatever_happens_a_clock_is_looked_at_at_once(
    battles: BattleRepository, clocks: ClockRepository
) -> None:
    battle = await opened(battles)
    assert [found.id for found in await clocks.due()] == [battle.id]
    await clocks.plan([(battle, NOW + 60)])
    assert (await clocks.due(), await clocks.next_at()) == ([], NOW + 60)
    after = await switched(battles, battle)
    assert [found.id for found in await clocks.due()] == [battle.id]
    await clocks.plan([(battle, NOW + 60)])
    assert await clocks.next_at() is None, "it was made for a battle that stands otherwise by now"
    await clocks.plan([(after, None)])
    assert (await clocks.due(), await clocks.next_at()) == ([], None)
    await ended(battles, await advance(battles, after))
    assert (await clocks.due(), await clocks.next_at()) == ([], None)


async def test_who_sits_down_winds_the_clock(battles: BattleRepository, clocks: ClockRepository) -> None:
    battle = await opened(battles, attacker=1)
    await clocks.plan([(battle, None)])
    battle = await battles.take_seat(battle.id, "defender", 2)
    assert battle.seated_at == NOW
    assert [found.id for found in await clocks.due()] == [battle.id]
    assert (await switched(battles, battle)).seated_at == NOW


async def test_a_clock_may_be_set_from_the_start(battles: BattleRepository, clocks: ClockRepository) -> None:
    model = await opened(battles)
    first = canonical({"at": NOW, "do": "set"})
    battle = await battles.open(
        system=model.system,
        rules=model.rules,
        setup_json=model.setup_json,
        state_json=model.state_json,
        channel_id=10,
        guild_id=100,
        starter_id=1,
        seats={"attacker": 1},
        first_note_json=first,
    )
    (entry,) = await battles.journal(battle.id)
    assert (entry.kind, entry.seat, entry.action) == (Kind.CLOCK, "house", json.loads(first))
    assert (battle.version, battle.moved) == (1, 0)
    await expect_sound(battles, (await advance(battles, battle)).id)
    assert len(await clocks.due()) == 2


async def test_when_a_turn_began(battles: BattleRepository, clocks: ClockRepository) -> None:
    battle = await opened(battles)
    assert await clocks.turn_began(battle, None, None) == Beginning(0, NOW)
    battle = await advance(battles, await switched(battles, await advance(battles, battle)))
    assert await clocks.turn_began(battle, None, None) == Beginning(3, NOW)
    assert await clocks.turn_began(battle, {"turn"}, None) == Beginning(1, NOW), "the first step begins one, too"
    battle = await switched(battles, await went_back(battles, battle, 1))
    assert await clocks.turn_began(battle, {"turn"}, None) == Beginning(4, NOW)


async def test_the_hours_of_a_server(db: Database) -> None:
    hours = ServerHoursRepository(db)
    assert await hours.get(7) == await hours.get(None) == ServerHours()
    night = ServerHours("Europe/Berlin", 1380, 480, "wait")
    await hours.put(7, ServerHours("UTC"))
    await hours.put(7, night)
    assert (await hours.get(7), await hours.get(8)) == (night, ServerHours())


async def test_a_reminder_remembers_the_warning(db: Database, battles: BattleRepository) -> None:
    battle = await opened(battles)
    reminders = TurnReminderRepository(db)
    await reminders.remind(battle.id, Reminder("1:1", 5, 600))
    assert await reminders.reminder(battle.id) == Reminder("1:1", 5, 600)


async def test_only_a_long_time_without_a_sign_of_life_is_an_outage(db: Database) -> None:
    now = [1000]
    clocks = ClockRepository(db, lambda: now[0])

    async def after(seconds: int, *, back: bool) -> int:
        now[0] += seconds
        return await clocks.sign_of_life(back=back)

    assert await after(0, back=True) == 0, "the first one ever"
    assert await after(9000, back=False) == 0, "it was there all the time"
    assert await after(120, back=True) == 0
    assert await after(121, back=True) == 121
    assert await after(-5000, back=False) == 0, "somebody set the machine's clock"
    assert await after(3600, back=True) == 3600
    assert await clocks.outages(0) == [(5241, 8841), (10120, 10241)]
    assert await clocks.outages(8841) == [(10120, 10241)]
    await after(91 * 24 * 3600, back=False)
    await after(600, back=True)
    assert await clocks.outages(0) == [(now[0] - 600, now[0])], "old ones are gone"
