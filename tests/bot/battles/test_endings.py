"""How few presses are between nothing and fun; and what stands below a battle that is over, the same in every game.

The rematch, by the same people or with their sides swapped. Behind "More": the coach, and What if?, a battle that goes
on from a row of another one and counts for nothing.
"""

import json
from dataclasses import replace
from itertools import cycle
from typing import Any

import discord
import pytest
from simcord import MemberActor, ResponseMessage

from bot.store.battles import BattleRepository
from bot.store.database import Database
from sim.core.journal_file import fragment, read, restore, unpack
from sim.core.replay import verify
from sim.core.values import canonical, digest
from sim.jobs import system
from tests.bot.battles.fights import (
    begin,
    begun,
    click_seen,
    end,
    expect_match,
    files_of,
    more,
    press_forged,
    seen,
    stored,
    stranger,
    the_bot,
    told,
    write,
)
from tests.bot.breaks import Wire
from tests.bot.conftest import Table, alt_of, answer, button, buttons_of, expect_in, said, text_of
from tests.bot.games.boss_fight.boss_fights import both
from tests.bot.games.mad_killer_agents.wars import press_turn
from tests.sim.core.test_journal import text_in


@pytest.mark.parametrize(
    ("lacking", "says"),
    [
        (None, "📣 Shared in <#"),
        ("everyone", "You can't write in #news."),
        ("bot", "I can't post in #news: 403 Forbidden"),
        ("answer", "It is done, but Discord couldn't be reached to show it."),
    ],
)
async def test_the_card_is_shown_in_another_channel_where_both_may_write(
    table: Table, wire: Wire, lacking: str | None, says: str
) -> None:
    no = discord.PermissionOverwrite(send_messages=False)
    guild = table.ann.guild
    other = guild.create_text_channel("news", overwrites={guild.default_role: no} if lacking == "everyone" else {})
    if lacking == "bot":
        table.env.inject_error("POST", f"/channels/{other.id}/messages", status=403, code=50013)
    panel = await begun(table, LONG)
    await end(table)
    asked = await table.pressed(panel, "Share", by=table.ben)
    wire.cut("PATCH", "/webhooks/*", times=5 * (lacking == "answer"))
    result = await table.ben.select(asked, [other])
    expect_in(said((result.followups or [answer(result)])[-1]), says)
    shown = [str(message.components) for message in other.history()]
    assert ["Axis & Allies: ended" in card for card in shown] == [True] * (lacking in {None, "answer"})


ARMIES, LONG = "6 tanks vs 10 inf", "20 inf vs 20 inf"
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


@pytest.mark.usefixtures("fixed_dice")
async def test_a_cunning_attacker_leaves_what_is_lost_and_a_bold_one_never(table: Table) -> None:
    for name, goes in (("Vesper", True), ("Brakk", False)):
        panel = await begin(table, "6 tanks vs 10 inf", attacker=None, defender=table.ann)
        await table.press(panel, f"Fight {name}")
        await table.press(panel, buttons_of(panel)[0])
        assert ("the attacker retreated" in text_of(panel)) is goes


BOTH = [ROLL, "Fight to the end"]
VERBS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "aa battle": (["Fight Moss"], BOTH, ["Next chapter"]),
    "mfd start": ([], BOTH, ["Next chapter"]),
    "boss start": (["Join"], ["Strike with the best", "Fight to the end"], ["Next chapter"]),
    "duel fight": ([BEGIN], BOTH, ["Next chapter"]),
    "duel dungeon": (["Enter room 1"], BOTH, ["Next chapter", "Read it all"]),
    "mka new": ([], ["Your turn"], ["Next chapter"]),
}
"""By the command: what leads to the first exchange, the two buttons then, and what a game adds to the row at its end.

A war has turns of many orders in place of rounds.
"""


@pytest.mark.parametrize("command", VERBS)
async def test_every_game_has_the_same_verbs_and_the_same_row_at_its_end(table: Table, command: str) -> None:
    labels, verbs, own = VERBS[command]
    panel = await table.run(command, **WAYS[command][1])
    for label in labels:
        await table.press(panel, label)
    assert buttons_of(panel)[: len(verbs)] == verbs
    first = button(panel, verbs[0])
    await end(table)
    assert told(await press_forged(table, panel, first)) == "⚠️ #1 is over."
    assert buttons_of(panel, house=True) == ["Rematch", *own, "Share", "More"]
    behind = await table.pressed(panel, "More")
    *_, log, fair = buttons_of(behind, house=True)
    assert (log, fair[:13]) == ("Log and files", "How do I know")
    assert (await table.files(await table.press(behind, log))).keys() >= {"battle-1.jsonl"}


REMATCH, SWAPPED = "Rematch", "Rematch, sides swapped"


async def test_the_bot_swaps_too_and_never_chooses_its_losses(table: Table) -> None:
    panel = await begin(table, "2 inf vs 2 inf", defender=the_bot(table), casualties="manual")
    assert REMATCH not in buttons_of(panel, house=True), "nobody asks before the end"
    assert told(await press_forged(table, panel, "b2:1:0:rematch:same")) == "⚠️ #1 isn't over yet."
    await end(table)
    new = await more(table, panel, SWAPPED)
    battle = await stored(table, 2)
    assert [(place.user_id, place.is_bot) for place in battle.places] == [(None, True), (table.ann.id, False)]
    setup = battle.setup
    assert isinstance(setup, dict)
    assert (setup["attacker_losses"], setup["defender_losses"]) == ("score", "manual")
    assert buttons_of(new) == ["Next round", "Fight to the end"]


async def test_two_presses_at_once_open_one_rematch(table: Table) -> None:
    panel = await begin(table)
    await table.press(panel, "Fight to the end")
    await begin(table, attacker=stranger(table))  # others with the same armies are no hindrance
    press = button(panel, REMATCH)
    results = await click_seen(table, seen(table, panel), (table.ann, press), (table.ben, press), twice=True)
    assert len(await table.bot.services[BattleRepository].open_in(table.channel.id)) == 2
    assert sorted(text_of(answer(result))[:2] for result in results) == ["##", "⚠️"]
    assert text_of(await more(table, panel, SWAPPED)) == "⚠️ The rematch is open already: #3."
    await end(table, number=3)
    assert text_of(await table.pressed(panel, REMATCH)).startswith("### #4 ")
    await write(table, "DELETE FROM battles")
    assert text_of(await table.pressed(panel, REMATCH)) == "⚠️ This battle is no longer kept."


@pytest.mark.usefixtures("fixed_dice")
async def test_who_had_a_seat_is_told_of_luck_and_decisions(table: Table) -> None:
    panel = await begin(table, "1942: 6 inf, 2 tanks vs 6 inf")
    assert "isn't over yet" in text_of(answer(await table.ann.slash(table.channel, "battle coach")))
    await table.press(panel, "Next round")
    await table.press(panel, "Retreat")
    await table.pressed(panel, REMATCH)

    public = await table.run("battle coach")
    assert text_of(public).startswith("### 🎓 The coach on #1\n")
    assert "You played within " in alt_of(public)
    private = await more(table, panel, "The coach", by=table.ben)
    assert "You played perfectly; " in alt_of(private)
    assert "The other side gave away " in alt_of(private)
    in_money = await table.run("battle coach", aim="ipc", by=stranger(table))
    assert "The attacker played" in alt_of(in_money)
    assert " IPC" in alt_of(in_money)
    assert "chance or ipc" in text_of(answer(await table.ann.slash(table.channel, "battle coach", aim="beauty")))


@pytest.mark.usefixtures("fixed_dice")
async def test_a_boss_fight_alone_is_coached_and_a_party_is_told_why_not(table: Table) -> None:
    for number, alone in ((1, True), (2, False)):
        panel = answer(await table.ann.slash(table.channel, "boss start", boss="Hollow King"))
        await table.press(panel, "Join")
        if not alone:
            await table.press(panel, "Join", by=table.ben)
        await table.press(panel, "Strike with the best")
        await end(table, number=number)
        behind = await table.pressed(panel, "More")
        assert ("The coach" in buttons_of(behind, house=True)) is alone
    expect_in(alt_of(await table.run("battle coach", number=1)), "You played within ", "the dice ")
    refused = await table.ann.slash(table.channel, "battle coach", number=2)
    assert "a party has too many choices" in text_of(refused.followups[0])


async def ended(table: Table) -> None:
    """Have Ann and Ben fight a round of a battle, and end it."""
    await begun(table, LONG)
    await end(table)


async def test_a_branch_begins_as_the_other_battle_stood_and_is_checked_by_its_own_file(table: Table) -> None:
    await ended(table)
    parent = read((await files_of(table, number=1))["battle-1.jsonl"])
    panel = await table.run("battle branch", number=1, row=1)
    mark = "What if? Goes on from #1 after row 1, with new dice; counts for nothing"
    expect_in(said(panel), "### #2 Axis & Allies", mark)
    expect_in(alt_of(panel), "What if? Goes on from #1 after row 1.")
    await table.press(panel, "Join as defender", by=table.ben)
    begins = (await stored(table, 2)).state_json
    await table.press(panel, "Next round")
    await table.run("battle undo", number=2)
    await table.press(panel, "Agree", by=table.ben)
    assert (await stored(table, 2)).state_json == begins
    expect_in(text_of(await table.run("battle undo", number=2)), "There is no step to take back.")
    expect_in(said(await table.run("battle branch", number=2, row=0)), "#2 isn't over yet")
    await table.press(panel, "Fight to the end")
    await expect_match(table, number=2)
    expect_in(alt_of(await table.run("battle coach", number=2)), "The coach, #2, the chance to win. You played ")
    files = await files_of(table, number=2)
    expect_in(files["battle-2.txt"].decode(), mark)
    journal = read(files["battle-2.jsonl"])
    branch, row = journal.head.branch, parent.entries[0]
    assert branch is not None
    assert (branch.row, branch.hash, digest(branch.state)) == (1, row.hash, row.state_hash)
    rules = system(journal.head.system)
    report = verify(rules, journal)
    assert report.match
    again = restore(rules, unpack(text_in(fragment(journal))))
    assert again.entries[-1].hash == journal.entries[-1].hash
    other = branch.model_copy(update={"state": parent.head.setup})
    forged = verify(rules, replace(journal, head=replace(journal.head, branch_json=canonical(dict(other)))))
    assert forged.mismatch is not None
    assert "the chain is broken there" in forged.mismatch.sentence


async def test_it_is_asked_behind_more_and_counts_for_nothing(table: Table, judge: MemberActor) -> None:
    await table.run("ladder open", by=judge)
    await ended(table)
    shown = await table.pressed(await table.run("battle show", number=1), "More", by=table.ben)
    result = await table.press(shown, "What if?", by=table.ben)
    panel = answer(await table.ben.submit_modal(result, {"row": "x"}))
    expect_in(said(panel), "Type the number of a row")
    panel = answer(await table.ben.submit_modal(await table.press(shown, "What if?", by=table.ben), {"row": "0"}))
    expect_in(said(panel), "Defender: <@", "after row 0")
    assert "ated" not in said(panel).replace("estimated", "")
    await table.press(panel, "Join as attacker")
    await table.fight_out(panel)
    assert "Next chapter" not in buttons_of(panel, house=True)
    rows = await table.bot.services[Database].fetch_all("SELECT battle_id FROM chronicled")
    assert [row["battle_id"] for row in rows] == [(await stored(table, 1)).id]


@pytest.mark.parametrize("command", [command for command, (_, verbs, _) in VERBS.items() if BOTH[1] in verbs])
async def test_there_is_nothing_to_try_where_there_is_no_such_row_or_all_is_over(table: Table, command: str) -> None:
    panel = await table.run(command, **WAYS[command][1])
    for label in (*VERBS[command][0], "Fight to the end"):
        await table.press(panel, label)
    rows = (await stored(table)).version
    expect_in(said(await table.run("battle branch", number=1, row=rows + 1)), f"#1 has {rows} rows; 0 is")
    for row in (rows - 1, rows):  # the last step, and the end
        refused = await table.ann.slash(table.channel, "battle branch", number=1, row=row)
        expect_in(said(refused.followups[-1]), f"#1 was over after row {row}: ", "Go on from an earlier row.")


async def test_where_people_come_and_go_one_plays_all_who_were_there(table: Table) -> None:
    await fight_out(table, await both(table), table.ann, table.ben)
    panel = await table.run("battle branch", number=1, row=2)
    assert [place.user_id for place in (await stored(table, 2)).places] == [table.ann.id] * 2
    kept = "SELECT count(*) AS records, sum(fights) AS fights FROM boss_records"
    board = [tuple(row) for row in await table.bot.services[Database].fetch_all(kept)]
    await fight_out(table, panel, table.ann, table.ann)
    assert not (await stored(table, 2)).is_open
    assert [tuple(row) for row in await table.bot.services[Database].fetch_all(kept)] == board


async def fight_out(table: Table, panel: ResponseMessage, *members: MemberActor) -> None:
    """Have members strike in turns until a fight is over."""
    for member in cycle(members):
        if "Strike with the best" not in buttons_of(panel):
            break
        await table.press(panel, "Strike with the best", by=member)
