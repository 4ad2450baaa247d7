"""How few presses are between nothing and a fight: the bot's duellists, a hero rolled silently; and the way out."""

from simcord import ResponseMessage

from bot.games.duel.repositories import CharacterRepository
from sim.duel.opponents import OPPONENTS
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, answer, buttons_of, expect_in, said
from tests.bot.games.duel.duels import SIDES, opened, pictured, setup_of

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
