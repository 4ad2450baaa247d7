"""`/duel fight`, `groups`: tales that turn page by page in a channel; `/duel words`: a server's own.

`/duel dungeon`: one to four heroes, room by room, and the list of the best.
"""

import re
from functools import partial
from typing import Any
from unittest.mock import AsyncMock

import pytest
from simcord import MemberActor, ResponseMessage

from bot.games.duel.presenter import DuelPresenter
from bot.games.duel.repositories import MAX_SCORES, CharacterRepository, ScoreEntry, ScoreRepository, write_scores
from bot.store.battles import BattleRepository
from sim.duel.critter import Critter, Damage
from sim.jobs.battle import Narrate
from tests.bot.battles.fights import elsewhere, end, stored, the_bot, told
from tests.bot.conftest import Table, answer, button, buttons_of, chosen, expect_in, said, text_of
from tests.bot.games.duel.duels import SIDES, roll

pytestmark = pytest.mark.usefixtures("fixed_chance")


async def groups(table: Table, *files: bytes, **options: Any) -> ResponseMessage:  # noqa: ANN401  # options are of all kinds
    """Open a duel of the groups in one file, or in one each."""
    attached: dict[str, Any] = {
        name: (f"{name}.csv", data) for name, data in zip(("roster", "against"), files, strict=False)
    }
    return await table.run("duel groups", **attached, **options)


async def test_the_bot_may_have_a_barbarian_but_no_other_bot(table: Table) -> None:
    panel = await table.run("duel fight", turns="duellists", lawful=table.ann, chaotic=the_bot(table))
    assert ": 🤖 the bot" in said(panel)
    assert buttons_of(panel) == ["Begin", "Fight to the end"]
    other = table.env.create_user("other", bot=True)
    for command, player in (("fight", "lawful"), ("challenge", "opponent")):
        refused = told(await table.ann.slash(table.channel, f"duel {command}", **{player: other}))
        assert refused.startswith("⚠️ Other bots don't know how to fight")


async def test_names_are_themselves_and_nothing_else(table: Table) -> None:
    """Apostrophes, accents and blanks come out as they are; nothing pings, links or formats."""
    data = "name,side,hp,gender\nZoë O'Neil,1,3,she\n<@1> **x** @everyone,2,3,it\n".encode()
    panel = await groups(table, data)
    pages = [text_of(panel)]
    while buttons_of(panel):
        await table.press(panel, buttons_of(panel)[0])
        pages.append(text_of(panel))
    log = text_of(await table.run("battle log", number=1))
    for page in (*pages, log):
        assert "<@1>" not in page
        assert "**x**" not in page
        assert "@everyone" not in page.replace("\\@everyone", "")
    assert "Zoë O'Neil" in pages[-1]
    assert "Zoë O'Neil" in log


async def test_the_greatest_fight_fits_into_a_message(table: Table) -> None:
    rows = [f"{'W' * 36}{number:04},{number % 2 + 1},200" for number in range(200)]
    panel = await groups(table, "\n".join(["name,side,hp", *rows]).encode())
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
    panel = await groups(table, "\n".join(["name,side,hp", *rows]).encode())
    await table.press(panel, "Begin")
    assert not jobs
    await table.press(panel, "Fight to the end")
    assert not jobs, "the panel tells three moments"
    assert "The End" in said(panel)
    assert "Round 1!" in said(await table.pressed(panel, "Read it all"))
    assert {len(job.steps) for job in jobs} == {2}


async def test_the_longest_message_is_complete(table: Table) -> None:
    longest = f"{'x' * 273}$Name$0 swings at $name$1!"
    assert len(longest) == 299
    data = f"name,side,hp\n{'A' * 40},1,9\n{'B' * 40},2,9\n".encode()
    panel = await groups(table, data, attack=longest)
    await table.press(panel, "Begin")
    await table.press(panel, "Next round")
    assert re.search(rf"{'x' * 273}A+ swings at B+!", said(panel))


async def test_without_a_card_the_hit_points_are_in_words(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuelPresenter, "card", AsyncMock(return_value=None))
    panel = await groups(table, SIDES)
    assert not panel.attachments
    assert "🔵 **2 of 2 standing**\n❤️ Brenna 8 · Old Njal 5\n🟠 **Icemaw** ❤️ 12 of 12\n" in said(panel)


async def test_in_direct_messages_everybody_has_words_of_their_own(table: Table) -> None:
    user = table.env.create_user("zoe")
    message = answer(await user.slash("duel words"))
    assert said(message).startswith("### 💬 What duels say in your direct messages\n")
    form = await user.click(message, custom_id=button(message, "Change"))
    draft = answer(await user.submit_modal(form, {"hit": "", "death": "$HisHerIts$1 end."}))
    await user.click(draft, custom_id=button(draft, "Use these"))
    panel = answer(await user.slash("duel fight"))
    await user.click(panel, custom_id=button(panel, "Fight to the end"))
    assert " end.\n" in said(panel)
    assert " end.\n" not in said(await table.run("duel words"))


async def giant(table: Table) -> None:
    """Give Ann a hero who wins."""
    hero = Critter(name="Ymir", hp=300, to_hit=2, damage=Damage(count=9))
    await table.bot.services[CharacterRepository].add(table.ann.id, hero)


async def first_room(table: Table) -> ResponseMessage:
    """Enter a dungeon, and win its first room."""
    panel = await table.run("duel dungeon", rooms=5)
    for label in ("Enter room 1", "Fight to the end"):
        await table.press(panel, label)
    return panel


async def best_heroes(table: Table) -> str:
    """Return the last page of the characters; Ann has one."""
    return said(await table.page(await table.run("duel characters"), 1))


async def put(table: Table, *gains: tuple[MemberActor, str, int]) -> None:
    """Write scores of battle #1."""
    battle = await stored(table)

    async def write(conn: object) -> None:
        found = [ScoreEntry(who.id, name, points, "1 of 1 rooms, level 1") for who, name, points in gains]
        await write_scores(conn, battle.id, found, 0)  # type: ignore[arg-type]  # what the database gives

    await table.bot.services[BattleRepository]._db.write(write)


async def test_a_character_that_was_dismissed_meanwhile(table: Table) -> None:
    panel = await table.run("duel dungeon")
    await roll(table, "Torvald", by=table.ben)
    (torvald,) = await table.bot.services[CharacterRepository].own(table.ben.id)
    form = await table.press(panel, "Join", by=table.ben)
    await table.bot.services[CharacterRepository].delete(table.ben.id, torvald.id)
    gone = (await table.ben.submit_modal(form, chosen(form, {"character": str(torvald.id)}))).followups[-1]
    assert said(gone).startswith("⚠️ That character is gone")
    await table.fill(gone, "Fix it", {"character": "new"}, by=table.ben)
    assert f": <@{table.ben.id}>\n" in said(panel)


async def test_heroes_are_ranked_whose_dungeon_was_neither_undone_nor_ended_early(table: Table) -> None:
    best = partial(table.bot.services[ScoreRepository].best, "dungeon", table.ann.guild.id, table.ann.id, 10)
    await giant(table)
    panel = await first_room(table)
    await table.press(panel, "Go home")
    assert said(panel).startswith("### #1 B/X dungeon: 🚪 home after room 1\n")
    (ranked,) = await best()
    panel = await first_room(table)
    reply = await table.run("battle undo")
    assert said(reply) == "↩️ #2: one step back. A dungeon with an undo isn't ranked in `/duel characters`."
    for label in ("Fight to the end", "Go home"):
        await table.press(panel, label)
    expect_in(said(panel), "### #2 B/X dungeon: 🚪 home after room 1\n", "-# ↩️ Not ranked: a step was taken back")
    panel = await first_room(table)
    await end(table, number=3)
    assert said(panel).startswith("### #3 B/X dungeon: ended, room 1 of 5")
    assert await best() == [ranked]
    text = f"### 🏆 The best dungeon heroes here\n🥇 **Ymir** ✨ {ranked.points} XP\n-# 1 of 5 rooms, level 1 · "
    expect_in(await best_heroes(table), f"\n{text}<@{table.ann.id}>")


async def test_the_list_has_the_best_first_and_keeps_no_more_than_it_may(table: Table) -> None:
    await table.run("duel dungeon")
    await put(table, *((table.ann, f"Hero {points}", points) for points in range(1, MAX_SCORES + 11)))
    scores = await table.bot.services[ScoreRepository].best(
        "dungeon", table.ann.guild.id, table.ann.id, MAX_SCORES + 50
    )
    assert [score.points for score in scores] == list(range(MAX_SCORES + 10, 10, -1))
    text = await best_heroes(table)
    expect_in(text, f"🥇 **Hero {MAX_SCORES + 10}**", "\n4. **Hero ")
    assert text.count(" XP") == 25


async def test_each_server_has_its_own_list(table: Table) -> None:
    await table.run("duel dungeon")
    await put(table, (table.ann, "Brenna", 50))
    there, zoe = elsewhere(table, table.env.create_user("zoe"))
    expect_in(said(answer(await zoe.slash(there, "duel characters"))), "No character yet", "\nNobody has brought")
