"""Below a battle that is over: the same row in every game, what is behind "More", and where it can be shown."""

from functools import partial

import discord
import pytest
from simcord import ChannelHandle

from bot.battles.endings import Ending, Endings
from bot.battles.presenter import DICE
from bot.client import Interaction
from bot.store.battle import Battle
from bot.ui.interactions import reply
from bot.ui.text import text_view
from tests.bot.battles.fights import begin, begun, end
from tests.bot.conftest import Table, answer, buttons_of, expect_in, said, text_of

all_of = partial(buttons_of, house=True)
ROW = ["Rematch", "Next chapter", "Share", "More"]


async def test_an_ended_battle_has_one_row_and_the_rest_behind_more(table: Table) -> None:
    panel = await begun(table)
    assert DICE.question not in all_of(panel)
    await end(table)
    assert all_of(panel) == ROW
    more = await table.pressed(panel, "More")
    assert all_of(more) == ["Rematch, sides swapped", "What if?", "The coach", "Log and files", DICE.question]
    expect_in(text_of(await table.pressed(more, DICE.question)), "The seed:")
    log = await table.press(more, "Log and files")
    assert (await table.files(log)).keys() >= {"battle-1.jsonl"}


async def test_how_the_dice_are_made_is_offered_until_the_first_roll(table: Table) -> None:
    panel = await begin(table)
    assert DICE.question in all_of(panel)
    await table.press(panel, "Next round")
    assert DICE.question not in all_of(panel)


async def test_a_feature_adds_its_button_to_the_row_or_behind_more(table: Table) -> None:
    async def told(interaction: Interaction, battle: Battle) -> None:
        await reply(interaction, text_view([f"Told of #{battle.number}"]))

    endings = table.bot.services[Endings]
    endings["first"] = Ending("In the row", "🅰️", told, first=True)
    endings["second"] = Ending("Behind", "🅱️", told)
    endings["third"] = Ending("Never", "🚫", told, fits=lambda _: False)
    panel = await begun(table)
    await end(table)
    assert all_of(panel) == ["Rematch", "Next chapter", "In the row", "Share", "More"]
    assert "Behind" in all_of(more := await table.pressed(panel, "More"))
    assert text_of(await table.pressed(panel, "In the row")) == "Told of #1"
    assert text_of(await table.pressed(more, "Behind")) == "Told of #1"


async def share(table: Table, channel: ChannelHandle) -> str:
    """Have Ben share the end of a battle, and return the answer."""
    panel = await begun(table)
    await end(table)
    where = await table.pressed(panel, "Share", by=table.ben)
    result = await table.ben.select(where, [channel])
    return said((result.followups or [answer(result)])[-1])


async def test_the_card_is_shown_in_another_channel(table: Table) -> None:
    other = table.ann.guild.create_text_channel("stories")
    expect_in(await share(table, other), f"📣 Shared in <#{other.id}>.")
    message = other.last_message
    assert message is not None
    assert "Axis & Allies: ended" in str(message.components)


@pytest.mark.parametrize(
    ("who", "refusal"), [("everyone", "You can't write in #news."), ("bot", "I can't post in #news: 403 Forbidden")]
)
async def test_it_is_shown_only_where_both_may_write(table: Table, who: str, refusal: str) -> None:
    no = discord.PermissionOverwrite(send_messages=False)
    guild = table.ann.guild
    other = guild.create_text_channel("news", overwrites={guild.default_role: no} if who == "everyone" else {})
    if who == "bot":
        table.env.inject_error("POST", f"/channels/{other.id}/messages", status=403, code=50013)
    expect_in(await share(table, other), refusal)
