"""How few presses are between nothing and a fight: the bot's duellists, a hero rolled silently; and the way out."""

import pytest
from simcord import ResponseMessage

from bot.games.duel.characters import CharacterService
from bot.games.duel.repositories import CharacterRepository
from bot.store.battles import BattleRepository
from bot.ui.error_replies import MarkdownError
from sim.duel.critter import OPPONENTS
from tests.bot.battles.fights import end, press_seen, seen, stranger
from tests.bot.conftest import Table, answer, button, buttons_of, expect_in, said
from tests.bot.games.duel.duels import SIDES, duel, opened, pictured, refusal, roll, setup_of
from tests.bot.games.duel.test_duel_characters import accept, choices

FUN = 3
"""The most presses from nothing to the first blow or monster, the command among them."""


async def presses(table: Table, panel: ResponseMessage, sign: str) -> int:
    """Press the first button until the sign is on the panel; return the presses, with the command."""
    count = 1
    while sign not in said(panel):
        await table.press(panel, buttons_of(panel)[0])
        count += 1
    return count


async def test_three_presses_from_nothing_to_a_fight(table: Table) -> None:
    for command in ("fight", "challenge"):
        assert await presses(table, await opened(table, command), "**Round 1!**") <= FUN
    dungeon = await opened(table, "dungeon", by=stranger(table))
    await table.press(dungeon, "Enter room 1", by=stranger(table, manage_messages=True))
    assert "Room 1 of 6" in said(dungeon), "two presses, and nobody was asked for a hero"


async def test_the_bot_has_three_duellists(table: Table) -> None:
    await opened(table, "challenge", against="quick")
    (npc,) = (await setup_of(table)).group2
    assert (npc.name, npc.dex_mod) == ("Kari", 2)
    asked = await opened(table, "challenge", opponent=table.ben)
    refused = await table.press(asked, "Fight the bot", by=table.ben)
    assert f"Only <@{table.ann.id}> can" in said(answer(refused))
    await table.press(asked, "Fight the bot")
    expect_in(said(asked), "#2 B/X duel: before the fight", "🤖 the bot")
    (npc,) = (await setup_of(table, 2)).group2
    assert npc.name in {name for name, _, _ in OPPONENTS.values()}


async def test_who_has_no_free_hero_gets_another_one(table: Table) -> None:
    for count in (1, 2):
        await opened(table, "dungeon")
        assert len(await table.bot.services[CharacterRepository].own(table.ann.id)) == count


async def test_a_hero_in_a_dungeon_goes_nowhere_else(table: Table) -> None:
    await roll(table, "Brenna")
    challenge = await opened(table, "challenge", opponent=table.ben)
    gate = await opened(table, "dungeon", character="Brenna")
    told = f"Brenna is busy in #1 in <#{table.channel.id}>: end that first, or send another character."
    assert refusal(await duel(table, "encounter", character="Brenna", level=1)) == told
    for command in ("challenge", "dungeon"):
        assert refusal(await duel(table, command, character="Brenna")) == told
    assert told in said((await accept(table, challenge)).followups[-1])
    assert told in said((await table.press(challenge, "Fight the bot")).followups[-1])
    others = await opened(table, "dungeon", by=table.ben)
    form = await table.press(others, "Join")
    assert list(choices(form)) == ["Roll a new one"]
    await end(table, number=1)
    assert "Rematch" in buttons_of(gate, house=True)
    await accept(table, challenge)
    assert "#3 B/X duel" in said(challenge), "she came home, and the challenge still stands"
    assert told.replace("in #1", "in #3") in said((await table.press(gate, "Rematch")).followups[-1])


async def test_a_campaign_s_hero_is_known_again_with_another_level(table: Table) -> None:
    await roll(table, "Brenna")
    await opened(table, "dungeon")
    (hero,) = [one.critter for one in await table.bot.services[CharacterRepository].own(table.ann.id)]
    risen = hero.model_copy(update={"hp": hero.hp + 5, "to_hit": hero.to_hit - 2})
    with pytest.raises(MarkdownError, match="Brenna is busy in #1"):
        await table.bot.services[CharacterService].expect_free(table.ann.id, [risen])
    stranger_of_that_name = hero.model_copy(update={"abilities": None})
    await table.bot.services[CharacterService].expect_free(table.ann.id, [stranger_of_that_name])


async def test_two_presses_at_once_do_not_send_one_hero_twice(table: Table) -> None:
    await roll(table, "Brenna")
    for message in [await opened(table, "challenge", opponent=table.ben) for _ in range(2)]:
        press_seen(table, seen(table, message), table.ann, button(message, "Fight the bot"))
    await table.env.settle()
    assert len(await table.bot.services[BattleRepository].open_of(table.ann.id)) == 1


async def test_a_free_seat_is_the_bot_s_at_a_press_and_a_friend_takes_over(table: Table) -> None:
    panel = await opened(table, "fight", lawful=table.ann, turns="duellists")
    assert buttons_of(panel) == ["Join as group 2", "Fight Brakk", "Fight Vesper", "Fight Moss"]
    await table.press(panel, "Fight Vesper")
    expect_in(said(panel), "🦊 Vesper, the cunning bot")
    await table.press(panel, "Take over from Vesper", by=table.ben)
    await table.press(panel, "Begin", by=table.ben)
    assert "the opening" in said(panel)


async def test_a_fight_to_the_end_is_three_moments_and_the_rest_behind_a_button(table: Table) -> None:
    panel = await opened(table, "fight")
    await table.press(panel, "Fight to the end")
    text = said(panel)
    assert text.count("**Round ") == FUN
    assert text.count("\n") < 30
    assert "The End" in text
    story = await table.pressed(panel, "Read it all")
    assert story.ephemeral
    assert "Round 1!" in said(story)


async def test_sides_keep_their_names(table: Table) -> None:
    panel = await opened(table, "groups", roster=("groups.csv", SIDES), morale=True)
    expect_in(said(panel), "🔵 **Watch**", "🟠 **Night**", "Morale counts")
    await table.press(panel, "Begin")
    expect_in(said(panel), "For Watch: Brenna and Old Njal. For Night: Icemaw.")
    await table.press(panel, "Fight to the end")
    assert "victory for " in said(panel)
    assert pictured(panel).startswith("Victory for ")
