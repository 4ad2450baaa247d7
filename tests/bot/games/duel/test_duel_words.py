"""`/duel words`: a server's own messages."""

import json

import pytest
from simcord import MemberActor

from bot.games.duel.repositories import DuelMessageRepository
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, said, text_of
from tests.bot.games.duel.duels import duel, fix_chance, opened, setup_of

TYPED = {
    "initiative": "$Name$0: %d",
    "attack": "$Name$0 swings *hard*!\n$Name$0 lunges at $name$1!",
    "hit": "",
    "miss": "$HeSheIt$1 ducks.",
    "death": "$HisHerIts$1 end.",
}


@pytest.fixture(autouse=True)
def chance(monkeypatch: pytest.MonkeyPatch, fixed_dice: None) -> None:  # noqa: ARG001  # both together
    fix_chance(monkeypatch)


@pytest.fixture
def judge(table: Table) -> MemberActor:
    return stranger(table, manage_messages=True)


async def test_messages_have_previews_and_templates(table: Table) -> None:
    message = await opened(table, "words")
    text = said(message)
    assert text.startswith("### 💬 What duels say here\n")
    expect_in(text, "**Attack**\n- Brenna swings at the goblin!\n", "- Brenna slips on the ice, and she misses!")
    assert buttons_of(message)[-2:] == ["Change", "Files"]
    assert "```\n$Name$0 swings at $name$1!\n```" in text_of(await table.page(message, 2))
    assert (await opened(table, "words", private=True)).ephemeral


async def test_a_referee_changes_hears_and_keeps_them(table: Table, judge: MemberActor) -> None:
    form = await table.press(await opened(table, "words", by=judge), "Change", by=judge)
    assert form.modal is not None
    values = {node["component"]["custom_id"]: node["component"]["value"] for node in form.modal["components"]}
    assert list(values) == list(TYPED)
    assert values["attack"].splitlines()[0] == "$Name$0 swings at $name$1!", "the present text stands there"
    draft = answer(await judge.submit_modal(form, TYPED))
    text = said(draft)
    assert text.startswith("### 💬 Preview: what duels will say here\n")
    assert "**Attack** (your own)\n- Brenna swings *hard*!\n- Brenna lunges at the goblin!\n" in text
    assert "swings \\*hard\\*" in text_of(draft)
    assert "- It ducks.\n" in text
    assert "**Hit**\n- Brenna strikes" in text, "what was left empty is as the rules have it"
    assert buttons_of(draft)[-3:] == ["Use these", "Change", "Files"]
    assert await table.bot.services[DuelMessageRepository].get(table.ann.guild.id, 0) == {}, "a draft is not in use"
    stored_words = await table.pressed(draft, "Use these", by=judge)
    assert said(stored_words).startswith("### 💬 What duels say here\n")
    assert buttons_of(stored_words)[-3:] == ["Change", "Reset all", "Files"]
    panel = await opened(table, "fight")
    await table.press(panel, "Fight to the end")
    assert " end.\n" in said(panel)
    preview = await table.pressed(stored_words, "Reset all", by=judge)
    assert "(your own)" not in said(preview)
    assert await table.bot.services[DuelMessageRepository].get(table.ann.guild.id, 0) != {}, "it isn't in use yet"
    await table.press(preview, "Use these", by=judge)
    assert await table.bot.services[DuelMessageRepository].get(table.ann.guild.id, 0) == {}


async def test_a_battle_keeps_the_words_that_it_began_with(table: Table) -> None:
    guild_id = table.ann.guild.id
    await table.bot.services[DuelMessageRepository].put(guild_id, 0, {"initiative": ["$Name$0 at %d"]})
    panel = await opened(table, "fight")
    await table.bot.services[DuelMessageRepository].put(guild_id, 0, {"initiative": ["$Name$0 on %d"]})
    await table.press(panel, "Begin")
    await table.press(panel, "Continue")
    assert " at " in said(panel)
    assert " on " not in said(panel).split("**Round 1!**")[1].split("\n\n")[1]
    assert (await setup_of(table)).words.initiative == ("$Name$0 at %d",)
    assert text_of(await table.run("battle verify", number=1)).startswith("### ✅ Match")


async def test_only_a_referee_changes_the_words_of_a_server(table: Table, judge: MemberActor) -> None:
    message = await opened(table, "words", by=judge)
    refused = await table.pressed(message, "Change", by=table.ben)
    assert refused.ephemeral
    expect_in(said(refused), "⚠️ Only", "manage messages")
    draft = await table.filled(message, "Change", TYPED, by=judge)
    assert said(await table.pressed(draft, "Use these", by=table.ann)).startswith("⚠️ Only members who")
    assert await table.bot.services[DuelMessageRepository].get(table.ann.guild.id, 0) == {}


async def test_a_bad_template_is_refused_with_its_place_and_mended(table: Table, judge: MemberActor) -> None:
    message = await opened(table, "words", by=judge)
    refused = await table.filled(message, "Change", TYPED | {"miss": "$Name$0 misses $nmae$1."}, by=judge)
    assert refused.ephemeral
    assert "^^^^^^" in text_of(refused)
    assert "Did you mean $name$1?" in said(refused)
    form = await table.press(refused, "Fix it", by=judge)
    assert form.modal is not None
    assert form.modal["components"][3]["component"]["value"] == "$Name$0 misses $nmae$1."
    mended = answer(await judge.submit_modal(form, TYPED))
    assert said(mended).startswith("### 💬 Preview: what duels will say here\n")


async def test_too_many_texts_of_a_message(table: Table, judge: MemberActor) -> None:
    message = await opened(table, "words", by=judge)
    refused = await table.filled(message, "Change", TYPED | {"miss": "$Name$0 misses.\n" * 21}, by=judge)
    expect_in(said(refused), "⚠️ Miss", "at most 20", "not 21")


async def test_files_and_restart(table: Table, judge: MemberActor) -> None:
    message = await opened(table, "words", by=judge)
    await table.restart()
    (file,) = (await table.pressed(message, "Files", by=judge)).attachments
    assert json.loads(await file.read())["attack"][0] == "$Name$0 swings at $name$1!"
    assert said(await table.filled(message, "Change", TYPED, by=judge)).startswith(
        "### 💬 Preview: what duels will say here\n"
    )


async def test_in_direct_messages_everybody_has_words_of_their_own(table: Table) -> None:
    user = table.env.create_user("zoe")
    message = answer(await user.slash("duel words"))
    assert said(message).startswith("### 💬 What duels say in your direct messages\n")
    form = await user.click(message, custom_id=button(message, "Change"))
    draft = answer(await user.submit_modal(form, TYPED))
    await user.click(draft, custom_id=button(draft, "Use these"))
    assert set(await table.bot.services[DuelMessageRepository].get(None, user.id)) == {
        "initiative",
        "attack",
        "miss",
        "death",
    }
    panel = answer(await user.slash("duel fight"))
    await user.click(panel, custom_id=button(panel, "Fight to the end"))
    assert " end.\n" in said(panel)
    assert " end.\n" not in said(await opened(table, "words"))


async def test_a_fight_says_its_own_words_before_those_of_the_server(table: Table) -> None:
    await table.bot.services[DuelMessageRepository].put(
        table.ann.guild.id, 0, {"death": ["Server."], "attack": ["Clash!"]}
    )
    panel = answer(await duel(table, "fight", death="Own."))
    await table.press(panel, "Fight to the end")
    expect_in(said(panel), "\nOwn.\n", "\nClash!\n")
    assert "Server." not in said(panel)
