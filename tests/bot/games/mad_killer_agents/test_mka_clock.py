"""Whose turn it is: the reminder, the time of a turn, being away, who plays instead, giving up."""

import pytest
from simcord import MemberActor, ResponseMessage

from bot.battles.maintenance import MaintenanceTasks
from sim.mad_killer_agents.constants import AiKind
from tests.bot.battles.fights import stored, stranger
from tests.bot.conftest import Table, answer, buttons_of, expect_in, text_of
from tests.bot.games.mad_killer_agents.wars import begin_game, orders, press_turn, state_of, turn_message

pytestmark = pytest.mark.usefixtures("fixed_dice")


def reminders(table: Table) -> list[str]:
    """Return the texts of the reminders that stand in the channel."""
    return [message.content for message in table.channel.history() if "your turn" in message.content]


def pings(table: Table) -> list[list[str]]:
    """Return whom each message of the bot pinged, those that pinged nobody left out."""
    found = [
        entry.json["allowed_mentions"].get("users", [])
        for entry in table.env.http_requests
        if isinstance(entry.json, dict) and "allowed_mentions" in entry.json
    ]
    return [[str(user) for user in users] for users in found if users]


async def away(table: Table, who: MemberActor, **options: object) -> str:
    message = await table.run("mka away", **options, by=who)
    assert message.ephemeral
    return text_of(message)


async def place(table: Table, panel: ResponseMessage, who: MemberActor) -> ResponseMessage:
    message = await table.pressed(panel, "Your place", by=who)
    assert message.ephemeral
    return message


async def test_the_player_on_turn_alone_is_reminded_by_one_small_message(table: Table) -> None:
    panel = await begin_game(table, rounds=2)
    assert reminders(table) == [], "Ann began, she knows"
    await orders(table, "A2-B3; end", table.ann)
    (text,) = reminders(table)
    link = f"https://discord.com/channels/{table.ann.guild.id}/{table.channel.id}/{panel.id}"
    assert text == f"▶️ <@{table.ben.id}> your turn in [#1]({link}), round 1 of 2."
    await orders(table, "H4-G4", table.ben)
    assert len(reminders(table)) == 1, "an order changes nothing about whose turn it is"
    await orders(table, "end", table.ben)
    (text,) = reminders(table)
    assert f"<@{table.ann.id}> your turn" in text
    assert pings(table) == [[str(table.ben.id)], [str(table.ann.id)]]
    await orders(table, "end", table.ann)
    await orders(table, "end", table.ben)
    assert reminders(table) == [], "the game is over"


async def test_nobody_is_reminded_twice_after_a_restart(table: Table) -> None:
    await begin_game(table)
    await orders(table, "end", table.ann)
    await table.restart()
    await table.bot.services[MaintenanceTasks].catch_up()
    await table.ann.slash(table.channel, "battle show")
    assert len(pings(table)) == 1
    await orders(table, "end", table.ben)
    assert len(reminders(table)) == 1, "the older message is found and goes"


async def test_a_reminder_that_can_not_be_posted_keeps_nothing_from_being_done(table: Table) -> None:
    panel = await begin_game(table)
    table.env.inject_error("POST", "/channels/*/messages", status=403, code=50001, times=1)
    await orders(table, "end", table.ann)
    assert reminders(table) == []
    assert text_of(panel).startswith("### #1 Mad Killer Agents: round 1 of 100, 🔵 ben")


async def test_who_is_forgotten_is_mentioned_no_more(table: Table) -> None:
    await begin_game(table)
    await orders(table, "end", table.ann)
    assert str(table.ben.id) in reminders(table)[0]
    await table.surely("privacy delete", by=table.ben)
    assert reminders(table) == []


async def test_a_reminder_that_was_deleted_is_no_problem(table: Table) -> None:
    await begin_game(table)
    await orders(table, "end", table.ann)
    (message,) = [message for message in table.channel.history() if "your turn" in message.content]
    table.env.backend.delete_message(table.channel.id, message.id)
    await orders(table, "end", table.ben)
    assert len(reminders(table)) == 1


async def test_a_turn_that_lasts_too_long_is_played_by_the_chosen_ai(table: Table) -> None:
    panel = await begin_game(table, turn_time=5)
    until = int(table.clock.now) + 300
    assert f"⏰ Time is up <t:{until}:R>; then the marshal takes this turn." in text_of(panel)
    await table.fill(await place(table, panel, table.ann), "Choose who plays for me", {"ai": ["random"]})
    assert f"⏰ Time is up <t:{until}:R>; then the random takes this turn." in text_of(panel)
    table.clock.now += 299
    await table.bot.services[MaintenanceTasks].tick()
    assert (await state_of(table)).turn == 1
    table.clock.now += 1
    await table.bot.services[MaintenanceTasks].tick()
    assert (await state_of(table)).turn == 2
    assert "The random plays for ann." in text_of(panel).replace("\\", "")
    assert f"<@{table.ben.id}> your turn" in reminders(table)[0]
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match")


async def test_small_orders_do_not_make_a_turn_longer(table: Table) -> None:
    await begin_game(table, turn_time=2)
    for text in ("A2-B2", "B2-C2"):
        table.clock.now += 50
        await orders(table, text, table.ann)
    table.clock.now += 19
    await table.bot.services[MaintenanceTasks].tick()
    assert (await state_of(table)).turn == 1
    table.clock.now += 2
    await table.bot.services[MaintenanceTasks].tick()
    assert (await state_of(table)).turn == 2
    table.clock.now += 119
    await table.bot.services[MaintenanceTasks].tick()
    assert (await state_of(table)).turn == 2, "the next turn has its own time"


async def test_who_comes_back_while_others_play_makes_no_turn_longer(table: Table) -> None:
    panel = await begin_game(table, turn_time=2)
    due = next(line for line in text_of(panel).splitlines() if "Time is up" in line)
    table.clock.now += 60
    await away(table, table.ben)
    await away(table, table.ben, back=True)
    assert due in text_of(panel)


async def test_a_turn_that_a_step_back_returns_to_has_its_time_anew(table: Table) -> None:
    panel = await begin_game(table, turn_time=2)
    table.clock.now += 100
    await orders(table, "end", table.ann)
    table.clock.now += 100
    await table.ann.slash(table.channel, "battle undo")
    await table.press(panel, "Agree", by=table.ben)
    table.clock.now += 100
    await table.bot.services[MaintenanceTasks].tick()
    assert (await state_of(table)).turn == 1
    table.clock.now += 21
    await table.bot.services[MaintenanceTasks].tick()
    assert (await state_of(table)).turn == 2


async def test_without_hurry_nobody_s_time_is_ever_up(table: Table) -> None:
    assert "⏰" not in text_of(await begin_game(table, turn_time=0))
    table.clock.pass_days(20)
    await table.bot.services[MaintenanceTasks].tick()
    assert (await state_of(table)).turn == 1


async def test_somebody_is_away_and_comes_back(table: Table) -> None:
    panel = await begin_game(table)
    expect_in(await away(table, table.ben, ai="pillager"), "AI plays your turns in #1", "/mka away back:True")
    assert f"🔵 **ben** <@{table.ben.id}>, 💤 pillager" in text_of(panel)
    await orders(table, "end", table.ann)
    state = await state_of(table)
    assert (state.round, state.turn) == (2, 1), "the pillager has played Ben's turn"
    assert "You are already away" in await away(table, table.ben)
    await away(table, table.ben, ai="random")
    assert (await state_of(table)).player(2).deputy is AiKind.RANDOM
    assert await away(table, table.ben, back=True) == "👋 Welcome back: you play your own turns in #1 again."
    await orders(table, "end", table.ann)
    assert (await state_of(table)).turn == 2
    assert await away(table, stranger(table)) == "⚠️ You don't play in #1."
    assert "⚠️ That can't be done now" in await away(table, table.ann, back=True)


async def test_who_leaves_in_the_own_turn_has_it_played_at_once(table: Table) -> None:
    panel = await begin_game(table)
    message = await turn_message(table, panel)
    await table.press(await place(table, panel, table.ann), "I'm away")
    assert (await state_of(table)).turn == 2
    assert text_of(answer(await press_turn(table, message, "found"))) == "⚠️ It is ben's turn."
    assert "I'm back" in buttons_of(await place(table, panel, table.ann))


async def test_resigning_is_asked_for_twice(table: Table) -> None:
    panel = await begin_game(table, "random")
    message = await place(table, panel, table.ben)
    await table.press(message, "Resign …", by=table.ben)
    expect_in(text_of(message), "Give up #1?", "lose all your armies and cities")
    await table.press(message, "Resign", by=table.ben)
    assert "💀 ben" in text_of(panel)
    assert "ben resigns." in text_of(panel).replace("\\", "")


async def test_a_referee_puts_an_ai_in_somebody_s_place_and_calls_the_time(table: Table) -> None:
    panel = await begin_game(table)
    judge = stranger(table, manage_messages=True)
    message = await place(table, panel, judge)
    assert buttons_of(message) == ["Replace by an AI", "Time is up"]
    await table.fill(message, "Replace by an AI", {"number": ["2"], "ai": ["random"]}, by=judge)
    assert "🔵 **ben** 🤖 random" in text_of(panel)
    assert (await state_of(table)).player(2).ai is AiKind.RANDOM
    before = await stored(table)
    await table.press(await place(table, panel, judge), "Time is up", by=judge)
    assert (await stored(table)).version > before.version


async def test_others_may_put_an_ai_in_their_own_place_alone(table: Table) -> None:
    panel = await begin_game(table)
    message = await place(table, panel, table.ben)
    assert "Time is up" not in buttons_of(message)
    (reply,) = (
        await table.fill(message, "Replace by an AI", {"number": ["1"], "ai": ["random"]}, by=table.ben)
    ).followups
    expect_in(text_of(reply), "⚠️ Only the referee")
    await table.fill(reply, "Fix it", {"number": ["2"], "ai": ["random"]}, by=table.ben)
    assert (await state_of(table)).player(2).ai is AiKind.RANDOM
    expect_in(text_of(await table.pressed(panel, "Your place", by=stranger(table))), "⚠️", "in #1")
