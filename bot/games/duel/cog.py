"""The commands of duels: `/duel …`. `/help` lists them in this order."""

import io

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers.confirmation import Confirmations, Deed
from bot.answers.handler import Handlers
from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Client, Interaction
from bot.games.duel.characters import CharacterService, RollHandler, RollQuery
from bot.games.duel.handlers import (
    ChallengeHandler,
    ChallengeQuery,
    CharactersHandler,
    CharactersQuery,
    FilesOddsHandler,
    FilesQuery,
    TypedOddsHandler,
    TypedQuery,
    WordsHandler,
    WordsQuery,
)
from bot.games.duel.options import (
    CHARACTER,
    GROUP,
    LEVEL,
    MORALE,
    ROSTER_KIND,
    TURNS,
    TURNS_CHOICES,
    GroupOptions,
    GroupText,
    Level,
    MessageOptions,
    NewName,
    Own,
    Rooms,
    read_turns,
)
from bot.games.duel.presenter import DuelPresenter, DungeonPresenter
from bot.games.duel.render import top_text
from bot.games.duel.repositories import MAX_CHARACTERS, CharacterRepository, ScoreRepository
from bot.games.duel.start_battle import open_duel, seats_of, words_here
from bot.rosters.library import RosterLibrary
from bot.store.uploads import UploadRepository
from bot.ui.interactions import caller_of, defer, edit_reply
from bot.ui.options import PRIVATE, SeedOption, new_dice_seed, new_seed, with_groups
from bot.ui.text import MAX_CHOICES, plain
from sim.core.errors import RuleError
from sim.duel.battle.values import GROUP_1, GROUP_2
from sim.duel.critter import Alignment, Gender
from sim.duel.dungeon.rules import Dungeon
from sim.duel.dungeon.values import HEROES, MAX_ROOMS, Setup
from sim.duel.edition import EDITION
from sim.duel.requests import EncounterRequest, GroupsRequest, RivalsRequest
from sim.duel.tables import example

_DISMISS = "duel-dismiss"


class Duels(commands.Cog, name="B/X duels"):
    """B/X duels."""

    duel = app_commands.Group(
        name="duel", description="B/X duels: roll fighters, read their fight as a story, explore dungeons"
    )

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._characters = CharacterService(bot)
        self._challenge = ChallengeHandler(bot, self._characters)
        self._roll = RollHandler(bot, self._characters)
        self._sheets = CharactersHandler(bot, self._characters)
        self._words = WordsHandler(bot)
        self._odds, self._file_odds = TypedOddsHandler(bot), FilesOddsHandler(bot)
        for handler in (self._challenge, self._roll, self._sheets, self._words, self._odds, self._file_odds):
            bot.services[Handlers].add(handler)
        for presenter in (DuelPresenter(bot), DungeonPresenter(bot, self._characters)):
            bot.services[Presenters].add(presenter)
        bot.services[RosterLibrary].add_kind(ROSTER_KIND)
        bot.services[Confirmations].add(_DISMISS, Deed("Dismiss", self._dismiss))

    @duel.command(
        description="Two barbarians meet in the snow, one lawful, one chaotic: a story, page by page",
        extras={"example": "/duel fight"},
    )
    @app_commands.describe(
        lawful="A player for the lawful barbarian", chaotic="A player for the chaotic one", turns=TURNS
    )
    @app_commands.choices(turns=TURNS_CHOICES)
    @with_groups
    async def fight(
        self,
        interaction: Interaction,
        lawful: discord.User | None = None,
        chaotic: discord.User | None = None,
        turns: str = "anyone",
        *,
        messages: MessageOptions,
    ) -> None:
        """Roll two barbarians and open their duel."""
        words = await words_here(interaction, messages.texts())
        seats = seats_of(interaction.user.id, {GROUP_1: lawful, GROUP_2: chaotic}, read_turns(turns), self._bot.user)
        await defer(interaction, private=False)
        first, second = await self._bot.simulator.once(RivalsRequest(seed=new_dice_seed()), caller_of(interaction))
        await open_duel(interaction, ((first,), (second,)), words, read_turns(turns), seats)

    @duel.command(
        description="Challenge another player: your character against theirs",
        extras={"example": "/duel challenge opponent:@somebody"},
    )
    @app_commands.describe(opponent="The player to challenge", character=CHARACTER, turns=TURNS)
    @app_commands.choices(turns=TURNS_CHOICES)
    async def challenge(
        self,
        interaction: Interaction,
        opponent: discord.User,
        character: Own | None = None,
        turns: str = "duellists",
    ) -> None:
        """Post a challenge."""
        if opponent.bot:
            raise RuleError("Bots have no character; challenge a person.")
        if opponent.id == interaction.user.id:
            raise RuleError("Challenge somebody else; /duel fight lets two others fight for you.")
        query = ChallengeQuery(
            challenger_id=interaction.user.id,
            opponent_id=opponent.id,
            turns=read_turns(turns),
            character=await self._characters.fighter(interaction, character),
        )
        await self._challenge.ask(interaction, query)

    @duel.command(
        description="Two groups fight, from a CSV file or saved rosters",
        extras={
            "example": "/duel groups roster:Groups.csv",
            "more": "A roster has columns for name, side, hit points, abilities or modifiers, armor class, to-hit,"
            " damage such as `2d6+1`, attacks and morale. `/duel template` has them all.",
        },
    )
    @app_commands.describe(
        first="A player for the first group", second="A player for the second group", turns=TURNS, morale=MORALE
    )
    @app_commands.choices(turns=TURNS_CHOICES)
    @with_groups
    async def groups(
        self,
        interaction: Interaction,
        files: GroupOptions,
        first: discord.User | None = None,
        second: discord.User | None = None,
        turns: str = "anyone",
        *,
        morale: bool = False,
        messages: MessageOptions,
    ) -> None:
        """Open a duel of two groups."""
        words = await words_here(interaction, messages.texts())
        seats = seats_of(interaction.user.id, {GROUP_1: first, GROUP_2: second}, read_turns(turns), self._bot.user)
        await defer(interaction, private=False)
        roster, against = await files.read(interaction)
        request = GroupsRequest(data=roster.data, against=None if against is None else against.data)
        groups = await self._bot.simulator.once(request, caller_of(interaction))
        await open_duel(interaction, groups, words, read_turns(turns), seats, morale=morale)

    @duel.command(description="An example roster: two groups, every column", extras={"example": "/duel template"})
    async def template(self, interaction: Interaction) -> None:
        """Send an example roster."""
        file = discord.File(io.BytesIO(example()), "Groups.csv")
        text = "Open it in a spreadsheet, enter your fighters, save it as CSV, then use `/duel groups` or `/duel odds`."
        await interaction.response.send_message(text, file=file, ephemeral=True)

    @duel.command(
        description="One to four of your characters fight random monsters of a level",
        extras={"example": "/duel encounter level:1"},
    )
    @app_commands.describe(
        level=LEVEL,
        character=CHARACTER,
        second="A second character of yours",
        third="A third one",
        fourth="A fourth one",
        turns=TURNS,
        morale=MORALE,
    )
    @app_commands.choices(turns=TURNS_CHOICES)
    async def encounter(
        self,
        interaction: Interaction,
        level: Level,
        character: Own | None = None,
        second: Own | None = None,
        third: Own | None = None,
        fourth: Own | None = None,
        turns: str = "anyone",
        *,
        morale: bool = False,
    ) -> None:
        """Open a duel of characters against monsters."""
        words = await words_here(interaction)
        party = await self._characters.party(interaction, (character, second, third, fourth))
        seats = seats_of(interaction.user.id, {GROUP_1: interaction.user}, read_turns(turns), self._bot.user)
        seats.give_bot(GROUP_2)
        await defer(interaction, private=False)
        request = EncounterRequest(seed=new_dice_seed(), level=level, party=len(party))
        met = await self._bot.simulator.once(request, caller_of(interaction))
        await open_duel(interaction, (party, met.critters), words, read_turns(turns), seats, morale=morale)

    @duel.command(
        description="A dungeon of random rooms for one to four heroes: fight, rest, go on or go home",
        extras={"example": "/duel dungeon rooms:4"},
    )
    @app_commands.describe(
        rooms=f"How many rooms: 1 to {MAX_ROOMS} (default 6)", level=f"{LEVEL} (default 1)", character=CHARACTER
    )
    async def dungeon(
        self,
        interaction: Interaction,
        rooms: Rooms = 6,
        level: Level = 1,
        character: Own | None = None,
    ) -> None:
        """Open a dungeon with the user's character as its first hero."""
        words = await words_here(interaction)
        hero = await self._characters.fighter(interaction, character)
        setup = Setup(rooms=rooms, level=level, heroes=(hero,), words=words, edition=EDITION)
        presenter = self._bot.services[Presenters].of(Dungeon.name)
        seats = {HEROES[0]: interaction.user.id}
        await self._bot.services[BattleService].open(interaction, presenter, setup, seats)

    @duel.command(
        description="Who wins? Exact for one against one, simulated for groups",
        extras={"example": "/duel odds first:8 hp str +2 second:6 hp dex +1 1d6"},
    )
    @app_commands.describe(
        first=f"First: {GROUP}",
        second=f"Second: {GROUP}",
        seed="The seed of the simulated battles, for groups",
        private=PRIVATE,
    )
    @with_groups
    async def odds(
        self,
        interaction: Interaction,
        first: GroupText | None = None,
        second: GroupText | None = None,
        *,
        files: GroupOptions,
        seed: SeedOption | None = None,
        private: bool = False,
    ) -> None:
        """Show the odds."""
        seed = new_seed() if seed is None else seed
        if files.is_empty:
            own = tuple(character.critter for character in await self._characters.own(interaction.user.id))
            query = TypedQuery(first=first or "", second=second or "", known=own, seed=seed, private=private)
            await self._odds.ask(interaction, query)
            return
        if first is not None or second is not None:
            raise RuleError("Give both groups as text (first and second) or both as files.")
        await defer(interaction, private=private)
        roster, against = await files.read(interaction)
        uploads = self._bot.services[UploadRepository]
        files_query = FilesQuery(
            roster=uploads.keep(roster.data),
            against=None if against is None else uploads.keep(against.data),
            seed=seed,
            private=private,
        )
        await self._file_odds.ask(interaction, files_query)

    @duel.command(
        description=f"Roll and keep a character (at most {MAX_CHARACTERS}): 3d6 for each ability, d8 hit points",
        extras={"example": "/duel roll"},
    )
    @app_commands.describe(
        name="Its name (default: one from the table)",
        gender="Its pronoun (default: random)",
        alignment="Its alignment (default: random)",
        private=PRIVATE,
    )
    @app_commands.choices(
        gender=[app_commands.Choice(name=gender.value, value=gender.value) for gender in Gender],
        alignment=[app_commands.Choice(name=alignment.value, value=alignment.value) for alignment in Alignment],
    )
    async def roll(
        self,
        interaction: Interaction,
        name: NewName | None = None,
        gender: str | None = None,
        alignment: str | None = None,
        private: bool = False,
    ) -> None:
        """Roll and store a character."""
        query = RollQuery(
            name=name,
            gender=None if gender is None else Gender(gender),
            alignment=None if alignment is None else Alignment(alignment),
            private=private,
        )
        await self._roll.ask(interaction, query)

    @duel.command(
        description="Your characters with their sheets, and as a roster file",
        extras={"example": "/duel characters"},
    )
    @app_commands.describe(character="Show only this one", private=PRIVATE)
    async def characters(self, interaction: Interaction, character: Own | None = None, private: bool = False) -> None:
        """Show the characters."""
        query = CharactersQuery(owner_id=interaction.user.id, name=character, private=private)
        await self._sheets.ask(interaction, query)

    @duel.command(
        description="Let one of your characters go for good", extras={"example": "/duel dismiss character:Brenna"}
    )
    @app_commands.describe(character="The one to dismiss")
    async def dismiss(self, interaction: Interaction, character: Own) -> None:
        """Ask before a character is deleted."""
        found = await self._characters.find(interaction.user.id, character)
        text = f"This deletes your character **{plain(found.name)}**; its fights go on."
        await self._bot.services[Confirmations].ask(interaction, _DISMISS, found.name, text)

    async def _dismiss(self, interaction: Interaction, character: str) -> None:
        found = await self._characters.find(interaction.user.id, character)
        await self._bot.services[CharacterRepository].delete(interaction.user.id, found.id)
        await edit_reply(interaction, f"👋 **{plain(found.name)}** goes home.")

    @duel.command(
        description="What duels say here; a referee can change the words, with a preview",
        extras={"example": "/duel words"},
    )
    @app_commands.describe(private=PRIVATE)
    async def words(self, interaction: Interaction, private: bool = False) -> None:
        """Show the messages."""
        query = WordsQuery(guild_id=interaction.guild_id, user_id=interaction.user.id, private=private)
        await self._words.ask(interaction, query)

    @duel.command(
        description="The heroes who brought the most experience out of dungeons here", extras={"example": "/duel top"}
    )
    @app_commands.describe(private=PRIVATE)
    async def top(self, interaction: Interaction, private: bool = False) -> None:
        """Show the best scores."""
        await defer(interaction, private=private)
        guild_id = interaction.guild_id
        scores = await self._bot.services[ScoreRepository].best(
            Dungeon.name, guild_id, interaction.user.id, MAX_CHOICES
        )
        text = top_text(scores, "here" if guild_id is not None else "in your direct messages")
        await edit_reply(interaction, text)
