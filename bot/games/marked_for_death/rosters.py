"""Rosters of Marked for Death: saved ones, and both sides of a battle as options of a command."""

from dataclasses import dataclass
from typing import Annotated

import discord
from discord import app_commands

from bot.client import Interaction
from bot.games.marked_for_death.render.check import summary
from bot.rosters.library import RosterKind
from bot.rosters.options import SavedRoster, roster_content
from bot.ui.attachments import Upload
from bot.ui.option_groups import OptionGroup
from sim.marked_for_death.battle import MAX_ROUNDS
from sim.marked_for_death.run import CheckRequest

KIND = RosterKind(
    name="mfd",
    title="Marked for Death roster",
    extension="csv",
    check=lambda content: CheckRequest(source=content),
    summarize=summary,
)

Saved = Annotated[str, SavedRoster(KIND.name)]
SAVED = "Or a saved roster by its name"
_Rounds = app_commands.Range[int, 1, MAX_ROUNDS] | None
_ROUNDS = f"Stop undecided after this many rounds (1 to {MAX_ROUNDS})"


@dataclass(frozen=True, slots=True)
class BattleOptions(OptionGroup):
    """Two rosters, each as a file or a saved one, and how long they may fight."""

    heroes: Annotated[discord.Attachment | None, "The heroes' roster, a CSV file"] = None
    villains: Annotated[discord.Attachment | None, "The villains' roster, a CSV file"] = None
    heroes_saved: Annotated[Saved | None, SAVED] = None
    villains_saved: Annotated[Saved | None, SAVED] = None
    max_rounds: Annotated[_Rounds, _ROUNDS] = None

    async def read(self, interaction: Interaction) -> tuple[Upload, Upload]:
        """Return the heroes' and the villains' roster; the interaction is deferred. RuleError if one can't be read."""
        return (
            await roster_content(interaction, KIND.name, self.heroes, self.heroes_saved, "heroes"),
            await roster_content(interaction, KIND.name, self.villains, self.villains_saved, "villains"),
        )
