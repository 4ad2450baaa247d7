"""Questions that are declared once: the options of their commands, and their forms."""

from typing import Annotated, Any

import discord
import pytest
from discord import app_commands
from discord.ext import commands

from bot.answers.handler import Entry, Query
from bot.client import Interaction
from bot.ui.options import Option, Transient, seed_option, with_options
from sim.core.errors import RuleError

KINDS = {"hill": "Hills", "lake": "Lakes"}


class Base(Query):
    """What questions about maps share."""

    kind: Annotated[str, Option("Which kind?", choices=KINDS), Entry("Kind", choices=KINDS)] = "hill"


class MapQuery(Base):
    """A question with options of every sort."""

    size: Annotated[int, Option("How large?", app_commands.Range[int, 1, 9]), Entry("Size", limits=(1, 9))]
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
