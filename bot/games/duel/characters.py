"""Players' own characters: to find, select, roll (`/duel roll`) and show (`/duel characters`)."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import discord
from discord import app_commands

from bot.answers import Answer, PagedQuery, Query
from bot.answers.document import Action, Document, Page, action_buttons
from bot.answers.items import Confirmations, find_stored
from bot.battles.presenter import Presenters
from bot.client import UNDELIVERED, Client, Interaction
from bot.games.duel.render import COLOURS, character_line, critter_line, sheet, top_text
from bot.games.duel.repositories import MAX_CHARACTERS, Character, CharacterRepository, ScoreRepository
from bot.store.battle import Battle
from bot.store.battles import BattleRepository
from bot.store.queries import StoredQuery
from bot.ui import MAX_CHOICE, MAX_CHOICES, Picture, View, did_you_mean, drawn, plain, shorten, text_view
from bot.ui.error_replies import OUTDATED_BUTTON, MarkdownError
from bot.ui.interactions import caller_of, defer, edit_message, edit_reply, is_private, show_view
from bot.ui.options import CompletedBy, Entry, Option, new_dice_seed
from sim.core import RuleError
from sim.core.names import name_key
from sim.core.numbers import quantity
from sim.duel.battle import GROUP_1
from sim.duel.battle.dungeon_rules import Dungeon
from sim.duel.battle.rules import Duel
from sim.duel.cards import CharacterCardRequest, characters_card
from sim.duel.critter import MAX_NAME, Abilities, Alignment, Critter, Gender
from sim.duel.requests import RollRequest
from sim.duel.tables import Roster, RosterSide, write_roster
from sim.workers.queue import Caller

FIELD = "character"
"""The id of the form field that selects a character."""

_NEW = "new"


class CharacterService:
    """Rolls, finds and selects the characters of players."""

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self.own = bot.services[CharacterRepository].own

    async def draw(self, interaction: Interaction, wanted: "RollQuery | None" = None, *avoid: str) -> Critter:
        """Roll a character for the user, with a name not in `avoid`. Needs a deferred interaction."""
        taken = (*avoid, *(character.name for character in await self.own(interaction.user.id)))
        wishes = {} if wanted is None else wanted.model_dump(include={"name", "gender", "alignment"})
        request = RollRequest(seed=new_dice_seed(), taken=taken, **wishes)
        return await self._bot.simulator.once(request, caller_of(interaction))

    async def roll(self, interaction: Interaction, wanted: "RollQuery | None" = None, *avoid: str) -> Character:
        """Roll and store a character as `draw`."""
        critter = await self.draw(interaction, wanted, *avoid)
        return await self._bot.services[CharacterRepository].add(interaction.user.id, critter)

    async def find(self, user_id: int, typed: str) -> Character:
        """Return a player's character by name; RuleError if there is none."""
        own = {name_key(character.name): character for character in await self.own(user_id)}
        if (found := own.get(name_key(typed))) is not None:
            return found
        if not own:
            raise RuleError("You have no character yet; /duel roll makes one.")
        hint = did_you_mean(typed, (character.name for character in own.values()))
        raise RuleError(f"You have no character {shorten(typed, 80)}.{hint}")

    async def name_of_own(self, interaction: Interaction, owner_id: int, character_id: int) -> str:
        """Return the name of a player's character; RuleError unless the user is that player, and still has it."""
        if interaction.user.id != owner_id:
            raise MarkdownError(f"Only <@{owner_id}> decides about this character; /duel roll makes one of yours.")
        name = next((each.name for each in await self.own(owner_id) if each.id == character_id), None)
        if name is None:
            raise RuleError(_GONE)
        return name

    async def fighter(self, interaction: Interaction, typed: str | None) -> Critter:
        """Return the user's character of this name, or their newest that isn't in a fight; roll one if there is none.

        RuleError if the one of this name is in a fight.
        """
        if typed is not None:
            found = await self.find(interaction.user.id, typed)
            await self.expect_free(interaction.user.id, [found.critter])
            return found.critter
        busy = await self._places(interaction.user.id)
        for character in await self.own(interaction.user.id):
            if _hero(character.critter) not in busy:
                return character.critter
        await defer(interaction, private=False)
        return (await self.roll(interaction)).critter

    async def select_field(self, user_id: int, selected: str | None) -> discord.ui.Label[Any]:
        """Return the form field in which a player selects a character."""
        own, busy = await self.own(user_id), await self._places(user_id)
        options = {str(character.id): _label(character) for character in own if _hero(character.critter) not in busy}
        if len(own) < MAX_CHARACTERS:
            options[_NEW] = "Roll a new one"
        if not options:
            raise RuleError("All your characters are busy in fights.")
        first = selected if selected in options else next(iter(options))
        return Entry("Your character", choices=options, first=first).field(FIELD)

    async def read_selection(self, interaction: Interaction, value: str, others: Sequence[Critter]) -> Critter:
        """Return the character selected in the form. Needs an acknowledged interaction.

        RuleError if one of the `others` has the same name.
        """
        names = [other.name for other in others]
        if value == _NEW:
            return (await self.roll(interaction, None, *names)).critter
        for character in await self.own(interaction.user.id):
            if str(character.id) == value:
                if name_key(character.name) in map(name_key, names):
                    raise RuleError(f"{character.name} is already in this fight: choose another character.")
                await self.expect_free(interaction.user.id, [character.critter])
                return character.critter
        raise RuleError("That character is gone; choose another one.")

    async def _places(self, user_id: int) -> "dict[_Hero, Battle]":
        """Map heroes to their open fights, for each fight that a user has, or had, a seat in."""
        found: dict[_Hero, Battle] = {}
        for battle in await self._bot.services[BattleRepository].open_of(user_id, (Duel.name, Dungeon.name)):
            state = (await self._bot.services[Presenters].position(battle)).state
            for place in battle.places:
                found |= dict.fromkeys(map(_hero, state.fighters_of(place.seat)), battle)
        return found

    async def expect_free(self, user_id: int, critters: Iterable[Critter]) -> None:
        """Raise MarkdownError if one of these is a user's character, and in a fight that goes on."""
        own = {_hero(character.critter) for character in await self.own(user_id)}
        heroes = [critter for critter in critters if _hero(critter) in own]
        busy = await self._places(user_id) if heroes else {}
        for critter in heroes:
            if (battle := busy.get(_hero(critter))) is not None:
                raise MarkdownError(
                    f"{plain(critter.name)} is busy in #{battle.number} in <#{battle.shown_in}>: finish that first,"
                    " or send another character."
                )


_Hero = tuple[str, Abilities | None]


def _hero(critter: Critter) -> _Hero:
    """Return by what a character is known again, also when campaigns have changed the rest."""
    return name_key(critter.name), critter.abilities


@partial(CompletedBy, MAX_NAME)
async def own_character(interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[str]]:
    """Complete the name of one of the player's characters."""
    key = name_key(typed)
    return [
        app_commands.Choice(name=_label(character), value=character.name)
        for character in await interaction.client.services[CharacterRepository].own(interaction.user.id)
        if key in name_key(character.name)
    ]


def _label(character: Character) -> str:
    return f"{character.name}, {character.critter.hp} HP"


CharacterOption = Annotated[
    str | None, Option("Your character (default: your newest; if you have none, one is rolled)", own_character)
]

REROLL = Action("reroll", "Reroll", "🎲")
_DISMISS = "dismiss"
DISMISS_DEED, REROLL_DEED = "duel-dismiss", "duel-reroll"
_GONE = "This character has left you; /duel roll makes a new one."
_NOBODY = "There is no character yet; /duel roll makes one."
_THEYRE = {Gender.HE: ("He's", "him"), Gender.SHE: ("She's", "her"), Gender.IT: ("It's", "it")}


class RollQuery(Query):
    """What was asked of a character, None for whatever the dice say; `character_id`: the one that was rolled.

    It is kept; a press, once confirmed, rolls another one in its place.
    """

    stored_as = "duel-roll"

    name: Annotated[
        str | None, Option("Its name (default: one from the table)", app_commands.Range[str, 1, MAX_NAME])
    ] = None
    gender: Annotated[
        Gender | None,
        Option("Its pronoun (default: random)", choices={gender.value: gender.value for gender in Gender}),
    ] = None
    alignment: Annotated[
        Alignment | None,
        Option("Its alignment (default: random)", choices={each.value: each.value for each in Alignment}),
    ] = None
    character_id: int = 0

    async def ask(self, interaction: Interaction) -> None:
        """Roll a character and show its sheet."""
        await defer(interaction, private=self.private)
        character = await interaction.client.services[CharacterService].roll(interaction, self)
        stored = await self.model_copy(update={"character_id": character.id}).store(interaction)
        await show_view(interaction, await _rolled_sheet(interaction, stored, character.critter))

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Ask before the character is replaced; RuleError unless it is the user's, and still there."""
        if action != REROLL.action:
            raise RuleError(OUTDATED_BUTTON)
        services = interaction.client.services
        name = await services[CharacterService].name_of_own(interaction, stored.asker_id, self.character_id)
        text = f"This replaces your character **{plain(name)}** with a newly rolled one; its fights go on."
        shown = 0 if is_private(interaction) or interaction.message is None else interaction.message.id
        await services[Confirmations].ask(interaction, REROLL_DEED, f"{stored.id} {shown}", text)


async def reroll(interaction: Interaction, what: str) -> None:
    """Replace the character of a query; `what`: the query's id, and that of the message to edit, 0 for none."""
    bot = interaction.client
    query_id, _, message_id = what.partition(" ")
    stored = await find_stored(interaction, query_id)
    query = RollQuery.model_validate_json(stored.request)
    critter = await bot.services[CharacterService].draw(interaction, query)
    if not await bot.services[CharacterRepository].replace(stored.asker_id, query.character_id, critter):
        raise RuleError(_GONE)
    view = await _rolled_sheet(interaction, stored, critter)
    if int(message_id) and interaction.channel_id is not None:
        channel = bot.get_partial_messageable(interaction.channel_id, guild_id=interaction.guild_id)
        with suppress(*UNDELIVERED):  # where the bot is no member, the question becomes the sheet
            await edit_message(channel.get_partial_message(int(message_id)), view)
            await edit_reply(interaction, f"🎲 Your character is now **{plain(critter.name)}**.")
            return
    await show_view(interaction, view)


async def _rolled_sheet(interaction: Interaction, stored: StoredQuery, critter: Critter) -> View:
    job = CharacterCardRequest(critter=critter)
    card = await drawn(interaction.client, job, "character.png", caller_of(interaction))
    is_, whom = _THEYRE[critter.gender]
    hint = f"-# {is_} yours. Send {whom} into `/duel challenge`, `/duel encounter` or `/duel dungeon`."
    text = f"### 🎲 A new character\n{character_line(critter)}\n{hint}"
    return text_view([text], picture=card, buttons=action_buttons(stored.id, (REROLL,)))


class CharactersQuery(PagedQuery):
    """A player's present characters, or only the one called `name`; `best`: and the best heroes here, the last page."""

    stored_as = "duel-characters"
    has_form = False

    owner_id: int
    name: str | None = None
    best: bool = False

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Ask before a character is deleted; RuleError unless it is the user's, and still there."""
        what, _, number = action.partition(":")
        if what != _DISMISS or not number:
            await super().act(interaction, stored, action)
            return
        services = interaction.client.services
        name = await services[CharacterService].name_of_own(interaction, self.owner_id, int(number))
        text = f"This deletes your character **{plain(name)}**; its fights go on."
        await services[Confirmations].ask(interaction, DISMISS_DEED, name, text)

    async def check(self, bot: Client, _caller: Caller) -> list[Character]:
        """Return the characters; RuleError if the one that was named isn't there, or nothing is to be shown."""
        characters = bot.services[CharacterService]
        if self.name is not None:
            return [await characters.find(self.owner_id, self.name)]
        own = await characters.own(self.owner_id)
        if not own and not self.best:
            raise RuleError(_NOBODY)
        return own

    async def build(self, bot: Client, caller: Caller) -> Answer:
        """Return a page for all characters, a sheet for each, and the best heroes here; and a roster of them."""
        own = await self.check(bot, caller)
        headline = f"### 🧍 <@{self.owner_id}> has {quantity(len(own), 'character')}"
        pages: list[Page] = []
        if len(own) == 1:
            card = await drawn(bot, CharacterCardRequest(critter=own[0].critter), "characters.png", caller)
            pages = [_page(own[0], character_line, card)]
        elif own:
            card = await drawn(bot, characters_card([one.critter for one in own]), "characters.png", caller)
            everybody = "\n".join(f"- {critter_line(one.critter)}" for one in own)
            pages = [Page("All of them", lambda: everybody, card), *(_page(one, sheet) for one in own)]
        else:
            headline = "### 🧍 No character yet: `/duel roll` makes one"
        if self.best:
            scores = bot.services[ScoreRepository]
            best = await scores.best(Dungeon.name, caller.guild, self.owner_id, MAX_CHOICES)
            where = "in your direct messages" if caller.guild is None else "here"
            pages.append(Page("The best dungeon heroes", partial(top_text, best, where)))
        return Answer(Document(headline, COLOURS[GROUP_1], pages), lambda: _roster_file(own))


async def dismiss(interaction: Interaction, character: str) -> None:
    """Let a character of the user's go."""
    services, user_id = interaction.client.services, interaction.user.id
    found = await services[CharacterService].find(user_id, character)
    await services[CharacterRepository].delete(user_id, found.id)
    await edit_reply(interaction, f"👋 **{plain(found.name)}** goes home.")


def _roster_file(own: Sequence[Character]) -> dict[str, bytes]:
    """Return a roster that `/duel groups` accepts; RuleError if there is nobody to be in it."""
    if not own:
        raise RuleError(_NOBODY)
    side = RosterSide(name=GROUP_1, critters=tuple(character.critter for character in own))
    return {"Characters.csv": write_roster(Roster(sides=(side,)))}


def _page(character: Character, write: Callable[[Critter], str], picture: Picture | None = None) -> Page:
    """Return a character's page, with the button that lets it go."""
    farewell = Action(f"{_DISMISS}:{character.id}", "Dismiss", "👋")
    return Page(shorten(character.name, MAX_CHOICE), partial(write, character.critter), picture, (farewell,))
