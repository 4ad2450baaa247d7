"""Messages to the bot, and the menus of messages and people, over the wire."""

from functools import partial

import pytest

from tests.live.conftest import Bots, Live
from tests.live.places import MANAGE_MESSAGES
from tests.live.wire import CHANNEL, Fault
from tests.live.world import Exchange, Message, snowflake

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]

BATTLE = "6 tanks vs 10 inf"


def to_me(live: Live, text: str) -> str:
    return f"<@{live.discord.app.id}> {text}"


def replies(live: Live, message: Message) -> list[Message]:
    return [one for one in live.discord.posted(message.channel) if one.replies_to == message.id]


async def reply(live: Live, message: Message) -> Message:
    """Wait for the one reply to a message, and for all else that the bot has been told."""
    await live.discord.until(lambda: replies(live, message))
    await quiet(live)
    (found,) = replies(live, message)
    return found


async def quiet(live: Live) -> None:
    """Wait until the bot has dealt with what it was told before."""
    for _ in range(2):  # an answer that wasn't to come may be as long on its way as the first
        marker = await live.ben.say(to_me(live, BATTLE))
        await live.discord.until(partial(replies, live, marker))


async def test_a_mention_is_answered_once_in_a_reply_with_the_buttons_of_a_command(live: Live) -> None:
    asked = await live.ann.say(to_me(live, f"<@1> at <t:20:t>, <:hm:3> https://4.de: what about {BATTLE}?"))
    await live.ann.repeat(asked)
    found = await reply(live, asked)
    assert "6 tanks" in found.text
    assert found.files, "with its picture"
    assert "Fight this out" in found.buttons
    assert (await live.ann.press(found, "Next")).message is found
    assert (await live.ben.press(found, "Next")).message.private


async def test_only_who_calls_the_bot_by_name_is_answered(live: Live) -> None:
    robot = live.discord.player("robot", live.channel)
    robot.user.bot = True
    said = [await live.ann.say(BATTLE), await robot.say(to_me(live, BATTLE))]
    pinged = Message(live.channel, live.ann.user, {"content": f"nice, {BATTLE}"})
    await live.ann.repeat(pinged, mentions=True)  # a reply to a message of the bot's does that
    await quiet(live)
    assert not [found for message in (*said, pinged) for found in replies(live, message)]
    await live.ann.rewrite(said[0], to_me(live, BATTLE))
    assert "6 tanks" in (await reply(live, said[0])).text, "a name that is added within the minute asks too"


async def test_a_direct_message_needs_no_name_for_a_battle(live: Live) -> None:
    inbox = live.discord.new_channel(direct=True)
    ann = live.ann.at(inbox)
    await ann.say("hello")
    asked = await ann.say(BATTLE)
    await live.discord.until(lambda: replies(live, asked))
    assert [found.replies_to for found in live.discord.posted(inbox)] == [asked.id]


async def test_the_answer_follows_edits_for_a_minute(live: Live) -> None:
    asked = await live.ann.say(to_me(live, BATTLE))
    found = await reply(live, asked)
    await live.ann.rewrite(asked, to_me(live, "7 tanks vs 10 inf"))
    await live.discord.until(lambda: "7 tanks" in found.text)
    assert len(found.files) == 1
    await live.ann.repeat(asked, "MESSAGE_UPDATE")  # such as for a link that Discord unfolds
    assert (await reply(live, asked)).edits == 1

    old = Message(live.channel, live.ann.user, {"content": to_me(live, BATTLE)}, id=snowflake(seconds_ago=61))
    await live.ann.repeat(old)
    await reply(live, old)
    await live.ann.rewrite(old, to_me(live, "7 tanks vs 10 inf"))
    assert (await reply(live, old)).edits == 0


@pytest.mark.parametrize(
    ("text", "hint"),
    [("6 tanx vs 10 inf", "Did you mean 6 tank vs 10 inf?"), ("held by 5 inf vs 6 tanks", f"This is one: {BATTLE}")],
)
async def test_what_is_no_battle_gets_one_sentence_that_an_edit_turns_into_the_answer(
    live: Live, text: str, hint: str
) -> None:
    asked = await live.ann.say(to_me(live, text))
    found = await reply(live, asked)
    assert hint in found.text
    await live.ann.rewrite(asked, to_me(live, "what, no?"))
    assert (await reply(live, asked)).edits == 0
    await live.ann.rewrite(asked, to_me(live, BATTLE))
    await live.discord.until(lambda: "Fight this out" in found.buttons)
    assert (await reply(live, asked)) is found


async def test_where_the_bot_may_not_write_it_is_silent_and_the_log_says_so_once(live: Live) -> None:
    fault = Fault("POST", CHANNEL, times=None, status=403, code=50013)
    with live.discord.api.faults.add(fault):
        await live.ann.say(to_me(live, BATTLE))
        await live.discord.until(lambda: fault.hits == 1)
        await live.ann.say(to_me(live, BATTLE))
        await live.discord.until(lambda: fault.hits == 2)
    await quiet(live)
    assert [one["channel"] for one in live.bot.events("mention_not_answered")] == [live.channel.id]


async def test_a_server_may_switch_it_off(live: Live) -> None:
    live.ben.user.permissions |= MANAGE_MESSAGES
    await live.ben.slash("battle settings", mentions="off")
    asked = await live.ann.say(to_me(live, BATTLE))
    await live.ben.slash("battle list")  # while that is answered, the mention is read
    await live.ben.slash("battle settings", mentions="on")
    await live.ann.rewrite(asked, to_me(live, "7 tanks vs 10 inf"))
    await quiet(live)
    assert not replies(live, asked), "not even for an edit"


async def test_a_message_is_answered_once_whatever_bot_it_is_delivered_to(bots: Bots) -> None:
    live = await bots.start()
    asked = await live.ann.say(to_me(live, BATTLE))
    await reply(live, asked)
    fault = Fault("POST", CHANNEL, delay=30.0)
    with live.discord.api.faults.add(fault):
        await live.ann.say(to_me(live, BATTLE))
        await live.discord.until(lambda: fault.hits)
        assert await live.bot.stop() == 0, "an answer on its way holds nobody up"
    again = await bots.start(live.discord)
    await live.ann.repeat(asked)
    await live.ann.rewrite(asked, to_me(live, "7 tanks vs 10 inf"))
    await quiet(again)
    (found,) = replies(live, asked)
    assert "6 tanks" in found.text


async def test_the_odds_of_a_message_are_private_and_can_be_shared(live: Live) -> None:
    said = await live.ben.say(f"I go in.\n{BATTLE}, wish me luck")
    refused = await live.ann.menu("Odds of this", await live.ben.say("good morning"))
    assert refused.message.private
    assert f"I don't see a battle in this message. This is one: {BATTLE}" in refused.text
    said.body["content"] = f"I go in at 8{'!' * 500}\n{BATTLE}"
    found = await live.ann.menu("Odds of this", said)
    assert found.message.private
    assert "6 tanks" in found.text
    await live.ann.press(found.message, "Share")
    (shared,) = live.discord.posted(live.channel)[-1:]
    assert "6 tanks" in shared.text


async def test_the_odds_of_a_picture_are_those_of_its_description(live: Live) -> None:
    picture = live.discord.api.keep("map.png", b"")
    picture.description = "1942: 3 inf vs 2 inf"
    found = await live.ann.menu("Odds of this", await live.ben.say("look", picture))
    assert "3 infantry" in found.text
    assert "3 infantry" in (await reply(live, await live.ben.say(to_me(live, "this"), picture))).text
    again = await live.ben.menu("Odds of this", found.message)
    assert "infantry" in again.text, "what the bot shows has its battle, too"


async def test_a_battle_is_checked_from_its_panel_and_from_its_file(live: Live) -> None:
    async def checked(target: Message) -> Exchange:
        return await live.ben.menu("Check this battle", target)

    panel = (await live.ann.slash("aa battle", setup="3 inf vs 2 inf", attacker=live.ann, defender=live.ben)).message
    await live.ann.press(panel, "Fight to the end")
    assert "✅ Match: #1, " in (await checked(panel)).text
    log = await live.ben.slash("battle log", number=1)
    files = (await live.ben.press(log.message, "Files")).message.files
    (journal,) = [each.data for each in files if each.name.endswith(".jsonl")]
    for data, told in (
        (journal, "✅ Match: Axis & Allies, "),
        (journal.replace(b'"version":1', b'"version":2', 1), "❌ No match"),
        (b"{}\n", "a journal has at least two lines"),
    ):
        answer = await checked(await live.ann.say("mine", live.discord.api.keep("battle.jsonl", data)))
        assert told in answer.text
        assert (answer.message in live.discord.posted(live.channel)) is ("atch" in told), "a verdict is public"
    refused = await checked(await live.ann.say("no battle"))
    assert "This isn't a battle's panel" in refused.text
    assert refused.message.private


async def test_a_person_has_a_menu(live: Live) -> None:
    challenge = await live.ann.menu("Challenge", live.ben)
    assert f"challenges <@{live.ben.user.id}>" in challenge.text
    assert "Challenge another player" in (await live.ann.menu("Challenge", live.ann)).text
    for name, nothing in (("Profile", "No battles of"), ("Luck", "No dice of")):
        answer = await live.ann.menu(name, live.ben)
        assert nothing in answer.text
        assert answer.message.private
    own = await live.ann.menu("Profile", live.ann)
    assert own.message.private
    assert own.message.files
