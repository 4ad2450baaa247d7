"""`/duel fight`, `groups`, `encounter`: tales that turn page by page in a channel."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simcord import ResponseMessage

from bot.games.duel.presenter import DuelPresenter
from bot.games.duel.repositories import CharacterRepository
from bot.store.battles.repository import BattleRepository
from bot.ui.text import plain
from sim.duel.battle.values import GROUP_1, GROUP_2
from sim.jobs.battle import Narrate
from tests.bot.battles.fights import click_seen, end, seen, stored, stranger, the_bot
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, said, text_of
from tests.bot.games.duel.duels import ONE, OTHER, SIDES, duel, fix_chance, opened, pictured, refusal, roll, setup_of


@pytest.fixture(autouse=True)
def chance(monkeypatch: pytest.MonkeyPatch, fixed_dice: None) -> None:  # noqa: ARG001  # both together
    fix_chance(monkeypatch)


def csv(data: bytes, name: str = "groups.csv") -> tuple[str, bytes]:
    return name, data


async def battle(table: Table, command: str, number: int = 1) -> ResponseMessage:
    return await table.run(f"battle {command}", number=number)


async def read_on(table: Table, panel: ResponseMessage) -> list[str]:
    """Turn pages to the end and return them."""
    pages = []
    while buttons_of(panel):
        await table.press(panel, buttons_of(panel)[0])
        pages.append(said(panel))
    return pages


async def test_a_fight_begins_with_two_barbarians(table: Table) -> None:
    panel = await opened(table, "fight")
    text = said(panel)
    assert text.startswith("### #1 B/X duel: before the fight\n")
    assert re.search(r"\n🔵 \*\*(.+)\*\* \d HP .*\n🟠 \*\*(.+)\*\* \d HP ", text)
    assert re.search(r"^Before the fight\. .* (\d) / \1\. .* (\d) / \2\.$", pictured(panel))
    assert buttons_of(panel) == ["Begin", "Fight to the end"]
    setup = await setup_of(table)
    assert [critter.alignment for critter in setup.critters] == ["lawful", "chaotic"]
    assert (setup.narrated, setup.press) == (True, "anyone")


async def test_the_tale_turns_page_by_page_to_the_end(table: Table) -> None:
    """First the opening, then each round, at last the closing and The End."""
    panel = await opened(table, "fight")
    opening, *rounds = await read_on(table, panel)
    assert opening.startswith("### #1 B/X duel: the opening\n")
    assert " of " in opening
    assert "Round 1!" not in opening
    for number, page in enumerate(rounds, start=1):
        assert page.count("**Round ") == 1
        assert f"**Round {number}!**\n\n" in page
    assert all("The End" not in page for page in rounds[:-1])
    assert re.search(
        r"\n\nThe End\n-# Last row's hash `[0-9a-f]{16}`… · `/battle verify number:1`$",
        rounds[-1],
    )
    assert re.match(rf"### #1 B/X duel: (🔵|🟠) .+ wins after {len(rounds)} rounds?\n", rounds[-1])
    assert re.match(r".+ wins\. After .* fell to .* at the start\. ", pictured(panel))


async def test_the_log_has_the_whole_tale_and_verifies(table: Table) -> None:
    panel = await opened(table, "fight")
    pages = await read_on(table, panel)
    files = await table.files(await table.ann.slash(table.channel, "battle log", number=1))
    assert list(files) == ["battle-1.txt", "battle-1.jsonl"]
    log = files["battle-1.txt"].decode()
    for number in range(1, len(pages)):
        assert f"\nRound {number}!\n" in log
    assert log.endswith("The End\nThe battle is closed.\n")
    assert text_of(await battle(table, "verify")).startswith("### ✅ Match: #1, ")


async def test_anyone_turns_the_page(table: Table) -> None:
    panel = await opened(table, "fight")
    zoe = stranger(table)
    await table.press(panel, "Begin", by=zoe)
    assert said(panel).startswith("### #1 B/X duel: the opening\n")


async def test_only_the_duellists_turn_the_pages_if_so_chosen(table: Table) -> None:
    panel = await opened(table, "fight", turns="duellists", lawful=table.ann)
    assert buttons_of(panel) == ["Join as group 2"]
    await table.press(panel, "Join as group 2", by=table.ben)
    zoe = stranger(table)
    refused = await table.press(panel, "Begin", by=zoe)
    assert refused.followups[-1].ephemeral
    assert said(refused.followups[-1]).startswith("⚠️ Only group 1 (<@")
    await table.press(panel, "Begin", by=table.ben)
    await table.press(panel, "Continue", by=table.ann)
    assert said(panel).startswith("### #1 B/X duel: round 1\n")


async def test_the_bot_may_have_a_barbarian_but_no_other_bot(table: Table) -> None:
    panel = await opened(table, "fight", turns="duellists", lawful=table.ann, chaotic=the_bot(table))
    assert "Group 2: 🤖 the bot" in said(panel)
    assert buttons_of(panel) == ["Begin", "Fight to the end"]
    other = table.env.create_user("other", bot=True)
    assert refusal(await duel(table, "fight", lawful=other)).startswith("Other bots don't know how to fight")


async def test_fighting_to_the_end_tells_the_end_of_the_tale(table: Table) -> None:
    panel = await opened(table, "fight")
    await table.press(panel, "Fight to the end")
    assert "The End" in said(panel)
    assert buttons_of(panel) == []
    assert (await stored(table)).status == "finished"


async def test_a_step_is_taken_back(table: Table) -> None:
    panel = await opened(table, "fight")
    await table.press(panel, "Begin")
    before = said(panel)
    await table.press(panel, "Continue")
    await battle(table, "undo")
    assert said(panel) == before
    await table.press(panel, "Continue")
    assert "**Round 1!**" in said(panel)
    assert text_of(await battle(table, "verify")).startswith("### ✅ Match: #1, 4 rows")


async def test_the_starter_undoes_a_page_that_somebody_else_turned(table: Table) -> None:
    panel = await opened(table, "fight")
    await table.press(panel, "Begin", by=stranger(table))
    await battle(table, "undo")
    assert said(panel).startswith("### #1 B/X duel: before the fight\n")


async def test_two_duellists_agree_to_an_undo(table: Table) -> None:
    panel = await opened(table, "fight", lawful=table.ann, chaotic=table.ben, turns="duellists")
    await table.press(panel, "Begin", by=table.ann)
    await battle(table, "undo")
    assert "wants to take the last step back" in text_of(panel)
    await table.press(panel, "Agree", by=table.ben)
    assert said(panel).startswith("### #1 B/X duel: before the fight\n")


async def test_it_goes_on_after_a_restart(table: Table) -> None:
    panel = await opened(table, "fight")
    await table.press(panel, "Begin")
    await table.restart()
    await table.press(panel, "Continue")
    assert said(panel).startswith("### #1 B/X duel: round 1\n")


async def test_an_old_button_changes_nothing(table: Table) -> None:
    panel = await opened(table, "fight")
    old, custom_id = seen(table, panel), button(panel, "Begin")
    await table.press(panel, "Begin")
    (late,) = await click_seen(table, old, (table.ben, custom_id))
    assert said(late.followups[-1]) == "⚠️ #1 is already at the opening."
    assert (await stored(table)).version == 1


async def test_a_fight_is_ended_before_it_is_decided(table: Table) -> None:
    panel = await opened(table, "fight")
    await table.press(panel, "Begin")
    await end(table)
    assert said(panel).startswith("### #1 B/X duel: ended, the opening\n")
    assert text_of(await battle(table, "verify")).startswith("### ✅ Match")


async def test_words_for_one_fight(table: Table) -> None:
    """Every message can be replaced for a single fight."""
    panel = await opened(
        table,
        "fight",
        initiative="[$Name$0] *%d*",
        attack="$Name$0 swings!",
        hit="%d!",
        miss="$HeSheIt$1 ducks!",
        death="$HisHerIts$1 end.",
    )
    await table.press(panel, "Fight to the end")
    text = said(panel)
    assert " swings!\n" in text
    assert re.search(r"\n\d!\n", text)
    assert re.search(r"\n(His|Her) end\.\n", text)
    assert "\\[" in text_of(panel), "nothing in it is markdown"
    assert "\\*" in text_of(panel)
    await table.press(await opened(table, "fight"), "Fight to the end")
    assert " swings!\n" not in said(await battle(table, "log", 2)), "the next fight has its own words"


async def test_a_bad_template_is_refused_with_the_place_marked(table: Table) -> None:
    text = refusal(await duel(table, "fight", attack="$Name$0 hits $nmae$1!"))
    expect_in(text, "$Name$0 hits $nmae$1!\n             ^^^^^^", "Did you mean $name$1?")
    assert "This message has no number" in refusal(await duel(table, "fight", death="%d"))
    assert await table.bot.services[BattleRepository].open_in(table.channel.id) == []


async def test_groups_from_one_file(table: Table) -> None:
    panel = await opened(table, "groups", roster=csv(SIDES))
    assert "Brenna 8 / 8. Old Njal 5 / 5. Icemaw 12 / 12." in pictured(panel)
    await table.press(panel, "Fight to the end")
    assert re.match(r"### #1 B/X duel: (🔵 [A-Z][^:]* and [^:]* win|🟠 Icemaw wins) after \d+ rounds?\n", said(panel))
    assert text_of(await battle(table, "verify")).startswith("### ✅ Match")


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
    assert refusal(await duel(table, "groups", roster=csv(ONE))).startswith(
        "Everybody in this roster is on one side, 1"
    )
    text = refusal(await duel(table, "groups", roster=csv(SIDES), against=csv(ONE)))
    expect_in(text, "First file", "two sides")
    text = refusal(await duel(table, "groups", roster=csv(ONE), against=csv(ONE)))
    assert text.startswith("Two fighters are called Alrun")
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
    await table.press(panel, "Continue")
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
    (page,) = jobs
    assert len(page.steps) == 1
    assert "The End" in said(panel)
    assert "Round 1!" in said(await battle(table, "log"))
    assert {len(job.steps) for job in jobs} == {1, 2}


@given(st.text(st.characters(max_codepoint=126), max_size=30))
def test_the_short_way_of_plain_text_changes_nothing(text: str) -> None:
    """Text without a sign beyond ASCII is made ready faster, and the same."""
    assert plain(f"{text}é") == f"{plain(text)}é"


async def test_an_encounter_with_monsters_of_a_level(table: Table) -> None:
    await roll(table, "Brenna", "Cadoc")
    panel = await opened(table, "encounter", level=2, character="brenna", second="Cadoc")
    assert "Group 2: 🤖 the bot" in said(panel)
    assert "Brenna " in pictured(panel)
    setup = await setup_of(table)
    assert [critter.name for critter in setup.group1] == ["Brenna", "Cadoc"]
    assert all(not critter.proper for critter in setup.group2)
    await table.press(panel, "Fight to the end")
    assert re.search(r"[Tt]he (first |second |third )?(orc|hobgoblin|zombie|ghoul|fire beetle)", said(panel))
    assert text_of(await battle(table, "verify")).startswith("### ✅ Match")


async def test_an_encounter_takes_the_newest_character_or_rolls_the_first_one(table: Table) -> None:
    panel = await opened(table, "encounter", level=1)
    (character,) = await table.bot.services[CharacterRepository].own(table.ann.id)
    assert f"🔵 **{character.name}**" in said(panel)
    await roll(table, "Zelda")
    assert "🔵 **Zelda**" in said(await opened(table, "encounter", level=1))
    text = refusal(await duel(table, "encounter", level=1, character="Zelma"))
    expect_in(text, "no character Zelma", "Did you mean Zelda?")
    twice = refusal(await duel(table, "encounter", level=1, character="Zelda", second="zelda"))
    assert twice.startswith("Two fighters are called Zelda")


async def test_who_fights_is_known_by_the_seats(table: Table) -> None:
    await opened(table, "fight", lawful=table.ann, chaotic=table.ben)
    assert (await stored(table)).seats_of(table.ann.id) == (GROUP_1, "referee")
    assert (await stored(table)).seats_of(table.ben.id) == (GROUP_2,)


async def test_the_template_reads_as_a_fight(table: Table) -> None:
    file = answer(await duel(table, "template")).attachments[0]
    panel = await opened(table, "groups", roster=csv(await file.read(), file.filename))
    assert "Brenna 8 / 8. Old Njal 5 / 5." in pictured(panel)


async def test_the_longest_message_is_complete(table: Table) -> None:
    longest = f"{'x' * 273}$Name$0 swings at $name$1!"
    assert len(longest) == 299
    data = f"name,side,hp\n{'A' * 40},1,9\n{'B' * 40},2,9\n".encode()
    panel = await opened(table, "groups", roster=csv(data), attack=longest)
    await table.press(panel, "Begin")
    await table.press(panel, "Continue")
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
