"""An answer outside Discord: prose, Markdown, BBCode, as files and to be copied."""

from urllib.parse import unquote

import pytest
from simcord import ResponseMessage

from bot.answers.outside import FORMATS
from bot.battles.publisher import ReplaySite
from bot.ui.text import plain
from sim.axis_allies.parse import parse_question, share_text
from tests.bot.conftest import Table, buttons_of, expect_in, text_of
from tests.bot.payloads import components
from tests.tables import kept_texts

PROSE, MARKDOWN, BBCODE = FORMATS.values()

WRITTEN = kept_texts(__file__, "written")


@pytest.mark.parametrize("text", WRITTEN)
def test_what_discord_shows_is_written_in_each_format(text: str) -> None:
    assert tuple(each.write(text) for each in FORMATS.values()) == (*WRITTEN[text],)


@pytest.mark.parametrize(
    "name",
    ["[b]x[/b]", "**x**", "[x](https://evil.example)", "<b>x</b>", "@everyone", "# x", "- x", "1. x", "a_b_", "\\"],
)
def test_a_name_is_only_a_name_in_each_format(name: str) -> None:
    escaped = plain(name)
    assert PROSE.write(escaped) == name
    assert BBCODE.write(escaped).replace("\u2060", "") == name
    assert "[b" not in BBCODE.write(escaped)
    assert "@e" not in BBCODE.write(escaped) + MARKDOWN.write(escaped)
    written = MARKDOWN.write(escaped)
    assert written.replace("\u2060", "").replace("\\", "").strip() == name.replace("\\", "")
    assert not written.startswith(("# ", "- ", "1. ", "<", "[", "**"))


async def test_an_answer_comes_in_each_format_to_be_copied_and_as_a_file(table: Table) -> None:
    sent = await table.pressed(await table.calc("6 tanks vs 10 inf"), "Files")
    assert buttons_of(sent) == ["As text", "As Markdown", "As BBCode"]
    written = {}
    for label in buttons_of(sent):
        copied = await table.pressed(sent, label)
        assert copied.ephemeral
        (file,) = copied.attachments
        written[file.filename] = (await file.read()).decode()
        if "```" not in written[file.filename]:
            assert text_of(copied) == f"```\n{written[file.filename]}\n```"
    assert written["answer.txt"].startswith("⚔️ 6 tanks vs 🛡️ 10 infantry\n")
    expect_in(written["answer.md"], "**6 tanks** vs", "\n19.5% ", "\\<0.1%")
    expect_in(written["answer.bbcode.txt"], "[b]6 tanks[/b] vs")


async def test_a_log_comes_whole(table: Table) -> None:
    await table.run("aa battle", setup="6 tanks vs 10 inf")
    log = await table.run("battle log")
    copied = await table.pressed(await table.pressed(log, "Files"), "As BBCode")
    expect_in(text_of(copied), "[b]#1", "Nothing has happened yet.")


async def test_a_small_calculation_is_a_link_to_the_site_that_answers_it(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table.bot.services[ReplaySite], "address", "https://a.example/replay/")
    sent = await table.pressed(await table.calc("6 tanks vs 10 inf | rounds 3"), "Files")
    link = links_of(sent)
    assert link == ["https://a.example/replay/#q=1941:%206%20tanks%20vs%2010%20infantry%20%7C%20rounds%203"]
    assert unquote(link[0].partition("#q=")[2]) == share_text(parse_question("6 tanks vs 10 inf | rounds 3"))
    for battle in ("13 tanks vs 10 inf", "6 tanks then 3 inf vs 10 inf"):
        assert links_of(await table.pressed(await table.calc(battle), "Files")) == []


def links_of(message: ResponseMessage) -> list[str]:
    return [node["url"] for node in components(message.components) if "url" in node]


async def test_what_is_too_long_to_copy_is_a_file(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.answers.handler.LAYOUT_TEXT", 20)
    sent = await table.pressed(await table.calc("6 tanks vs 10 inf"), "Files")
    copied = await table.pressed(sent, "As text")
    assert "too long" in text_of(copied)
    assert [each.filename for each in copied.attachments] == ["answer.txt"]
