"""What a referee changes about the table: who sits where, who referees, who may join; and who is waited for."""

import json

import discord
import pytest
from simcord import MemberActor, ResponseMessage

from bot.battles.maintenance import MaintenanceTasks
from bot.store.battles.repository import BattleRepository
from sim.core.journal import Kind
from tests.bot.battles.fights import begin, click_seen, seen, stored, stranger, the_bot
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, said, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


def judge_of(table: Table) -> MemberActor:
    return stranger(table, manage_messages=True)


async def tools(table: Table, judge: MemberActor) -> ResponseMessage:
    return answer(await judge.slash(table.channel, "battle referee"))


async def use(table: Table, judge: MemberActor, tool: str, values: dict[str, object]) -> str:
    """Open a referee's form, submit it, and return what is said."""
    form = await table.press(await tools(table, judge), tool, by=judge)
    return text_of(answer(await judge.submit_modal(form, values)))


async def expect_match(table: Table) -> None:
    verdict = answer(await table.ann.slash(table.channel, "battle verify"))
    assert text_of(verdict).startswith("### ✅ Match"), text_of(verdict)


async def test_a_player_is_replaced(table: Table) -> None:
    panel = await begin(table)
    judge, carl = judge_of(table), stranger(table)
    done = await use(table, judge, "Replace a player", {"seat": ["attacker"], "who": [carl]})
    assert done == f"🔁 <@{carl.id}> takes over the attacker in #1."
    expect_in(text_of(panel), f"Attacker: <@{carl.id}>", f"🔁 <@{carl.id}> took over the attacker before round 1")
    (reply,) = (await table.press(panel, "Fight round 1")).followups
    expect_in(text_of(reply), "⚠️ Only the attacker")
    await table.press(panel, "Fight round 1", by=carl)
    battle = await stored(table)
    note, step = await table.bot.services[BattleRepository].journal(battle.id)
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
    log = said(answer(await table.ann.slash(table.channel, "battle log")))
    expect_in(log, "Another player took over the attacker before round 1.")


async def test_who_left_the_server_is_replaced_and_the_bot_takes_a_seat(table: Table) -> None:
    panel = await begin(table)
    table.env.backend.remove_member(table.ann.guild.id, table.ben.id)
    judge = judge_of(table)
    done = await use(table, judge, "Replace a player", {"seat": ["defender"], "who": [the_bot(table)]})
    assert done == "🔁 I take over the defender in #1."
    expect_in(text_of(panel), "Defender: 🤖 the bot")
    await table.press(panel, "Fight round 1")
    assert (await stored(table)).steps == 1


async def test_a_referee_takes_over_a_seat(table: Table) -> None:
    panel = await begin(table)
    judge = judge_of(table)
    await use(table, judge, "Take over a seat", {"seat": ["attacker"]})
    expect_in(text_of(panel), f"Attacker: <@{judge.id}>")
    expect_in(await use(table, judge, "Take over a seat", {"seat": ["defender"]}), "⚠️", "already has a part in #1")


async def test_the_referee_s_role_is_handed_over(table: Table) -> None:
    panel = await begin(table)
    judge, zoe = judge_of(table), stranger(table)
    refused = answer(await zoe.slash(table.channel, "battle referee"))
    expect_in(text_of(refused), "⚠️ Only somebody who may manage messages, or was made its referee")
    expect_in(await use(table, judge, "Hand over the role", {"who": [table.ann]}), "⚠️", "choose a referee who doesn't")
    assert await use(table, judge, "Hand over the role", {"who": [zoe]}) == f"🧑‍⚖️ <@{zoe.id}> is the referee of #1 now."
    expect_in(text_of(panel), f"🧑‍⚖️ Referee: <@{zoe.id}>")
    await table.press(await tools(table, zoe), "Set the clock", by=zoe)
    await table.press(panel, "Fight round 1", by=zoe)
    assert (await stored(table)).steps == 1, "a referee may fire for the attacker"
    await expect_match(table)
    await table.restart()
    listed = text_of(answer(await zoe.slash(table.channel, "battle clock", turn="1 h")))
    expect_in(listed, "1 hour a turn")


async def test_a_referee_who_is_forgotten_is_the_referee_no_more(table: Table) -> None:
    panel = await begin(table)
    judge, zoe = judge_of(table), stranger(table)
    await use(table, judge, "Hand over the role", {"who": [zoe]})
    exported = answer(await zoe.slash(table.channel, "privacy export"))
    files = [await file.read() for file in exported.attachments]
    assert any(b'"referee": true' in data for data in files)
    await table.surely("privacy delete", by=zoe)
    assert (await stored(table)).referee is None
    await table.bot.services[MaintenanceTasks].catch_up()
    assert str(zoe.id) not in text_of(panel)
    await expect_match(table)


async def test_joining_is_closed_and_opened_again(table: Table) -> None:
    panel = await begin(table, defender=None)
    judge = judge_of(table)
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


async def test_somebody_is_taken_out_before_it_begins(table: Table) -> None:
    panel = await begin(table)
    judge = judge_of(table)
    assert await use(table, judge, "Take somebody out", {"seat": ["defender"]}) == "👋 The defender is out of #1."
    expect_in(text_of(panel), "Defender: *free*")
    assert "Join as defender" in buttons_of(panel)
    await table.press(panel, "Join as defender", by=table.ben)
    await table.press(panel, "Fight round 1")
    assert "Take somebody out" not in buttons_of(await tools(table, judge))
    await expect_match(table)


async def test_the_tools_are_a_referee_s_alone_and_of_open_battles(table: Table) -> None:
    panel = await begin(table)
    judge, zoe = judge_of(table), stranger(table)
    await use(table, judge, "Hand over the role", {"who": [zoe]})
    shown = await tools(table, zoe)
    await use(table, judge, "Hand over the role", {"who": [judge]})
    refused = answer(await table.press(shown, "Replace a player", by=zoe))
    expect_in(text_of(refused), "⚠️ Only the referee of #1")
    await table.press(panel, "Fight to the end")
    over = answer(await table.press(shown, "Set the clock", by=zoe))
    expect_in(text_of(over), "⚠️ #1 is over.")


async def test_who_is_waited_for_over_all_channels(table: Table) -> None:
    guild = table.ann.guild
    await begin(table)
    judge = judge_of(table)
    other = guild.create_text_channel("other")
    await table.ben.slash(other, "aa battle", setup="6 tanks vs 10 inf", attacker=table.ben, defender=table.ann)
    await judge.slash(other, "battle clock", turn="2 h")
    listed = text_of(answer(await table.ben.slash(table.channel, "battle waiting")))
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
    assert str(hidden.id) in text_of(answer(await judge.slash(table.channel, "battle waiting")))
    listed = text_of(answer(await table.ann.slash(table.channel, "battle waiting")))
    assert listed == "No battle waits for anybody here. `/battle list` shows those of this channel."
