"""Options of the commands of duels, and the kind of their saved rosters."""

from dataclasses import dataclass
from typing import Annotated, Literal

import discord
from discord import app_commands

from bot.client import Interaction
from bot.games.duel.characters import OwnCharacter
from bot.games.duel.render import roster_summary
from bot.rosters.library import RosterKind
from bot.rosters.options import SavedRoster, roster_content
from bot.ui.attachments import Upload
from bot.ui.options import OptionGroup
from sim.core.errors import RuleError
from sim.duel.critter import MAX_NAME
from sim.duel.dungeon.values import MAX_ROOMS
from sim.duel.group_text import MAX_TEXT
from sim.duel.monsters import MAX_LEVEL
from sim.duel.requests import RosterRequest
from sim.duel.words import MAX_TEMPLATE, Message

NewName = app_commands.Range[str, 1, MAX_NAME]
Own = Annotated[str, OwnCharacter()]
GroupText = app_commands.Range[str, 1, MAX_TEXT]
Level = app_commands.Range[int, 1, MAX_LEVEL]
Rooms = app_commands.Range[int, 1, MAX_ROOMS]

CHARACTER = "Your character (default: your newest; if you have none, one is rolled)"
GROUP = "your characters, or figures: 8 hp str +1 ac 4 1d6, 2 x 5 hp"
LEVEL = f"How dangerous: 1 to {MAX_LEVEL}"
TURNS = "Who may turn the pages"
MORALE = "Test morale when the first, then half of a group has fallen: the faint-hearted run (default: no)"

Turns = Literal["anyone", "duellists"]
_TURNS: dict[str, Turns] = {"anyone": "anyone", "duellists": "duellists"}
TURNS_CHOICES = [
    app_commands.Choice(name="Anyone in the channel", value="anyone"),
    app_commands.Choice(name="Only the two duellists", value="duellists"),
]

ROSTER_KIND = RosterKind(
    name="duel",
    title="Duel roster",
    extension="csv",
    check=lambda content: RosterRequest(data=content),
    summarize=roster_summary,
)

_Template = app_commands.Range[str, 1, MAX_TEMPLATE] | None
_File = discord.Attachment | None
_Saved = Annotated[str, SavedRoster(ROSTER_KIND.name)] | None
_SAVED = "Or a saved roster by its name"


def read_turns(typed: str) -> Turns:
    """Return who turns the pages; RuleError for anything else."""
    if typed not in _TURNS:
        raise RuleError("Choose who turns the pages: anyone, or duellists.")
    return _TURNS[typed]


@dataclass(frozen=True, slots=True)
class MessageOptions(OptionGroup):
    """Messages of one fight that replace those of the server."""

    initiative: Annotated[_Template, "This fight's initiative message, with $Name$0 and %d"] = None
    attack: Annotated[_Template, "This fight's attack message, such as: $Name$0 swings at $name$1!"] = None
    hit: Annotated[_Template, "This fight's hit message, with %d for the damage"] = None
    miss: Annotated[_Template, "This fight's miss message"] = None
    death: Annotated[_Template, "This fight's death message, about $name$1"] = None

    def texts(self) -> dict[str, tuple[str]]:
        """Return the given messages by their names."""
        given = {message.value: getattr(self, message.value) for message in Message}
        return {name: (text,) for name, text in given.items() if text is not None}


@dataclass(frozen=True, slots=True)
class GroupOptions(OptionGroup):
    """Two groups in one roster or in one each, as files or saved rosters."""

    roster: Annotated[_File, "Both groups as a CSV file (name, side, hp, …), or the first one"] = None
    against: Annotated[_File, "The second group, if it has its own CSV file"] = None
    roster_saved: Annotated[_Saved, _SAVED] = None
    against_saved: Annotated[_Saved, _SAVED] = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was given."""
        return self == GroupOptions()

    async def read(self, interaction: Interaction) -> tuple[Upload, Upload | None]:
        """Return the rosters, None without a second one; RuleError if one can't be read.

        Needs a deferred interaction.
        """
        first = await roster_content(interaction, ROSTER_KIND.name, self.roster, self.roster_saved)
        if self.against is None and self.against_saved is None:
            return first, None
        return first, await roster_content(interaction, ROSTER_KIND.name, self.against, self.against_saved, "against")
