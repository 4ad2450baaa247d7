"""A live bot: commands, files, forms, pages, lists, suggestions, battles, as they go over the wire."""

import pytest

from sim.marked_for_death.tables import example
from tests.bot import payloads
from tests.bot.test_schema import COMMANDS
from tests.live.conftest import Live
from tests.live.world import Json, Message

pytestmark = [pytest.mark.live, pytest.mark.asyncio(loop_scope="session")]


async def test_sync_registers_every_command(registered: dict[str, list[Json]]) -> None:
    assert {command["name"] for command in registered[""]} >= COMMANDS


async def test_an_answer_with_its_picture_and_its_pages(live: Live) -> None:
    asked = await live.ann.slash("aacalc", battle="30 inf, 6 tanks vs 40 inf")
    answer = asked.message
    assert "30 infantry, 6 tanks" in answer.text
    (picture,) = answer.files
    assert picture.data.startswith(b"\x89PNG")
    assert not answer.private
    await live.ann.press(answer, "▶️")
    assert answer.files == [], "a page without a picture drops the one before"
    (last,) = [option["value"] for option in jump_list(answer) if option["label"].startswith("Who hit whom")]
    await live.ann.choose(answer, last)
    assert [option["value"] for option in jump_list(answer) if option["default"]] == [last]
    await live.ann.press(answer, "⏮️")
    assert len(answer.files) == 1
    other = await live.ben.press(answer, "▶️")
    assert other.message.private
    assert other.message is not answer, "who didn't ask gets a copy"


def jump_list(answer: Message) -> list[Json]:
    (jump,) = [node for node in answer.components if node["type"] == payloads.SELECT]
    options: list[Json] = jump["options"]
    return options


async def test_two_files_and_their_log(live: Live) -> None:
    asked = await live.ann.slash("mfd run", heroes=("Heroes.csv", example()), villains=("Bad ones.csv", example()))
    assert "nobody is left standing" in asked.text
    files = await live.ann.press(asked.message, "Files")
    assert any(file.name.endswith(".csv") for file in files.message.files)


async def test_files_that_are_wrong_are_refused_privately_and_nothing_else_stays(live: Live) -> None:
    asked = await live.ann.slash("mfd run", heroes=("a.csv", b"x"), villains=("b.csv", b"y"))
    (reply,) = asked.followups
    assert reply.private
    assert "The column Name is missing" in reply.text
    assert live.discord.posted(live.channel) == []


async def test_a_form_changes_the_answer_in_place(live: Live) -> None:
    asked = await live.ann.slash("aacalc", battle="6 tanks vs 10 inf")
    opened = await live.ann.press(asked.message, "Edit")
    assert opened.form["title"] == "Edit and run again"
    sent = await live.ann.submit(opened, battle="7 tanks vs 10 inf")
    assert sent.message is asked.message
    assert "7 tanks" in asked.text


async def test_a_mistake_is_mended_in_its_form(live: Live) -> None:
    asked = await live.ann.slash("aacalc", battle="6 tanx against 10 inf")
    assert asked.message.private
    opened = await live.ann.press(asked.message, "Fix it")
    mended = await live.ann.submit(opened, battle="6 tanks vs 10 inf")
    assert "6 tanks" in mended.message.text
    assert not mended.message.private


async def test_suggestions_while_typing(live: Live) -> None:
    assert (await live.ann.complete("aacalc", "battle", battle="6 tan"))[0] == "6 tanks"


async def test_a_battle_is_fought_in_its_panel(live: Live) -> None:
    begun = await live.ann.slash("aa battle", setup="60 inf vs 60 inf", attacker=live.ann, defender=live.ben)
    panel = begun.message
    assert "before round 1" in panel.text
    await live.ann.press(panel, "Fight round 1")
    assert panel.text.startswith("### #1 Axis & Allies: round 1\n")
    await live.ann.press(panel, "Fight to the end")
    assert live.discord.posted(live.channel) == [panel]
    log = await live.ben.slash("battle log", number=1)
    files = await live.ben.press(log.message, "Files")
    assert any(file.name.endswith(".jsonl") for file in files.message.files)
    assert "✅ Match" in (await live.ben.slash("battle verify", number=1)).text


async def test_a_press_by_somebody_without_a_seat_is_refused_privately(live: Live) -> None:
    begun = await live.ann.slash("aa battle", setup="60 inf vs 60 inf", attacker=live.ann, defender=live.ben)
    pressed = await live.discord.player("zoe", live.channel).press(begun.message, "Fight round 1")
    (reply,) = pressed.followups
    assert reply.private
    assert "before round 1" in begun.message.text
