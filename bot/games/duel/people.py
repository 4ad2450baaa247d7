"""Players' own characters: rolled, found again, chosen."""

from collections.abc import Iterable, Sequence
from typing import Any

import discord
from discord import app_commands

from bot.client import Client, Interaction
from bot.games.duel.characters import MOST_CHARACTERS, Character, CharacterRepository
from bot.ui.interactions import caller_of, defer_once
from bot.ui.modals import choice_field
from bot.ui.seeds import new_dice_seed
from bot.ui.text import did_you_mean, plain
from bot.ui.transformers import CompletedOption
from sim.core.errors import RuleError
from sim.core.names import name_key
from sim.duel.critter import Alignment, Critter
from sim.duel.gather import RollRequest
from sim.duel.names import MAX_NAME, Gender

FIELD = "character"
"""The form's field in which a character is chosen."""

_NEW = "new"


class People:
    """Who players have to fight with."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot

    async def own(self, user_id: int) -> list[tuple[Character, Critter]]:
        """Return a player's characters, the newest first."""
        return [
            (character, Critter.model_validate(character.sheet))
            for character in await self._bot.services[CharacterRepository].own(user_id)
        ]

    async def roll(
        self,
        interaction: Interaction,
        name: str | None = None,
        gender: Gender | None = None,
        alignment: Alignment | None = None,
        avoid: Sequence[str] = (),
    ) -> Critter:
        """Roll a character and keep it as the user's own, called none of `avoid`; the interaction is deferred."""
        user_id = interaction.user.id
        taken = (*avoid, *(character.name for character in await self._bot.services[CharacterRepository].own(user_id)))
        request = RollRequest(seed=new_dice_seed(), name=name, gender=gender, alignment=alignment, taken=taken)
        critter = await self._bot.simulator.once(request, caller_of(interaction))
        await self._bot.services[CharacterRepository].add(user_id, critter.name, critter.model_dump(mode="json"))
        return critter

    async def find(self, user_id: int, typed: str) -> tuple[Character, Critter]:
        """Return a player's character by its name; RuleError where there is none."""
        own = await self.own(user_id)
        for kept, critter in own:
            if name_key(kept.name) == name_key(typed):
                return kept, critter
        if not own:
            raise RuleError("You have no character yet; /duel roll makes one.")
        hint = did_you_mean(typed, (kept.name for kept, _ in own))
        raise RuleError(f"You have no character {plain(typed)}.{hint}")

    async def fighter(self, interaction: Interaction, typed: str | None) -> Critter:
        """Return the user's character of this name; without one the newest, or where there is none a new one."""
        if typed is not None:
            return (await self.find(interaction.user.id, typed))[1]
        own = await self.own(interaction.user.id)
        return own[0][1] if own else await self._first(interaction)

    async def party(self, interaction: Interaction, typed: Sequence[str | None]) -> tuple[Critter, ...]:
        """Return the user's characters of these names, None for no further one; without any as `fighter` does."""
        named = [name for name in typed if name is not None]
        if not named:
            return (await self.fighter(interaction, None),)
        return tuple([await self.fighter(interaction, name) for name in named])

    async def field(self, user_id: int, chosen: str | None) -> discord.ui.Label[Any]:
        """Return the field of a form in which a player chooses a character."""
        own = await self.own(user_id)
        options = {str(kept.id): f"{critter.name}, {critter.hp} HP" for kept, critter in own}
        if len(own) < MOST_CHARACTERS:
            options[_NEW] = "Roll a new one"
        return choice_field(FIELD, "Your character", options, chosen if chosen in options else next(iter(options)))

    async def chosen(self, interaction: Interaction, value: str, others: Sequence[Critter]) -> Critter:
        """Return who was chosen in the form; the interaction is acknowledged.

        RuleError where one of the `others` there has the same name.
        """
        names = [other.name for other in others]
        if value == _NEW:
            return await self.roll(interaction, avoid=names)
        for kept, critter in await self.own(interaction.user.id):
            if str(kept.id) == value:
                if name_key(critter.name) in map(name_key, names):
                    raise RuleError(f"Somebody called {plain(critter.name)} is there already: choose another one.")
                return critter
        raise RuleError("This character isn't kept any more; please choose another one.")

    async def _first(self, interaction: Interaction) -> Critter:
        await defer_once(interaction, private=False)
        return await self.roll(interaction)


class OwnCharacter(CompletedOption):
    """The name of one of the player's characters."""

    def __init__(self) -> None:
        super().__init__(MAX_NAME)

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
        """Offer the characters whose names hold what was typed."""
        key = name_key(typed)
        return [
            app_commands.Choice(name=f"{critter.name}, {critter.hp} HP", value=kept.name)
            for kept, critter in await People(interaction.client).own(interaction.user.id)
            if key in name_key(kept.name)
        ]
