"""`/duel fight`, `groups`, `encounter`: tales that turn page by page in a channel; `/duel words`: a server's own."""

import re

import pytest
from simcord import MemberActor, ResponseMessage

from bot.games.duel.presenter import DuelPresenter
from bot.games.duel.repositories import CharacterRepository, DuelMessageRepository
from bot.store.battles import BattleRepository
from sim.jobs.battle import Narrate
from tests.bot.battles.fights import end, stranger, the_bot
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, said, text_of
from tests.bot.games.duel.duels import ONE, OTHER, SIDES, duel, opened, pictured, refusal, roll, setup_of

TYPED = {
    "initiative": "$Name$0: %d",
    "attack": "$Name$0 swings *hard*!\n$Name$0 lunges at $name$1!",
    "hit": "",
    "miss": "$HeSheIt$1 ducks.",
    "death": "$HisHerIts$1 end.",
}


def csv(data: bytes, name: str = "groups.csv") -> tuple[str, bytes]:
    return name, data


async def battle(table: Table, command: str, number: int = 1) -> ResponseMessage:
    return await table.run(f"battle {command}", number=number)


async def test_the_tale_turns_page_by_page_to_the_end_and_the_log_has_all_of_it(table: Table) -> None:
    """First the opening, then each round, at last the closing and The End."""
    panel = await opened(table, "fight")
    assert re.search(r"\n🔵 \*\*(.+)\*\* \d HP .*\n🟠 \*\*(.+)\*\* \d HP ", said(panel))
    setup = await setup_of(table)
    assert [critter.alignment for critter in setup.critters] == ["lawful", "chaotic"]
    pages = []
    while buttons_of(panel):
        await table.press(panel, buttons_of(panel)[0], by=stranger(table))
        pages.append(said(panel))
    opening, *rounds = pages
    assert opening.startswith("### #1 B/X duel: the opening\n")
    assert "Round 1!" not in opening
    for number, page in enumerate(rounds, start=1):
        assert page.count("**Round ") == 1
        assert f"**Round {number}!**\n\n" in page
    assert ["The End" in page for page in rounds] == [False] * (len(rounds) - 1) + [True]
    assert re.match(rf"### #1 B/X duel: (🔵|🟠) .+ wins after {len(rounds)} rounds?\n", rounds[-1])
    assert re.match(r".+ wins\. After .* fell to .* at the start\. ", pictured(panel))
    files = await table.files(await table.ann.slash(table.channel, "battle log", number=1))
    assert list(files) == ["battle-1.txt", "battle-1.jsonl"]
    log = files["battle-1.txt"].decode()
    assert all(f"\nRound {number}!\n" in log for number in range(1, len(pages)))
    assert log.endswith("The End\nThe battle is closed.\n")
    assert text_of(await battle(table, "verify")).startswith("### ✅ Match: #1, ")


async def test_only_the_duellists_turn_the_pages_if_so_chosen(table: Table) -> None:
    panel = await opened(table, "fight", turns="duellists", lawful=table.ann)
    assert buttons_of(panel)[0] == "Join as group 2"
    await table.press(panel, "Join as group 2", by=table.ben)
    zoe = stranger(table)
    refused = await table.press(panel, "Begin", by=zoe)
    assert refused.followups[-1].ephemeral
    assert said(refused.followups[-1]).startswith("⚠️ It's <@")
    await table.press(panel, "Begin", by=table.ben)
    await table.press(panel, "Next round", by=table.ann)
    assert said(panel).startswith("### #1 B/X duel: round 1\n")


async def test_the_bot_may_have_a_barbarian_but_no_other_bot(table: Table) -> None:
    panel = await opened(table, "fight", turns="duellists", lawful=table.ann, chaotic=the_bot(table))
    assert "Group 2: 🤖 the bot" in said(panel)
    assert buttons_of(panel) == ["Begin", "Fight to the end"]
    other = table.env.create_user("other", bot=True)
    assert refusal(await duel(table, "fight", lawful=other)).startswith("Other bots don't know how to fight")


async def test_the_starter_undoes_a_page_that_somebody_else_turned(table: Table) -> None:
    panel = await opened(table, "fight")
    before = said(panel)
    await table.press(panel, "Begin", by=stranger(table))
    await battle(table, "undo")
    assert said(panel) == before.replace("-# 🎲 Dice without a public beacon\n", ""), "which is told at the beginning"


async def test_words_for_one_fight(table: Table) -> None:
    """Every message can be replaced for a single fight; the server's stand behind them."""
    guild_id = table.ann.guild.id
    await table.bot.services[DuelMessageRepository].put(guild_id, 0, {"death": ["Server."], "attack": ["Clash!"]})
    panel = await opened(
        table,
        "fight",
        initiative="[$Name$0] *%d*",
        attack="$Name$0 swings!",
        hit="%d!",
        miss="$HeSheIt$1 ducks!",
        death="$HisHerIts$1 end.",
    )
    for label in ("Begin", "Next round"):
        await table.press(panel, label)
    text = said(panel)
    assert " swings!\n" in text
    assert "\\[" in text_of(panel), "nothing in it is markdown"
    assert "\\*" in text_of(panel)
    await table.press(panel, "Fight to the end")
    text = said(panel)
    assert re.search(r"\n\d!\n", text)
    assert re.search(r"\n(His|Her) end\.\n", text)
    panel = await opened(table, "fight")
    await table.press(panel, "Fight to the end")
    text = said(panel)
    expect_in(text, "\nServer.\n", "\nClash!\n")
    assert " swings!\n" not in text, "the next fight has the server's words"


async def test_a_bad_template_is_refused_with_the_place_marked(table: Table) -> None:
    text = refusal(await duel(table, "fight", attack="$Name$0 hits $nmae$1!"))
    expect_in(text, "$Name$0 hits $nmae$1!\n             ^^^^^^", "Did you mean $name$1?")
    assert "This message has no number" in refusal(await duel(table, "fight", death="%d"))
    assert await table.bot.services[BattleRepository].open_in(table.channel.id) == []


async def test_groups_from_two_files_and_from_saved_rosters(table: Table) -> None:
    panel = await opened(table, "groups", roster=csv(ONE), against=csv(OTHER))
    assert "Alrun 6 / 6. Borri 6 / 6. Caja 5 / 5." in pictured(panel)
    reply = await table.run("roster save", name="Watch", kind="duel", file=csv(SIDES))
    assert said(reply).splitlines()[1:] == [
        "**Watch** 2 fighters, 13 HP",
        "Brenna · Old Njal",
        "**Night** 1 fighter, 12 HP",
        "Icemaw",
    ]
    choices = await table.ann.autocomplete(table.channel, "duel groups", "roster_saved", "wat")
    assert [choice["name"] for choice in choices] == ["Watch"]
    panel = await opened(table, "groups", roster_saved=choices[0]["value"])
    assert "Brenna 8 / 8. Old Njal 5 / 5." in pictured(panel)


async def test_all_faults_of_rosters_are_reported_at_once(table: Table) -> None:
    text = refusal(await duel(table, "groups", roster=csv(b"name,hp\nA,x\n"), against=csv(b"name\nB\n")))
    expect_in(text, "2 problems to fix", "First file: Row 2, hp: 'x'", "Second file: Row 1", "column hp is missing")
    assert refusal(await duel(table, "groups")).startswith("Attach a file as roster")
    steel = b"name,side,hp,armour_class\nA,1,5,-20\nB,2,5,-20\n"
    assert refusal(await duel(table, "groups", roster=csv(steel))).startswith("This fight would never end")


async def test_names_are_themselves_and_nothing_else(table: Table) -> None:
    """Apostrophes, accents and blanks come out as they are; nothing pings, links or formats."""
    data = "name,side,hp,gender\nZoë O'Neil,1,3,she\n<@1> **x** @everyone,2,3,it\n".encode()
    panel = await opened(table, "groups", roster=csv(data))
    pages = [text_of(panel)]
    while buttons_of(panel):
        await table.press(panel, buttons_of(panel)[0])
        pages.append(text_of(panel))
    log = text_of(await battle(table, "log"))
    for page in (*pages, log):
        assert "<@1>" not in page
        assert "**x**" not in page
        assert "@everyone" not in page.replace("\\@everyone", "")
    assert "Zoë O'Neil" in pages[-1]
    assert "Zoë O'Neil" in log


async def test_the_greatest_fight_fits_into_a_message(table: Table) -> None:
    rows = [f"{'W' * 36}{number:04},{number % 2 + 1},200" for number in range(200)]
    panel = await opened(table, "groups", roster=csv("\n".join(["name,side,hp", *rows]).encode()))
    await table.press(panel, "Begin")
    await table.press(panel, "Next round")
    assert said(panel).startswith("### #1 B/X duel: round 1\n")
    assert "…" in said(panel)


async def test_a_worker_writes_a_long_page(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of sentences would keep everybody else waiting; the page and the log are the same as ever."""
    jobs: list[Narrate] = []
    run = Narrate.run

    def watched(job: Narrate) -> tuple[tuple[str, ...], ...]:
        jobs.append(job)
        return run(job)

    monkeypatch.setattr(Narrate, "run", watched)
    rows = [f"F{number:03},{number % 2 + 1},20" for number in range(60)]
    panel = await opened(table, "groups", roster=csv("\n".join(["name,side,hp", *rows]).encode()))
    await table.press(panel, "Begin")
    assert not jobs
    await table.press(panel, "Fight to the end")
    assert not jobs, "the panel tells three moments"
    assert "The End" in said(panel)
    assert "Round 1!" in said(await battle(table, "log"))
    assert {len(job.steps) for job in jobs} == {2}


async def test_an_encounter_takes_the_newest_character_or_rolls_the_first_one(table: Table) -> None:
    panel = await opened(table, "encounter", level=1)
    (character,) = await table.bot.services[CharacterRepository].own(table.ann.id)
    assert f"🔵 **{character.name}**" in said(panel)
    await roll(table, "Cadoc", "Zelda")
    assert "🔵 **Zelda**" in said(await opened(table, "encounter", level=1))
    busy = refusal(await duel(table, "encounter", level=2, character="zelda", second="Cadoc"))
    assert busy.startswith(f"Zelda is busy in #2 in <#{table.channel.id}>: end that first")
    assert "🔵 **Cadoc**" in said(await opened(table, "encounter", level=1)), "the newest who is free"
    for number in (1, 2, 3):
        await end(table, number=number)
    await opened(table, "encounter", level=2, character="zelda", second="Cadoc")
    setup = await setup_of(table, 4)
    assert [critter.name for critter in setup.group1] == ["Zelda", "Cadoc"]
    assert not any(critter.proper for critter in setup.group2)
    text = refusal(await duel(table, "encounter", level=1, character="Zelma"))
    expect_in(text, "no character Zelma", "Did you mean Zelda?")
    await end(table, number=4)
    twice = refusal(await duel(table, "encounter", level=1, character="Zelda", second="zelda"))
    assert twice.startswith("Two fighters are called Zelda")


async def test_the_longest_message_is_complete(table: Table) -> None:
    longest = f"{'x' * 273}$Name$0 swings at $name$1!"
    assert len(longest) == 299
    data = f"name,side,hp\n{'A' * 40},1,9\n{'B' * 40},2,9\n".encode()
    panel = await opened(table, "groups", roster=csv(data), attack=longest)
    await table.press(panel, "Begin")
    await table.press(panel, "Next round")
    assert re.search(rf"{'x' * 273}A+ swings at B+!", said(panel))


async def test_without_a_card_the_hit_points_are_in_words(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    async def no_card(*_: object) -> None:
        """Workers are too busy."""

    monkeypatch.setattr(DuelPresenter, "card", no_card)
    panel = await opened(table, "groups", roster=csv(SIDES))
    assert pictured(panel) == ""
    assert "🔵 **2 of 2 standing**\n❤️ Brenna 8 · Old Njal 5\n🟠 **Icemaw** ❤️ 12 of 12\n" in said(panel)


async def test_in_large_groups_all_are_named_beside_the_card(table: Table) -> None:
    crowd = b"name,hp\n" + b"".join(b"No %d,4\n" % number for number in range(9))
    panel = await opened(table, "groups", roster=csv(crowd), against=csv(ONE))
    assert "No 8 4" in said(panel)
    assert "No 8 " not in pictured(panel)


@pytest.mark.parametrize("morale", [False, True])
async def test_the_faint_hearted_run_if_morale_is_tested(table: Table, *, morale: bool) -> None:
    gang = b"name,hp,morale\n" + b"".join(b"Cur %d,1,2\n" % number for number in range(8))
    hero = b"name,hp,strength_mod,attacks\nAlrun,900,20,1\n"
    panel = await opened(table, "groups", roster=csv(gang), against=csv(hero), morale=morale)
    await table.press(panel, "Fight to the end")
    assert ("Group 1 tests its morale: 2d6 show " in said(panel)) is morale
    assert (" fled." in pictured(panel)) is morale
    assert text_of(await battle(table, "verify")).startswith("### ✅ Match: #1, ")


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
    await table.press(panel, "Next round")
    assert " at " in said(panel)
    assert " on " not in said(panel).split("**Round 1!**")[1].split("\n\n")[1]
    assert (await setup_of(table)).words.initiative == ("$Name$0 at %d",)
    assert text_of(await table.run("battle verify", number=1)).startswith("### ✅ Match")


async def test_only_a_referee_changes_the_words_of_a_server(table: Table, judge: MemberActor) -> None:
    message = await opened(table, "words", by=judge)
    refused = await table.pressed(message, "Change", by=table.ben)
    assert refused.ephemeral
    assert "⚠️ Only a mod can change" in said(refused)
    draft = await table.filled(message, "Change", TYPED, by=judge)
    assert said(await table.pressed(draft, "Use these", by=table.ann)).startswith("⚠️ Only a mod can")
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
    many = answer(await judge.submit_modal(form, TYPED | {"miss": "$Name$0 misses.\n" * 21}))
    expect_in(said(many), "⚠️ Miss", "at most 20", "not 21")
    mended = answer(await judge.submit_modal(await table.press(many, "Fix it", by=judge), TYPED))
    assert said(mended).startswith("### 💬 Preview: what duels will say here\n")


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
