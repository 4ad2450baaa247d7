"""A small game, installed from a project of its own: it is listed, played, verified, and its rows are one's own."""

import json
import re
from pathlib import Path

import pytest
from simcord import MemberActor, ResponseMessage

from bot.store.personal_data import PersonalDataRepository
from tests.bot.battles.fights import stored
from tests.bot.conftest import Table, alt_of, answer, buttons_of, form_values, said, text_of
from tests.bot.test_help import pages, turned
from tests.sample_games import install_sample

GOAL = 10


@pytest.fixture(autouse=True)
def installed(site: Path) -> None:
    """Install the game before the table is set."""
    install_sample(site)


@pytest.fixture
def table(installed: None, table: Table) -> Table:
    """Set the table after that."""
    del installed
    return table


async def begin(table: Table) -> ResponseMessage:
    return answer(await table.ann.slash(table.channel, "pig start", opponent=table.ben, goal=GOAL))


async def play(table: Table, panel: ResponseMessage) -> int:
    """Play until somebody wins: each holds as soon as they can. Return the winner's id."""
    while True:
        battle = await stored(table)
        if battle.outcome is not None:
            return next(place.user_id or 0 for place in battle.places if place.seat == battle.outcome.winner)
        assert isinstance(battle.state, dict)
        player = (table.ann, table.ben)[int(str(battle.state["turn"])) % 2]
        pot = battle.state["pot"]
        await table.press(panel, f"Hold {pot}" if pot else "Roll", by=player)


async def test_help_lists_it_with_a_page_of_its_own(table: Table) -> None:
    message = answer(await table.ann.slash(table.channel, "help"))
    assert buttons_of(message)[-2:] == ["Pig", "Surprise me"]
    page = await turned(table, message, pages(message)["Pig"])
    assert "\n`/pig start goal:50`\n**/pig chance** How likely a turn is lost" in text_of(page)
    assert buttons_of(page) == ["All games"]
    about = answer(await table.ann.slash(table.channel, "about"))
    assert "Six games, one table." in text_of(about)


async def test_a_game_is_opened_stepped_shown_and_verified(table: Table) -> None:
    panel = await begin(table)
    assert text_of(panel).startswith("### #1 Pig: to 10\n")
    assert alt_of(panel) == "First to 10. First: 0 / 10. Second: 0 / 10."
    assert buttons_of(panel) == ["Roll"]
    (refused,) = (await table.press(panel, "Roll", by=table.ben)).followups
    assert "'s turn" in text_of(refused)
    await table.press(panel, "Roll")
    assert "The first rolls" in text_of(panel)
    winner = "First" if await play(table, panel) == table.ann.id else "Second"
    assert re.search(rf"{winner}: [1-9][0-9] / 10\.", alt_of(panel))
    verified = answer(await table.ben.slash(table.channel, "battle verify", number=1))
    assert text_of(verified).startswith("### ✅ Match: #1, ")
    outcome = (await stored(table)).outcome
    assert outcome is not None
    assert outcome.ending == "the goal was reached"


async def test_who_won_a_rated_game_stands_in_the_ladder_and_in_profiles(table: Table, judge: MemberActor) -> None:
    await judge.slash(table.channel, "ladder open")
    panel = await begin(table)
    assert "🪜 Not rated until" in text_of(panel)
    await table.press(panel, "Accept, rated", by=table.ben)
    winner_id = await play(table, panel)
    await table.settled()
    loser_id = next(player.id for player in (table.ann, table.ben) if player.id != winner_id)
    ladder = text_of(answer(await table.ann.slash(table.channel, "ladder show", game="Pig")))
    won, lost = re.findall(r"\*\*[12]\.\*\* <@([0-9]+)> · .* · 1 game, 1 (won|lost)", ladder)
    assert (won, lost) == ((str(winner_id), "won"), (str(loser_id), "lost"))
    for player in (table.ann, table.ben):
        went = "won" if player.id == winner_id else "lost"
        profile = said(answer(await player.slash(table.channel, "profile")))
        assert f"**Pig**: 1 battle, 1 {went}" in profile


async def test_privacy_shows_exports_and_deletes_its_rows(table: Table) -> None:
    winner_id = await play(table, await begin(table))
    winner = table.ann if winner_id == table.ann.id else table.ben
    assert f"1. <@{winner_id}>: 1" in text_of(answer(await table.ann.slash(table.channel, "pig top")))
    text = text_of(answer(await winner.slash(table.channel, "privacy show")))
    assert "- 1 win at Pig server by server; until deleted" in text
    export = answer(await winner.slash(table.channel, "privacy export"))
    kept = json.loads(await export.attachments[0].read())
    assert kept["pig_wins"] == [{"guild_id": str(table.ann.guild.id), "wins": 1}]
    deleted = text_of(await table.surely("privacy delete", by=winner))
    assert "1 win at Pig, your part in 1 battle" in deleted
    assert "Nobody has won yet." in text_of(answer(await table.ann.slash(table.channel, "pig top")))


async def test_its_columns_are_in_the_registry_and_a_server_that_goes_takes_its_rows_along(table: Table) -> None:
    personal_data = table.bot.services[PersonalDataRepository]
    assert (await personal_data.missing(), await personal_data.undeclared()) == ([], [])
    await play(table, await begin(table))
    await personal_data.forget_guild(table.ann.guild.id)
    assert await personal_data._db.fetch_all("SELECT * FROM pig_wins") == []


async def test_a_question_is_answered_and_edited_in_its_form(table: Table) -> None:
    message = await table.run("pig chance", hold_at=1)
    assert text_of(message).startswith("### 🐷 16.7%\n")
    refused = await table.filled(message, "Edit", {"hold_at": "0"})
    assert text_of(refused) == "⚠️ Hold at: from 1 to 100."
    form = await table.press(refused, "Fix it")
    assert form_values(form) == {"hold_at": "0"}, "what was typed"
    assert text_of(answer(await table.ann.submit_modal(form, {"hold_at": "1"}))).startswith("### 🐷 16.7%\n")
    assert (await table.filled(message, "Edit", {"hold_at": "8"})).id == message.id
    files = await table.files(await table.ann.slash(table.channel, "pig chance"))
    assert files == {"chance.txt": b"9440899/15116544"}, "62.45%, as published for holding at 20"
