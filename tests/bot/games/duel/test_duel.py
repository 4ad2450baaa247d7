"""`/duel fight`, `groups`, `encounter`: tales that turn page by page in a channel; `/duel words`: a server's own."""

import re
from unittest.mock import AsyncMock

import pytest
from simcord import ResponseMessage

from bot.games.duel.presenter import DuelPresenter
from bot.games.duel.repositories import CharacterRepository
from sim.jobs.battle import Narrate
from tests.bot.battles.fights import end, the_bot
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, said, text_of
from tests.bot.games.duel.duels import ONE, SIDES, duel, opened, pictured, refusal, roll, setup_of


def csv(data: bytes, name: str = "groups.csv") -> tuple[str, bytes]:
    return name, data


async def battle(table: Table, command: str, number: int = 1) -> ResponseMessage:
    return await table.run(f"battle {command}", number=number)


async def test_the_bot_may_have_a_barbarian_but_no_other_bot(table: Table) -> None:
    panel = await opened(table, "fight", turns="duellists", lawful=table.ann, chaotic=the_bot(table))
    assert "Group 2: 🤖 the bot" in said(panel)
    assert buttons_of(panel) == ["Begin", "Fight to the end"]
    other = table.env.create_user("other", bot=True)
    assert refusal(await duel(table, "fight", lawful=other)).startswith("Other bots don't know how to fight")


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
    assert busy.startswith(f"Zelda is busy in #2 in <#{table.channel.id}>: finish that first")
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
    monkeypatch.setattr(DuelPresenter, "card", AsyncMock(return_value=None))
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
    assert ("Morale counts" in said(panel)) is morale
    await table.press(panel, "Fight to the end")
    assert ("Group 1 tests its morale: 2d6 show " in said(panel)) is morale
    assert (" fled." in pictured(panel)) is morale
    assert text_of(await battle(table, "verify")).startswith("### ✅ Match: #1, ")


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
    assert " end.\n" not in said(await opened(table, "words"))
