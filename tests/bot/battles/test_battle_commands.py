"""`/battle`: list, show, log, undo, verify, end."""

import hashlib

import pytest

from sim.core.journal_file import load
from sim.core.replay import verify
from sim.jobs.discovery import system
from tests.bot.battles.fights import (
    begin,
    begun,
    click_seen,
    end,
    expect_match,
    files_of,
    seen,
    stored,
    stranger,
    the_bot,
    told,
    undo,
    write,
)
from tests.bot.conftest import SEED, Table, answer, button, buttons_of, expect_in, said, text_of

pytestmark = pytest.mark.usefixtures("fixed_dice")


async def test_list_tells_who_fights_and_links_the_panels(table: Table) -> None:
    expect_in(text_of(await table.run("battle list")), "No battle is open here", "`/help`")
    panel = await begin(table)
    await begin(table, attacker=None, defender=the_bot(table))
    await table.press(panel, "Fight round 1")
    reply = await table.run("battle list")
    assert reply.ephemeral
    first, second = text_of(reply).splitlines()
    link = f"https://discord.com/channels/{table.ann.guild.id}/{table.channel.id}/{panel.id}"
    who = f"<@{table.ann.id}> (attacker) v <@{table.ben.id}> (defender)"
    assert first == f"**#1 Axis & Allies, at round 1**: {who} [panel]({link})"
    assert second.startswith("**#2 Axis & Allies, before round 1**: *free* (attacker) v 🤖 the bot (defender) [panel](")


async def test_numbers_are_completed(table: Table) -> None:
    await begin(table)
    await begin(table)
    for name in ("show", "log", "undo", "verify", "end"):
        offered = await table.ann.autocomplete(table.channel, f"battle {name}", "number", "")
        # Logs and checks are wanted of the newest battles, closed ones too; the others of what goes on.
        assert [choice["value"] for choice in offered] == ([2, 1] if name in {"log", "verify"} else [1, 2])
        assert f"#{offered[0]['value']} Axis & Allies, before round 1" == offered[0]["name"]
    assert [choice["value"] for choice in await table.ann.autocomplete(table.channel, "battle log", "number", "2")] == [
        2
    ]


async def test_a_battle_just_over_is_meant_without_a_number(table: Table) -> None:
    for _ in range(2):
        await table.press(await begin(table), "Fight to the end")
    assert text_of(await table.run("battle verify")).startswith("### ✅ Match: #2")
    assert "#2" in text_of(await table.run("battle log"))
    for name, numbers in (("log", [2, 1]), ("verify", [2, 1]), ("show", []), ("undo", []), ("end", [])):
        offered = await table.ann.autocomplete(table.channel, f"battle {name}", "number", "")
        assert [choice["value"] for choice in offered] == numbers


@pytest.mark.parametrize("name", ["show", "log", "undo", "verify", "end"])
async def test_a_number_that_is_not_there_or_not_said(table: Table, name: str) -> None:
    none = await table.run(f"battle {name}")
    assert none.ephemeral
    expect_in(text_of(none), "⚠️ No battle is open", "number")
    assert text_of(await table.run(f"battle {name}", number=7)) == "⚠️ There is no battle #7 in this channel."
    await begin(table)
    await begin(table)
    expected = (
        "Take back the last step of which battle?" if name == "undo" else "⚠️ Which one? These are open here: #1, #2."
    )
    assert text_of(await table.run(f"battle {name}")) == expected


async def test_show_brings_the_panel_to_the_end_and_retires_the_old_one(table: Table) -> None:
    old = await begin(table)
    before, fight = seen(table, old), button(old, "Fight round 1")
    new = await table.run("battle show", by=table.ben)
    assert not new.ephemeral
    assert buttons_of(new) == ["Fight round 1", "Fight to the end"]
    assert buttons_of(old) == []
    link = f"https://discord.com/channels/{table.ann.guild.id}/{table.channel.id}/{new.id}"
    expect_in(text_of(old), "#1 Axis & Allies", link)
    assert ((await stored(table)).panel_id, (await stored(table)).panels_retired) == (new.id, ())
    # A press on the old one that was under way counts, and shows where the battle is seen now.
    await click_seen(table, before, (table.ann, fight))
    assert text_of(new).startswith("### #1 Axis & Allies: round 1\n")
    assert buttons_of(old) == []


async def test_an_old_panel_that_could_not_be_retired_is_retired_later(table: Table) -> None:
    old = await begin(table)
    table.env.inject_error("PATCH", f"/channels/*/messages/{old.id}", status=403, code=50001)
    new = await table.run("battle show")
    assert "Fight round 1" in buttons_of(old)
    await table.press(new, "Fight round 1")
    assert buttons_of(old) == []
    assert (await stored(table)).panels_retired == ()


async def test_an_old_panel_that_was_deleted_is_no_hindrance(table: Table) -> None:
    old = await begin(table)
    table.env.backend.delete_message(old.channel_id, old.id)
    await table.run("battle show")
    assert (await stored(table)).panels_retired == ()


async def test_log_as_pages_and_files_without_the_seed_while_it_is_open(table: Table) -> None:
    panel = await begin(table)
    assert "Nothing has happened yet." in said(await table.run("battle log"))
    await table.press(panel, "Fight round 1")
    reply = await table.run("battle log")
    assert "### #1 Axis & Allies: the log" in text_of(reply)
    assert "Round 1: 6 tanks against 10 infantry" in said(reply)
    files = await files_of(table)
    assert list(files) == ["battle-1.txt", "battle-1.jsonl"]
    assert all(SEED.hex().encode() not in data for data in files.values())
    assert str(table.ann.id).encode() not in files["battle-1.jsonl"]
    journal = load(files["battle-1.jsonl"].decode())
    assert (journal.seed, len(journal.entries)) == (None, 1)
    assert b"Last row" not in files["battle-1.txt"]
    await table.press(panel, "Fight to the end")
    files = await files_of(table, number=1)
    assert f"Seed: {SEED.hex()}\nLast row's hash: {(await stored(table)).last_hash}\n" in files["battle-1.txt"].decode()
    journal = load(files["battle-1.jsonl"].decode())
    assert journal.seed == SEED
    assert verify(system("aa-battle"), journal).match


async def test_a_private_log(table: Table) -> None:
    await begin(table)
    result = await table.ann.slash(table.channel, "battle log", private=True)
    assert answer(result).ephemeral
    assert result.followups == []


async def test_a_long_log_has_pages(table: Table) -> None:
    panel = await begin(table, "60 inf vs 60 inf")
    await table.press(panel, "Fight to the end")
    log = await table.run("battle log", number=1)
    assert "▶️" in buttons_of(log)
    assert "The battle is closed." in said(await table.pressed(log, "⏭️"))
    await table.restart()
    assert "Round 1: " in said(await table.pressed(log, "⏮️"))


async def test_verify_matches_while_open_and_at_the_end(table: Table) -> None:
    panel = await begun(table)
    text = text_of(await table.run("battle verify"))
    assert text.startswith("### ✅ Match: #1, 1 row\n")
    assert SEED.hex() not in text
    await table.press(panel, "Fight to the end")
    text = text_of(await table.run("battle verify", number=1))
    assert text.startswith("### ✅ Match: #1, 3 rows\n")
    assert f"Seed `{SEED.hex()}`, SHA-256 `{hashlib.sha256(SEED).hexdigest()}`" in text


async def test_verify_names_the_first_difference(table: Table) -> None:
    await begun(table)
    await write(table, "UPDATE journal SET state_hash = ? WHERE n = 1", "0" * 64)
    text = text_of(await table.run("battle verify"))
    assert text.startswith("### ❌ No match: #1, 1 row\nThe first difference: Row 1 ")


async def test_undo_is_asked_and_agreed_to(table: Table) -> None:
    panel = await begun(table)
    reply = await table.run("battle undo")
    assert reply.ephemeral
    assert text_of(reply) == "↩️ #1: now the other side has to agree."
    assert f"↩️ <@{table.ann.id}> wants to take the last step back." in text_of(panel)
    assert (await stored(table)).version == 1
    for who, sentence in (
        (table.ann, "The other side has to agree, not you."),
        (stranger(table), "Only those who fight in #1"),
    ):
        assert sentence in text_of((await table.press(panel, "Agree", by=who)).followups[0])
    await table.press(panel, "Agree", by=table.ben)
    text = text_of(panel)
    assert text.startswith("### #1 Axis & Allies: before round 1\n")
    assert "asks to" not in text
    now = await stored(table)
    assert (now.version, now.steps) == (2, 1)
    await table.press(panel, "Fight round 1")
    await expect_match(table, 4, number=1)
    assert "takes back what came after step 0." in said(await table.run("battle log", number=1))


async def test_undo_goes_back_step_by_step(table: Table) -> None:
    judge = stranger(table, manage_messages=True)
    panel = await begin(table, "20 inf vs 20 inf")
    rounds = []
    for number in (1, 2, 3):
        rounds.append(text_of(panel).split("**Round")[0])
        await table.press(panel, f"Fight round {number}")
    for before in reversed(rounds):
        assert text_of(await undo(table, by=judge)) == "↩️ #1: one step back."
        assert text_of(panel).startswith(before.split("-# Seed")[0])
    assert text_of(await table.run("battle undo", by=judge)) == "⚠️ There is no step to take back."
    await expect_match(table, 6)


async def test_undo_is_refused(table: Table) -> None:
    panel = await begun(table)
    await table.run("battle undo")
    await table.press(panel, "Refuse", by=table.ben)
    assert "asks to" not in text_of(panel)
    assert buttons_of(panel) == ["Fight round 2", "Fight to the end", "Retreat"]
    assert (await stored(table)).version == 1


async def test_a_request_is_void_when_the_battle_goes_on(table: Table) -> None:
    panel = await begun(table)
    await table.run("battle undo")
    before, agree = seen(table, panel), button(panel, "Agree")
    await table.press(panel, "Fight round 2")
    assert "Agree" not in buttons_of(panel)
    (reply,) = (await click_seen(table, before, (table.ben, agree)))[0].followups
    assert text_of(reply) == "⚠️ #1 is already at round 2."


async def test_who_may_ask_for_an_undo(table: Table) -> None:
    panel = await begin(table)
    assert text_of(await table.run("battle undo")) == "⚠️ There is no step to take back."
    await table.press(panel, "Fight round 1")
    expect_in(text_of(await table.run("battle undo", by=table.ben)), "⚠️ Only the player who made the last step")
    assert "Only those who fight in #1" in text_of(await table.run("battle undo", by=stranger(table)))


async def test_undo_against_the_bot_needs_nobody_s_agreement(table: Table) -> None:
    panel = await begun(table, defender=the_bot(table))
    assert text_of(await table.run("battle undo")) == "↩️ #1: one step back."
    assert text_of(panel).startswith("### #1 Axis & Allies: before round 1\n")


async def test_who_started_it_ends_it(table: Table) -> None:
    panel = await begun(table)
    reply = await end(table)
    assert reply.ephemeral
    assert text_of(reply) == "🏁 #1 has ended, and its seed is revealed."
    assert text_of(panel).startswith("### #1 Axis & Allies: ended, round 1\n")
    assert SEED.hex() in text_of(await table.pressed(panel, "How do I know the dice are fair?"))
    assert buttons_of(panel) == []
    assert (await stored(table)).status == "ended"
    assert text_of(await table.run("battle end", number=1)) == "⚠️ #1 is over."
    await expect_match(table, 2, number=1)


async def test_others_end_it_together(table: Table) -> None:
    panel = await begin(table)
    query = await table.run("battle end", by=table.ben)
    assert not query.ephemeral
    text = text_of(query)
    assert text.startswith("The defender wants to end #1 as it stands.")
    expect_in(text, "Axis & Allies, before round 1: 0 steps, 2 people.", "Nobody wins")
    assert str(table.ben.id) not in str(query.components), "nobody is named who may be forgotten"
    for who in (table.ben, stranger(table)):
        assert told(await table.press(query, "Agree to end", by=who)) == "⚠️ The other side has to agree."
    assert (await stored(table)).is_open
    await table.restart()
    await table.press(query, "Agree to end", by=table.ann)
    assert text_of(query) == "🏁 #1 was ended by agreement."
    assert text_of(panel).startswith("### #1 Axis & Allies: ended, before round 1\n")


async def test_a_question_to_end_of_somebody_who_left_is_void(table: Table) -> None:
    await begin(table)
    query = await table.run("battle end", by=table.ben)
    await table.surely("privacy delete", by=table.ben)
    expect_in(told(await table.press(query, "Agree to end")), "⚠️ The player who asked", "has left the battle")
    assert (await stored(table)).is_open


async def test_a_question_to_end_is_void_when_the_battle_goes_on(table: Table) -> None:
    panel = await begin(table)
    query = await table.run("battle end", by=table.ben)
    await table.press(panel, "Fight round 1")
    assert told(await table.press(query, "Agree to end", by=table.ann)) == "⚠️ #1 is already at round 1."
    assert (await stored(table)).is_open


async def test_a_stranger_ends_nothing_and_a_referee_does(table: Table) -> None:
    await begin(table)
    refused = await table.run("battle end", by=stranger(table))
    assert refused.ephemeral
    assert "can end it." in text_of(refused)
    await end(table, by=stranger(table, manage_messages=True))
    assert (await stored(table)).status == "ended"
