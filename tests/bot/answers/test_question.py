"""Questions that are declared once: the options of their commands, and their forms; and questions before a deed."""

from typing import Annotated, Any

import discord
import pytest
from discord import app_commands
from discord.ext import commands
from pydantic import Field

from bot.answers.confirmation import Confirmations, Deed
from bot.answers.handler import Entries, Entry, Query
from bot.client import Interaction, NameTakenError
from bot.rosters.library import RosterRepository
from bot.ui.options import Option, Transient, seed_option, with_options
from sim.core.errors import RuleError
from tests.bot import payloads
from tests.bot.battles.fights import stranger
from tests.bot.conftest import Table, text_of

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
        (option.name, option.required, option.min_value, [choice.value for choice in option.choices])
        for option in Maps.ask.parameters
    ]
    assert options == [
        ("size", True, 1, []),
        ("seed", False, 0, []),
        ("file", False, None, []),
        ("kind", False, None, ["hill", "lake"]),
        ("name", False, None, []),
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
    for typed, sentence in (("x", "Size: 'x' is not a whole number."), ("10", "Size: from 1 to 9.")):
        with pytest.raises(RuleError, match=sentence):
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


async def test_a_deed_has_a_name_of_its_own(table: Table) -> None:
    async def nothing(*_: object) -> None:
        pass

    with pytest.raises(NameTakenError):
        table.bot.services[Confirmations].add("roster-delete", Deed("Delete", nothing))


class StoryQuery(Query):
    """A question with several texts in one field, and with a file."""

    texts: Annotated[
        dict[str, str] | None,
        Entries(
            {
                "start": Entry("How it starts", 20, first="Once"),
                "mood": Entry("Moods", choices={"sad": "Sad", "gay": "Gay"}, notes={"sad": "Alas"}, most=2),
                "cover": Entry("The cover", is_file=True),
            }
        ),
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
