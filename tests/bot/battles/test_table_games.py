"""Clocks and referee's tools in every game: what the clock does there, who sits there, what an undo leaves as it is."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from simcord import MemberActor

from bot.battles.maintenance import MaintenanceTasks
from bot.store.battles.repository import BattleRepository
from sim.core.journal import Kind
from tests.bot.battles.fights import stored, stranger, undo
from tests.bot.battles.test_table import expect_match, judge_of, use
from tests.bot.conftest import Table, answer, buttons_of, expect_in, text_of
from tests.bot.games.boss_fight.boss_fights import both
from tests.bot.games.boss_fight.boss_fights import state_of as fight_of
from tests.bot.games.duel.duels import opened
from tests.bot.games.mad_killer_agents.wars import begin_game, join, open_game, orders, state_of
from tests.bot.games.marked_for_death.test_mfd_battle import start

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def tick(table: Table) -> None:
    await table.bot.services[MaintenanceTasks].tick()


async def set_clock(table: Table, judge: MemberActor, **options: object) -> str:
    return text_of(answer(await judge.slash(table.channel, "battle clock", **options)))


async def kinds(table: Table) -> list[Kind]:
    battle = await stored(table)
    return [entry.kind for entry in await table.bot.services[BattleRepository].journal(battle.id)]


async def test_a_war_s_turn_passes_or_an_ai_plays_it(table: Table) -> None:
    panel = await begin_game(table, turn_time=0)
    judge = judge_of(table)
    await set_clock(table, judge, turn="10 min", time_up="pass")
    expect_in(text_of(panel), f"Waiting for <@{table.ann.id}>", "then the turn passes.")
    table.clock.now += 600
    await tick(table)
    state = await state_of(table)
    assert (state.turn, state.round) == (2, 1)
    last = await table.bot.services[BattleRepository].last_entry((await stored(table)).id)
    assert last is not None
    assert (last.action, last.seat) == ({"do": "end-turn"}, "clock")
    await set_clock(table, judge, time_up="play")
    expect_in(text_of(panel), "then the marshal takes this turn.")
    await expect_match(table)


async def test_a_new_war_keeps_to_the_server_s_quiet_hours(table: Table) -> None:
    judge = judge_of(table)
    zone = ZoneInfo("Europe/Berlin")
    await judge.slash(table.channel, "battle hours", zone="Europe/Berlin", quiet_from="23:00", quiet_to="8:00")
    panel = await open_game(table, turn_time=60)
    assert await kinds(table) == [Kind.CLOCK]
    for who in (table.ann, table.ben):
        await join(table, panel, who)
    table.clock.now = datetime(2027, 3, 27, 22, 30, tzinfo=zone).timestamp()
    await table.press(panel, "Begin")
    due = int(datetime(2027, 3, 28, 8, 30, tzinfo=zone).timestamp())
    expect_in(text_of(panel), f"⏰ Time is up <t:{due}:R>; then the marshal takes this turn.")
    table.clock.now = due
    await tick(table)
    assert (await state_of(table)).turn == 2
    await expect_match(table)


async def test_somebody_takes_a_player_s_place_in_a_war_and_an_undo_leaves_them_there(table: Table) -> None:
    panel = await begin_game(table)
    judge, zoe = judge_of(table), stranger(table)
    await orders(table, "end", table.ann)
    await use(table, judge, "Replace a player", {"seat": ["player-2"], "who": [zoe]})
    expect_in(text_of(panel), f"**ben** <@{zoe.id}>")
    reminders = [message.content for message in table.channel.history() if "your turn" in message.content]
    assert len(reminders) == 1
    assert f"<@{zoe.id}>" in reminders[0], "who takes over a turn is reminded of it"
    await orders(table, "end", zoe)
    await undo(table, by=judge)
    battle = await stored(table)
    assert {place.seat: place.user_id for place in battle.places} == {"player-1": table.ann.id, "player-2": zoe.id}
    await undo(table, by=judge)
    battle = await stored(table)
    assert {place.seat: place.user_id for place in battle.places} == {"player-1": table.ann.id, "player-2": zoe.id}
    await expect_match(table)


async def test_a_referee_takes_somebody_out_of_a_lobby_and_closes_it(table: Table) -> None:
    panel = await open_game(table)
    judge = judge_of(table)
    for who in (table.ann, table.ben):
        await join(table, panel, who)
    assert await use(table, judge, "Take somebody out", {"seat": ["player-2"]}) == "👋 Player 2 is out of #1."
    assert [player.name for player in (await state_of(table)).players] == ["ann"]
    assert await kinds(table) == [Kind.STEP, Kind.STEP, Kind.SEATS, Kind.STEP]
    shown = answer(await judge.slash(table.channel, "battle referee"))
    await table.press(shown, "Close joining", by=judge)
    assert "Join" not in buttons_of(panel)
    expect_in(text_of(panel), "🔒 Joining is closed")
    await table.press(answer(await judge.slash(table.channel, "battle referee")), "Open joining", by=judge)
    assert "Join" in buttons_of(panel)
    await expect_match(table)


async def test_a_boss_fight_s_member_is_replaced_and_timed(table: Table) -> None:
    panel = await both(table)
    judge, zoe = judge_of(table), stranger(table)
    await set_clock(table, judge, turn="10 min")
    expect_in(text_of(panel), f"Waiting for <@{table.ann.id}>", "then the step is taken all the same.")
    table.clock.now += 599
    await use(table, judge, "Replace a player", {"seat": ["member-1"], "who": [zoe]})
    table.clock.now += 1
    await tick(table)
    assert (await fight_of(table)).exchanges == 0, "who takes over a turn has its time anew"
    table.clock.now += 600
    await tick(table)
    assert (await fight_of(table)).exchanges == 1
    await table.press(panel, "Step", by=table.ben)
    await table.press(panel, "Step", by=zoe)
    await expect_match(table)


async def test_a_stopped_clock_stops_the_five_minutes_of_a_boss_fight(table: Table) -> None:
    panel = await both(table)
    judge = judge_of(table)
    await table.press(answer(await judge.slash(table.channel, "battle referee")), "Stop the clock", by=judge)
    table.clock.now += 1000
    (refused,) = (await table.press(panel, "Step", by=table.ben)).followups
    expect_in(text_of(refused), "⚠️ It is somebody else's turn, and the clock is stopped.")


async def test_a_duel_s_page_turns_by_the_clock(table: Table) -> None:
    panel = await opened(table, "fight")
    judge = judge_of(table)
    await set_clock(table, judge, turn="5 min")
    expect_in(text_of(panel), "Waiting for", "then the page turns.")
    table.clock.now += 300
    await tick(table)
    assert (await stored(table)).steps == 1
    await expect_match(table)


async def test_a_roster_battle_s_round_is_fought_by_the_clock_and_its_referee_changes(table: Table) -> None:
    panel = await start(table)
    judge, zoe = judge_of(table), stranger(table)
    assert await use(table, judge, "Hand over the role", {"who": [zoe]}) == f"🧑‍⚖️ <@{zoe.id}> is the referee of #1 now."
    expect_in(text_of(panel), f"Referee: <@{zoe.id}>")
    await set_clock(table, zoe, turn="1 day")
    expect_in(text_of(panel), f"Waiting for <@{zoe.id}>", "then the next round is fought.")
    (refused,) = (await table.press(panel, "Fight round 1")).followups
    expect_in(text_of(refused), "⚠️ Only the referee")
    table.clock.pass_days(1)
    await tick(table)
    assert "round 1" in text_of(panel)
    await table.press(panel, "Fight round 2", by=zoe)
    await expect_match(table)
