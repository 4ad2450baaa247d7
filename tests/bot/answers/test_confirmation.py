"""What can't be undone asks first: who gave the command, for 15 minutes, once, also after a restart."""

import pytest
from simcord import MemberActor, ResponseMessage

from bot.answers.confirmation import Confirmations, Deed
from bot.client import NameTakenError
from bot.store.rosters import RosterRepository
from tests.bot import payloads
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, buttons_of, expect_in, text_of

TOO_LATE = "⚠️ This question is answered already, or older than 15 minutes; please run the command again."


async def rosters(table: Table) -> list[str]:
    return [roster.name for roster in await table.bot.services[RosterRepository].own(table.ann.id)]


async def saved(table: Table, name: str) -> None:
    await table.ann.slash(table.channel, "roster save", name=name, kind="aa", text="6 tanks")


async def asked(table: Table, name: str, by: MemberActor | None = None) -> ResponseMessage:
    return await table.run("roster delete", name=name, by=by or table.ann)


async def test_a_question_says_what_goes_and_only_a_second_press_does_it_even_after_a_restart(table: Table) -> None:
    await saved(table, "Fleet")
    question = await asked(table, "Fleet")
    assert question.ephemeral
    expect_in(text_of(question), "Axis & Allies army **Fleet** (1 version)", "can't be undone")
    assert buttons_of(question) == ["Delete", "Keep"]
    assert await rosters(table) == ["Fleet"]
    await table.restart()
    await table.press(question, "Delete")
    assert (await rosters(table), buttons_of(question)) == ([], [])


async def test_keep_changes_nothing(table: Table) -> None:
    await saved(table, "Fleet")
    question = await asked(table, "Fleet")
    await table.press(question, "Keep")
    assert (text_of(question), buttons_of(question)) == ("Nothing is changed.", [])
    assert await rosters(table) == ["Fleet"]


async def test_a_question_is_open_for_15_minutes(table: Table) -> None:
    await saved(table, "Fleet")
    await saved(table, "Spare")
    early, late = await asked(table, "Fleet"), await asked(table, "Spare")
    table.clock.now += 15 * 60
    await table.press(early, "Delete")
    table.clock.now += 1
    assert text_of(await table.pressed(late, "Delete")) == TOO_LATE
    assert await rosters(table) == ["Spare"]


async def test_nobody_else_answers_it_nor_who_may_no_longer(table: Table) -> None:
    await saved(table, "Fleet")
    await table.ann.slash(table.channel, "roster share", name="Fleet")
    judge = stranger(table, manage_messages=True)
    question = await asked(table, "Fleet", judge)
    table.env.backend.get_message(
        table.channel.id, question.id
    ).flags = payloads.COMPONENTS_V2  # as if all could see it
    refused = await table.pressed(question, "Delete", by=table.ben)
    assert text_of(refused) == "⚠️ This answer is too old to continue; please run the command again."
    await table.ann.slash(table.channel, "roster share", name="Fleet", off=True)
    (refused,) = (await table.press(question, "Delete", by=judge)).followups[-1:]
    assert "There is no saved roster" in text_of(refused)
    assert await rosters(table) == ["Fleet"]


async def test_privacy_delete_says_what_goes_and_sends_it_before(table: Table) -> None:
    await saved(table, "Fleet")
    await table.aacalc("6 tanks vs 10 inf")
    question = await table.run("privacy delete")
    assert question.ephemeral
    expect_in(text_of(question), "1 calculation, 1 saved roster", "your seats", "can't be undone")
    assert buttons_of(question) == ["Download first", "Delete it all", "Keep"]
    sent = await table.pressed(question, "Download first")
    assert [file.filename for file in sent.attachments] == ["about-you.json", "your-files.zip"]
    assert await rosters(table) == ["Fleet"], "nothing is gone yet"
    await table.press(question, "Delete it all")
    expect_in(text_of(question), "Deleted", "1 calculation, 1 saved roster")
    assert await rosters(table) == []


async def test_a_deed_has_a_name_of_its_own(table: Table) -> None:
    async def nothing(*_: object) -> None:
        pass

    with pytest.raises(NameTakenError):
        table.bot.services[Confirmations].add("roster-delete", Deed("Delete", nothing))
