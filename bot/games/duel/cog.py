"""The commands of duels: `/duel …`. `/help` lists them in this order."""

from dataclasses import replace
from typing import Annotated

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers import Handlers, ask
from bot.answers.items import Confirmations, Deed
from bot.battles import BattleService
from bot.battles.endings import Ending, Endings
from bot.battles.items import show_log
from bot.battles.presenter import Presenters
from bot.battles.threads import opens_battle, wished_thread
from bot.client import Client, Interaction
from bot.games.duel import characters as c
from bot.games.duel import questions as q
from bot.games.duel import start_battle as start
from bot.games.duel.presenter import DuelPresenter, DungeonPresenter, leaves_out
from bot.games.duel.repositories import MAX_CHARACTERS
from bot.rosters import RosterLibrary
from bot.store.battle import Place
from bot.store.queries import UploadRepository
from bot.ui import plain_view
from bot.ui.interactions import caller_of, defer
from bot.ui.options import Option, Private, new_dice_seed, run, seed_option, slash
from sim.core import RuleError
from sim.duel.battle import GROUP_1, GROUP_2
from sim.duel.battle.dungeon_rules import Dungeon
from sim.duel.battle.dungeon_values import HEROES, MAX_ROOMS, Setup
from sim.duel.critter import RULES_VERSION
from sim.duel.monsters import MAX_LEVEL
from sim.duel.requests import EncounterRequest, RivalsRequest, RosterRequest
from sim.duel.tables import example

_NO_ROSTER = (
    "Two groups need a roster. Open the sample or the empty one in a spreadsheet, enter your fighters, save it as CSV,"
    " and attach it to `/duel groups` or `/duel odds`."
)
_LEVEL = Option(f"How dangerous: 1 to {MAX_LEVEL}", app_commands.Range[int, 1, MAX_LEVEL])
MoraleOption = Annotated[
    bool, Option("Test morale when the first, then half of a group has fallen: the faint-hearted run (default: no)")
]


class Duels(commands.Cog, name="B/X duels"):
    """B/X duels."""

    duel = app_commands.Group(
        name="duel", description="B/X duels: roll fighters, read their fight as a story, explore dungeons"
    )

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._characters = bot.services[c.CharacterService]
        bot.services[Handlers].add(start.ChallengeHandler, c.RollHandler, c.CharactersQuery)
        bot.services[Handlers].add(q.WordsHandler, q.TypedQuery, q.FilesQuery)
        bot.services[Confirmations].add(c.DISMISS_DEED, Deed("Dismiss", c.dismiss))
        for presenter in (DuelPresenter(bot), DungeonPresenter(bot)):
            bot.services[Presenters].add(presenter)
        bot.services[Endings]["story"] = Ending("Read it all", "📜", show_log, leaves_out, first=True)
        bot.services[RosterLibrary].add_kind(q.ROSTER_KIND)
        bot.add_menu("Challenge", "to a duel, your newest character against theirs", self._menu_challenge)

    @slash(duel, opens_battle)
    async def fight(
        self,
        interaction: Interaction,
        lawful: Annotated[discord.User | None, Option("A player for the lawful barbarian")] = None,
        chaotic: Annotated[discord.User | None, Option("A player for the chaotic one")] = None,
        turns: start.TurnsOption = "anyone",
        *,
        messages: q.MessageOptions,
    ) -> None:
        """Two barbarians meet in the snow, one lawful, one chaotic: a story, page by page."""
        words = await start.words_here(interaction, messages.texts())
        places = start.places_of(interaction, {GROUP_1: lawful, GROUP_2: chaotic}, turns)
        await defer(interaction, private=False)
        request = RivalsRequest(seed=new_dice_seed())
        first, second = await self._bot.simulator.once(request, caller_of(interaction))
        await start.open_duel(interaction, ((first,), (second,)), words, turns, places)

    @slash(duel, opens_battle)
    async def challenge(
        self,
        interaction: Interaction,
        opponent: Annotated[discord.User | None, Option("The player to challenge (default: the bot)")] = None,
        character: c.CharacterOption = None,
        against: Annotated[
            start.OpponentWord | None, Option("Which of the bot's duelists", choices=start.OPPONENT_CHOICES)
        ] = None,
        turns: start.TurnsOption = "duellists",
    ) -> None:
        """Your character against another player's, or at once against the bot's."""
        if opponent is None or opponent == self._bot.user:
            critter = await self._characters.fighter(interaction, character)
            await start.open_against_bot(interaction, critter, against, turns)
            return
        if opponent.bot:
            raise RuleError("Other bots don't know how to fight; challenge a person, or this bot.")
        if opponent.id == interaction.user.id:
            raise RuleError("Challenge another player; /duel fight lets two others fight for you.")
        query = start.ChallengeQuery(
            challenger_id=interaction.user.id,
            opponent_id=opponent.id,
            turns=turns,
            character=await self._characters.fighter(interaction, character),
            thread=wished_thread(interaction),
        )
        await self._bot.services[start.ChallengeHandler].ask(interaction, query)

    async def _menu_challenge(self, interaction: Interaction, opponent: discord.User) -> None:
        await run(self.challenge, self, interaction, opponent=opponent)

    @slash(
        duel,
        opens_battle,
        example="/duel groups roster:Groups.csv",
        more="A roster has columns for name, side, hit points, abilities or modifiers, armor class, to-hit,"
        " damage such as `2d6+1`, attacks and morale. Without a roster you get a sample and an empty one.",
    )
    async def groups(
        self,
        interaction: Interaction,
        files: q.GroupOptions,
        first: Annotated[discord.User | None, Option("A player for the first group")] = None,
        second: Annotated[discord.User | None, Option("A player for the second group")] = None,
        turns: start.TurnsOption = "anyone",
        *,
        morale: MoraleOption = False,
        messages: q.MessageOptions,
    ) -> None:
        """Two groups fight, from a CSV file or saved rosters; without any you get a sample."""
        if files.is_empty:
            view, sample = plain_view(_NO_ROSTER), example()
            sent = {"Groups.csv": sample, "Empty.csv": sample.splitlines(keepends=True)[0]}
            for name, data in sent.items():
                view.add_file(name, data)
            await interaction.response.send_message(view=view, files=view.files, ephemeral=True)
            return
        words = await start.words_here(interaction, messages.texts())
        places = start.places_of(interaction, {GROUP_1: first, GROUP_2: second}, turns)
        await defer(interaction, private=False)
        roster, against = await files.rosters(interaction)
        request = RosterRequest(data=roster, against=against)
        read = await self._bot.simulator.once(request, caller_of(interaction))
        groups, sides = read.groups(), read.names()
        await start.open_duel(interaction, groups, words, turns, places, morale=morale, sides=sides)

    @slash(duel, opens_battle, example="/duel encounter level:1")
    async def encounter(
        self,
        interaction: Interaction,
        level: Annotated[int, _LEVEL],
        character: c.CharacterOption = None,
        second: Annotated[str | None, Option("A second character of yours", c.OWN_CHARACTER)] = None,
        third: Annotated[str | None, Option("A third one", c.OWN_CHARACTER)] = None,
        fourth: Annotated[str | None, Option("A fourth one", c.OWN_CHARACTER)] = None,
        turns: start.TurnsOption = "anyone",
        *,
        morale: MoraleOption = False,
    ) -> None:
        """One to four of your characters fight random monsters of a level."""
        words = await start.words_here(interaction)
        names = [name for name in (character, second, third, fourth) if name is not None]
        party = [await self._characters.fighter(interaction, name) for name in names or (None,)]
        places = [*start.places_of(interaction, {GROUP_1: interaction.user}, turns), Place(GROUP_2, is_bot=True)]
        await defer(interaction, private=False)
        request = EncounterRequest(seed=new_dice_seed(), level=level, party=len(party))
        met = await self._bot.simulator.once(request, caller_of(interaction))
        await start.open_duel(interaction, (party, met.critters), words, turns, places, morale=morale)

    @slash(duel, opens_battle, example="/duel dungeon rooms:4")
    async def dungeon(
        self,
        interaction: Interaction,
        rooms: Annotated[
            int, Option(f"How many rooms: 1 to {MAX_ROOMS} (default 6)", app_commands.Range[int, 1, MAX_ROOMS])
        ] = 6,
        level: Annotated[int, replace(_LEVEL, description=f"{_LEVEL.description} (default 1)")] = 1,
        character: c.CharacterOption = None,
    ) -> None:
        """A dungeon of random rooms for one to four heroes: fight, rest, go on or go home."""
        words = await start.words_here(interaction)
        hero = await self._characters.fighter(interaction, character)
        setup = Setup(rooms=rooms, level=level, heroes=(hero,), words=words, turns=True, edition=RULES_VERSION)
        places = [Place(HEROES[0], interaction.user.id)]
        await self._bot.services[BattleService].open(interaction, Dungeon.name, setup, places)

    @slash(duel, example="/duel odds first:8 hp str +2 second:6 hp dex +1 1d6")
    async def odds(
        self,
        interaction: Interaction,
        first: q.FirstGroup = None,
        second: q.SecondGroup = None,
        *,
        files: q.GroupOptions,
        seed: Annotated[int, seed_option("The seed of the simulated battles, for groups")],
        private: Private = False,
    ) -> None:
        """Who wins? Exact for one against one, simulated for groups."""
        if files.is_empty:
            own = tuple(character.critter for character in await self._characters.own(interaction.user.id))
            query = q.TypedQuery(first=first or "", second=second or "", known=own, seed=seed, private=private)
            await ask(interaction, query)
            return
        if first is not None or second is not None:
            raise RuleError("Give both groups as text (first and second) or both as files.")
        await defer(interaction, private=private)
        roster, against = await files.rosters(interaction)
        uploads = self._bot.services[UploadRepository]
        files_query = q.FilesQuery(
            roster=uploads.keep(roster),
            against=None if against is None else uploads.keep(against),
            seed=seed,
            private=private,
        )
        await ask(interaction, files_query)

    @slash(duel, says=f"Roll and keep a character (up to {MAX_CHARACTERS}): 3d6 for each ability, d8 hit points")
    async def roll(self, interaction: Interaction, query: c.RollQuery) -> None:
        """Roll and store a character."""
        await self._bot.services[c.RollHandler].ask(interaction, query)

    @slash(duel)
    async def characters(
        self,
        interaction: Interaction,
        character: Annotated[str | None, Option("Show only this one", c.OWN_CHARACTER)] = None,
        private: Private = False,
    ) -> None:
        """Your characters: sheets, a roster file, a button to dismiss each; then the best heroes here."""
        user_id, best = interaction.user.id, character is None
        query = c.CharactersQuery(owner_id=user_id, name=character, best=best, private=private)
        await ask(interaction, query)

    @slash(duel)
    async def words(self, interaction: Interaction, private: Private = False) -> None:
        """What duels say here; a referee can change the words, with a preview."""
        query = q.WordsQuery(guild_id=interaction.guild_id, user_id=interaction.user.id, private=private)
        await ask(interaction, query)
