"""Questions that are declared once: the options of their commands, and their forms; and questions before a deed.

An answer outside Discord: prose, Markdown, BBCode, as files and to be copied.
"""

from typing import Annotated, Any
from unittest.mock import AsyncMock
from urllib.parse import unquote

import discord
import pytest
from discord import app_commands
from discord.ext import commands
from pydantic import Field
from simcord import ResponseMessage

from bot.answers import Query
from bot.answers.document import FORMATS
from bot.answers.items import Confirmations, Deed
from bot.battles.publisher import ReplaySite
from bot.client import Interaction, NameTakenError
from bot.rosters import RosterRepository
from bot.ui import MAX_INTEGER, plain
from bot.ui.options import Entry, Option, Transient, seed_option, with_options
from sim.axis_allies.parse import parse_question, share_text
from sim.core import RuleError
from tests.bot import payloads
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, buttons_of, expect_in, text_of
from tests.bot.payloads import components
from tests.tables import kept_texts

KINDS = {"hill": "Hills", "lake": "Lakes"}


class Base(Query):
    """What questions about maps share."""

    kind: Annotated[str, Option("Which kind?", choices=KINDS), Entry("Kind", choices=KINDS)] = "hill"


class MapQuery(Base):
    """A question with options of every sort."""

    size: Annotated[int, Field(ge=1, le=9), Option("How large?"), Entry("Size")]
    name: Annotated[str | None, Option("Its name", rank=1), Entry("Name", 20, if_given=True)] = None
    seed: Annotated[int, seed_option("Its seed")]
    stored_only: int = 0
    file: Annotated[discord.Attachment | None, Option("Or a file"), Transient] = None


class Maps(commands.Cog):
    """A cog with a command that takes the question."""

    @app_commands.command()
    @with_options
    async def ask(
        self, interaction: Interaction, query: MapQuery, twice: Annotated[bool, Option("Two?")] = False
    ) -> None:
        """Take a question."""


def test_a_command_offers_the_fields_that_are_options_and_its_own_parameters() -> None:
    options = [
        (option.name, option.required, option.max_value, [choice.value for choice in option.choices])
        for option in Maps.ask.parameters
    ]
    assert options == [
        ("size", True, 9, []),
        ("seed", False, MAX_INTEGER, []),
        ("file", False, None, []),
        ("kind", False, None, ["hill", "lake"]),
        ("name", False, 20, []),  # what its form takes
        ("private", False, None, []),
        ("twice", False, None, []),
    ]
    assert {option.description for option in Maps.ask.parameters} >= {"How large?", "Its name", "Or a file", "Two?"}


@pytest.mark.parametrize(
    ("values", "changes"),
    [
        ({"size": " 7 ", "kind": "lake"}, {"size": 7, "kind": "lake"}),
        ({"size": "3", "kind": "sea", "name": "  Fen "}, {"size": 3, "name": "Fen"}),
        ({"size": "3", "name": " "}, {"size": 3, "name": None}),
        ({"kind": "lake", "age": "7"}, {"kind": "lake"}),  # the form of another version
    ],
)
def test_a_form_changes_what_it_has_fields_for(values: dict[str, str], changes: dict[str, Any]) -> None:
    query = MapQuery(size=5, seed=1, stored_only=2)
    assert query.filled(values) == query.model_copy(update=changes)


def test_a_form_shows_what_was_typed_and_refuses_other_numbers() -> None:
    query = MapQuery(size=5, seed=1)
    assert [field.text for field in query.fields()] == ["Kind", "Size"]
    assert [field.text for field in MapQuery(size=5, seed=1, name="Fen").fields()] == ["Kind", "Size", "Name"]
    for typed, told in (("x", "'x' is not a whole number."), ("10", "from 1 to 9."), (" ", "from 1 to 9.")):
        with pytest.raises(RuleError, match=f"Size: {told}"):
            query.filled({"size": typed})
    assert "file" not in query.model_dump_json()


async def test_nobody_else_answers_what_is_asked_before_a_deed_nor_who_may_no_longer(table: Table) -> None:
    await table.ann.slash(table.channel, "roster save", name="Fleet", kind="aa", text="6 tanks")
    await table.ann.slash(table.channel, "roster share", name="Fleet")
    judge = stranger(table, manage_messages=True)
    question = await table.run("roster delete", name="Fleet", by=judge)
    table.env.backend.get_message(
        table.channel.id, question.id
    ).flags = payloads.COMPONENTS_V2  # as if all could see it
    refused = await table.pressed(question, "Delete", by=table.ben)
    assert text_of(refused) == "⚠️ This answer is too old to continue; please run the command again."
    await table.ann.slash(table.channel, "roster share", name="Fleet", off=True)
    (refused,) = (await table.press(question, "Delete", by=judge)).followups[-1:]
    assert "There is no saved roster" in text_of(refused)
    assert [roster.name for roster in await table.bot.services[RosterRepository].own(table.ann.id)] == ["Fleet"]
    with pytest.raises(NameTakenError):  # a deed has a name of its own
        table.bot.services[Confirmations]["roster-delete"] = Deed("Delete", AsyncMock())


class StoryQuery(Query):
    """A question with several texts in one field, and with a file."""

    texts: Annotated[
        dict[str, str] | None,
        {
            "start": Entry("How it starts", 20, first="Once"),
            "mood": Entry("Moods", choices={"sad": "Sad", "gay": "Gay"}, notes={"sad": "Alas"}, most=2),
            "cover": Entry("The cover", is_file=True),
        },
    ] = None
    sha256: Annotated[str | None, Entry("A file", is_file=True, id="file")] = None
    text: Annotated[str, Entry("The end", id="end")] = ""


def test_several_texts_may_stand_in_one_field_and_files_are_left_to_the_handler() -> None:
    fields: list[Any] = [field.component for field in StoryQuery().fields()]
    assert [field.custom_id for field in fields] == ["start", "mood", "cover", "file", "end"]
    assert fields[0].default == "Once"
    assert (fields[1].min_values, fields[1].max_values, fields[1].options[0].description) == (0, 2, "Alas")
    filled = StoryQuery(sha256="abc").filled({"mood": "sad gay", "cover": "7", "file": "8", "end": "Fin"})
    assert filled == StoryQuery(texts={"start": "", "mood": "sad gay"}, sha256="abc", text="Fin")
    fields = [field.component for field in filled.fields()]
    assert filled.filled({"end": "Fine"}) == filled.model_copy(update={"text": "Fine"})
    assert (fields[0].default, [option.default for option in fields[1].options]) == ("Once", [True, True])


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


async def test_an_answer_comes_in_each_format_to_be_copied_and_as_a_file(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    monkeypatch.setattr("bot.answers.LAYOUT_TEXT", 20)
    copied = await table.pressed(sent, "As text")
    assert "too long" in text_of(copied)
    assert [each.filename for each in copied.attachments] == ["answer.txt"]


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
