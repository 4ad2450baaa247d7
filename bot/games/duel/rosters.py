"""Rosters of duels: saved ones, and two groups as options of a command."""

from dataclasses import dataclass
from typing import Annotated

import discord

from bot.client import Interaction
from bot.games.duel.render.sheet import summary
from bot.rosters.library import RosterKind
from bot.rosters.options import SavedRoster, roster_content
from bot.ui.attachments import Upload
from bot.ui.option_groups import OptionGroup
from sim.duel.requests import RosterRequest

KIND = RosterKind(
    name="duel",
    title="Duel roster",
    extension="csv",
    check=lambda content: RosterRequest(data=content),
    summarize=summary,
)

_File = discord.Attachment | None
_Saved = Annotated[str, SavedRoster(KIND.name)] | None
_SAVED = "Or a saved roster by its name"


@dataclass(frozen=True, slots=True)
class GroupOptions(OptionGroup):
    """Two groups in one roster, or in one each; as files or saved ones."""

    roster: Annotated[_File, "Both groups as a CSV file (name, side, hp, …), or the first one"] = None
    against: Annotated[_File, "The second group, where it has a CSV file of its own"] = None
    roster_saved: Annotated[_Saved, _SAVED] = None
    against_saved: Annotated[_Saved, _SAVED] = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was given."""
        return self == GroupOptions()

    async def read(self, interaction: Interaction) -> tuple[Upload, Upload | None]:
        """Return the rosters, None for no second one; the interaction is deferred. RuleError if one can't be read."""
        first = await roster_content(interaction, KIND.name, self.roster, self.roster_saved)
        if self.against is None and self.against_saved is None:
            return first, None
        return first, await roster_content(interaction, KIND.name, self.against, self.against_saved, "against")
