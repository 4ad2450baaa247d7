"""What a referee changes about the table in any game: who sits where, who referees, who may join; who is waited for."""

import json
from datetime import datetime
from zoneinfo import ZoneInfo

import discord
import pytest
from simcord import MemberActor

from bot.battles.maintenance import MaintenanceTasks
from bot.store.battles.repository import BattleRepository
from sim.core.journal import Kind
from tests.bot.battles.fights import (
    begin,
    click_seen,
    expect_match,
    kinds,
    seen,
    set_clock,
    steps_after,
    steps_at,
    stored,
    stranger,
    the_bot,
    tick,
    told,
    tools,
    undo,
    use,
)
from tests.bot.conftest import Table, button, buttons_of, expect_in, said, text_of
from tests.bot.games.boss_fight.boss_fights import both
from tests.bot.games.boss_fight.boss_fights import state_of as fight_of
from tests.bot.games.duel.duels import opened
from tests.bot.games.mad_killer_agents.wars import begin_game, join, open_game, orders, state_of
from tests.bot.games.marked_for_death.test_mfd_battle import start

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def test_a_player_is_replaced(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    carl = stranger(table)
    done = await use(table, judge, "Replace a player", {"seat": ["attacker"], "who": [carl]})
    assert done == f"🔁 <@{carl.id}> takes over the attacker in #1."
    expect_in(text_of(panel), f"Attacker: <@{carl.id}>", f"🔁 <@{carl.id}> took over the attacker before round 1")
    expect_in(told(await table.press(panel, "Fight round 1")), "⚠️ Only the attacker")
    await table.press(panel, "Fight round 1", by=carl)
    fought = await stored(table)
    note, step = await table.bot.services[BattleRepository].journal(fought.id)
    assert (note.kind, note.seat, note.actor) == (Kind.SEATS, "referee", str(carl.id))
    assert note.action == {
        "do": "replace",
        "at": int(table.clock.now),
        "seat": "attacker",
        "bot": False,
        "referee": False,
        "when": "before round 1",
    }
    assert step.kind is Kind.STEP
    assert str(carl.id) not in json.dumps(note.action), "no id is sealed"
    await expect_match(table)
    log = said(await table.run("battle log"))
    expect_in(log, "Another player took over the attacker before round 1.")


async def test_who_left_the_server_is_replaced_and_the_bot_takes_a_seat(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    table.env.backend.remove_member(table.ann.guild.id, table.ben.id)
    done = await use(table, judge, "Replace a player", {"seat": ["defender"], "who": [the_bot(table)]})
    assert done == "🔁 I take over the defender in #1."
    expect_in(text_of(panel), "Defender: 🤖 the bot")
    await table.press(panel, "Fight round 1")
    assert (await stored(table)).steps == 1


async def test_a_referee_takes_over_a_seat(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    await use(table, judge, "Take over a seat", {"seat": ["attacker"]})
    expect_in(text_of(panel), f"Attacker: <@{judge.id}>")
    expect_in(await use(table, judge, "Take over a seat", {"seat": ["defender"]}), "⚠️", "already has a part in #1")


async def test_the_referee_s_role_is_handed_over(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    zoe = stranger(table)
    refused = await table.run("battle referee", by=zoe)
    expect_in(text_of(refused), "⚠️ Only somebody who may manage messages, or was made its referee")
    expect_in(await use(table, judge, "Hand over the role", {"who": [table.ann]}), "⚠️", "choose a referee who doesn't")
    assert await use(table, judge, "Hand over the role", {"who": [zoe]}) == f"🧑‍⚖️ <@{zoe.id}> is the referee of #1 now."
    expect_in(text_of(panel), f"🧑‍⚖️ Referee: <@{zoe.id}>")
    await table.press(await tools(table, zoe), "Set the clock", by=zoe)
    await table.press(panel, "Fight round 1", by=zoe)
    assert (await stored(table)).steps == 1, "a referee may fire for the attacker"
    await expect_match(table)
    await table.restart()
    listed = text_of(await table.run("battle clock", by=zoe, turn="1 h"))
    expect_in(listed, "1 hour a turn")


async def test_a_referee_who_is_forgotten_is_the_referee_no_more(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    zoe = stranger(table)
    await use(table, judge, "Hand over the role", {"who": [zoe]})
    exported = await table.run("privacy export", by=zoe)
    files = [await file.read() for file in exported.attachments]
    assert any(b'"referee": true' in data for data in files)
    await table.surely("privacy delete", by=zoe)
    assert (await stored(table)).referee is None
    await table.bot.services[MaintenanceTasks].catch_up()
    assert str(zoe.id) not in text_of(panel)
    await expect_match(table)


async def test_joining_is_closed_and_opened_again(table: Table, judge: MemberActor) -> None:
    panel = await begin(table, defender=None)
    shown = await tools(table, judge)
    before, join = seen(table, panel), button(panel, "Join as defender")
    await table.press(shown, "Close joining", by=judge)
    expect_in(text_of(panel), "🔒 Joining is closed")
    assert "Join as defender" not in buttons_of(panel)
    (pressed,) = await click_seen(table, before, (table.ben, join))
    expect_in(text_of(pressed.followups[0] if pressed.followups else pressed.response), "⚠️ Joining #1 is closed")
    await table.press(await tools(table, judge), "Open joining", by=judge)
    await table.press(panel, "Join as defender", by=table.ben)
    assert (await stored(table)).place("defender").user_id == table.ben.id  # type: ignore[union-attr]  # it is there
    await expect_match(table)


async def test_somebody_is_taken_out_before_it_begins(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    assert await use(table, judge, "Take somebody out", {"seat": ["defender"]}) == "👋 The defender is out of #1."
    expect_in(text_of(panel), "Defender: *free*")
    assert "Join as defender" in buttons_of(panel)
    await table.press(panel, "Join as defender", by=table.ben)
    await table.press(panel, "Fight round 1")
    assert "Take somebody out" not in buttons_of(await tools(table, judge))
    await expect_match(table)


async def test_the_tools_are_a_referee_s_alone_and_of_open_battles(table: Table, judge: MemberActor) -> None:
    panel = await begin(table)
    zoe = stranger(table)
    await use(table, judge, "Hand over the role", {"who": [zoe]})
    shown = await tools(table, zoe)
    await use(table, judge, "Hand over the role", {"who": [judge]})
    refused = await table.pressed(shown, "Replace a player", by=zoe)
    expect_in(text_of(refused), "⚠️ Only the referee of #1")
    await table.press(panel, "Fight to the end")
    over = await table.pressed(shown, "Set the clock", by=zoe)
    expect_in(text_of(over), "⚠️ #1 is over.")


async def test_who_is_waited_for_over_all_channels(table: Table, judge: MemberActor) -> None:
    guild = table.ann.guild
    await begin(table)
    other = guild.create_text_channel("other")
    await table.ben.slash(other, "aa battle", setup="6 tanks vs 10 inf", attacker=table.ben, defender=table.ann)
    await judge.slash(other, "battle clock", turn="2 h")
    listed = text_of(await table.run("battle waiting", by=table.ben))
    due = int(table.clock.now) + 7200
    expect_in(
        listed,
        "### ⏳ A battle waits for you",
        f"👉 **[#1](https://discord.com/channels/{guild.id}/{other.id}/",
        f"in <#{other.id}>, before round 1: <@{table.ben.id}> ⏰ <t:{due}:R>",
        f"in <#{table.channel.id}>, before round 1: <@{table.ann.id}>",
    )
    places = [listed.index(f"<#{place.id}>") for place in (other, table.channel)]
    assert places == sorted(places), "what waits for the asker comes first"


async def test_channels_that_the_asker_can_not_see_are_left_out(table: Table) -> None:
    guild = table.ann.guild
    hidden = guild.create_text_channel(
        "hidden", overwrites={guild.default_role: discord.PermissionOverwrite(view_channel=False)}
    )
    judge = guild.add_member(
        table.env.create_user("admin"),
        roles=[guild.create_role("admin", permissions=discord.Permissions(administrator=True))],
    )
    await judge.slash(hidden, "aa battle", setup="6 tanks vs 10 inf", attacker=judge, defender=table.ann)
    assert str(hidden.id) in text_of(await table.run("battle waiting", by=judge))
    listed = text_of(await table.run("battle waiting"))
    assert listed == "No battle waits for anybody here. `/battle list` shows those of this channel."


async def test_a_war_s_turn_passes_or_an_ai_plays_it(table: Table, judge: MemberActor) -> None:
    panel = await begin_game(table, turn_time=0)
    await set_clock(table, judge, turn="10 min", time_up="pass")
    expect_in(text_of(panel), f"Waiting for <@{table.ann.id}>", "then the turn passes.")
    await steps_after(table, 600)
    state = await state_of(table)
    assert (state.turn, state.round) == (2, 1)
    last = await table.bot.services[BattleRepository].last_entry((await stored(table)).id)
    assert last is not None
    assert (last.action, last.seat) == ({"do": "end-turn"}, "clock")
    await set_clock(table, judge, time_up="play")
    expect_in(text_of(panel), "then the marshal takes this turn.")
    await expect_match(table)


async def test_a_new_war_keeps_to_the_server_s_quiet_hours(table: Table, judge: MemberActor) -> None:
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
    await steps_at(table, due)
    assert (await state_of(table)).turn == 2
    await expect_match(table)


async def test_somebody_takes_a_player_s_place_in_a_war_and_an_undo_leaves_them_there(
    table: Table, judge: MemberActor
) -> None:
    panel = await begin_game(table)
    zoe = stranger(table)
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


async def test_a_referee_takes_somebody_out_of_a_lobby_and_closes_it(table: Table, judge: MemberActor) -> None:
    panel = await open_game(table)
    for who in (table.ann, table.ben):
        await join(table, panel, who)
    assert await use(table, judge, "Take somebody out", {"seat": ["player-2"]}) == "👋 Player 2 is out of #1."
    assert [player.name for player in (await state_of(table)).players] == ["ann"]
    assert await kinds(table) == [Kind.STEP, Kind.STEP, Kind.SEATS, Kind.STEP]
    shown = await table.run("battle referee", by=judge)
    await table.press(shown, "Close joining", by=judge)
    assert "Join" not in buttons_of(panel)
    expect_in(text_of(panel), "🔒 Joining is closed")
    await table.press(await table.run("battle referee", by=judge), "Open joining", by=judge)
    assert "Join" in buttons_of(panel)
    await expect_match(table)


async def test_a_boss_fight_s_member_is_replaced_and_timed(table: Table, judge: MemberActor) -> None:
    panel = await both(table)
    zoe = stranger(table)
    await set_clock(table, judge, turn="10 min")
    expect_in(text_of(panel), f"Waiting for <@{table.ann.id}>", "then the step is taken all the same.")
    table.clock.now += 599
    await use(table, judge, "Replace a player", {"seat": ["member-1"], "who": [zoe]})
    await steps_after(table, 1)
    assert (await fight_of(table)).exchanges == 0, "who takes over a turn has its time anew"
    await steps_after(table, 600)
    assert (await fight_of(table)).exchanges == 1
    await table.press(panel, "Step", by=table.ben)
    await table.press(panel, "Step", by=zoe)
    await expect_match(table)


async def test_a_stopped_clock_stops_the_five_minutes_of_a_boss_fight(table: Table, judge: MemberActor) -> None:
    panel = await both(table)
    await table.press(await table.run("battle referee", by=judge), "Stop the clock", by=judge)
    table.clock.now += 1000
    expect_in(
        told(await table.press(panel, "Step", by=table.ben)), "⚠️ It is somebody else's turn, and the clock is stopped."
    )


async def test_a_duel_s_page_turns_by_the_clock(table: Table, judge: MemberActor) -> None:
    panel = await opened(table, "fight")
    await set_clock(table, judge, turn="5 min")
    expect_in(text_of(panel), "Waiting for", "then the page turns.")
    assert await steps_after(table, 300) == 1
    await expect_match(table)


async def test_a_roster_battle_s_round_is_fought_by_the_clock_and_its_referee_changes(
    table: Table, judge: MemberActor
) -> None:
    panel = await start(table)
    zoe = stranger(table)
    assert await use(table, judge, "Hand over the role", {"who": [zoe]}) == f"🧑‍⚖️ <@{zoe.id}> is the referee of #1 now."
    expect_in(text_of(panel), f"Referee: <@{zoe.id}>")
    await set_clock(table, zoe, turn="1 day")
    expect_in(text_of(panel), f"Waiting for <@{zoe.id}>", "then the next round is fought.")
    expect_in(told(await table.press(panel, "Fight round 1")), "⚠️ Only the referee")
    table.clock.pass_days(1)
    await tick(table)
    assert "round 1" in text_of(panel)
    await table.press(panel, "Fight round 2", by=zoe)
    await expect_match(table)
