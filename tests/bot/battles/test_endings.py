"""How few presses are between nothing and fun; and below a battle that is over, the same row in every game."""

import json
from functools import partial
from typing import Any

import discord
import pytest
from simcord import ChannelHandle

from bot.battles.endings import Ending, Endings
from bot.battles.presenter import DICE
from bot.client import Interaction
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.ui.interactions import reply
from bot.ui.text import text_view
from tests.bot.battles.fights import begin, begun, end, stored
from tests.bot.conftest import Table, answer, buttons_of, expect_in, said, text_of
from tests.bot.games.mad_killer_agents.wars import press_turn

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


pytestmark = pytest.mark.usefixtures("fixed_dice")

ARMIES = "6 tanks vs 10 inf"
BEGIN, ROLL, ORDER = "Begin", "Next round", "grow"

WAYS: dict[str, tuple[int, dict[str, Any], list[str], str]] = {
    "aa battle": (3, {"setup": ARMIES}, ["Fight Brakk", ROLL], "fire"),
    "aacalc": (4, {"battle": ARMIES}, ["Fight this out", "Fight Vesper", ROLL], "fire"),
    "mfd start": (2, {}, [ROLL], "next-round"),
    "boss start": (3, {}, ["Join", "Strike with the best"], "step"),
    "duel fight": (3, {}, [BEGIN, ROLL], "continue"),
    "duel challenge": (3, {}, [BEGIN, ROLL], "continue"),
    "duel dungeon": (3, {}, ["Enter room 1", ROLL], "continue"),
    "mka new": (2, {}, [ORDER], "give"),
    "help": (4, {}, ["Axis & Allies", "Try it", ROLL], "fire"),
}
"""From nothing to the first roll, exchange or order, by the command that it begins with: how many presses, the command
among them, are asked for; the options; the other presses; and what the last of them does."""


@pytest.mark.parametrize("command", WAYS)
async def test_few_presses_lead_from_nothing_to_the_first_roll_exchange_or_order(table: Table, command: str) -> None:
    most, options, labels, deed = WAYS[command]
    assert 1 + len(labels) <= most
    result = await table.ann.slash(table.channel, command, **options)
    message = answer(result)
    for label in labels:
        if label == ORDER:
            await press_turn(table, result.followups[0], label)
        else:
            message = (await table.press(message, label)).response or message
    steps = await table.bot.services[BattleRepository].latest_steps((await stored(table)).id)
    assert json.loads(steps[-1].action_json)["do"] == deed


BOTH = [ROLL, "Fight to the end"]
VERBS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "aa battle": (["Fight Moss"], BOTH, ["Next chapter"]),
    "mfd start": ([], BOTH, ["Next chapter"]),
    "boss start": (["Join"], ["Strike with the best", "Fight to the end"], ["Next chapter"]),
    "duel fight": ([BEGIN], BOTH, ["Next chapter", "Read it all"]),
    "duel dungeon": (["Enter room 1"], BOTH, ["Next chapter", "Read it all"]),
    "mka new": ([], ["Your turn"], []),
}
"""By the command: what leads to the first exchange, the two buttons then, and what a game adds to the row at its end.

A war has turns of many orders in place of rounds, and no next chapter.
"""


@pytest.mark.parametrize("command", VERBS)
async def test_every_game_has_the_same_verbs_and_the_same_row_at_its_end(table: Table, command: str) -> None:
    labels, verbs, own = VERBS[command]
    panel = await table.run(command, **WAYS[command][1])
    for label in labels:
        await table.press(panel, label)
    assert buttons_of(panel)[: len(verbs)] == verbs
    await end(table)
    assert buttons_of(panel, house=True) == ["Rematch", *own, "Share", "More"]
    *_, log, fair = buttons_of(await table.pressed(panel, "More"), house=True)
    assert (log, fair[:13]) == ("Log and files", "How do I know")
