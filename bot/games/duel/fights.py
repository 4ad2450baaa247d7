"""The commands that fight: `/duel fight`, `challenge`, `groups`, `template`, `encounter`, `dungeon`, `odds`."""

import io

import discord
from discord import app_commands
from discord.ext import commands

from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Client, Interaction
from bot.games.duel.challenge import ChallengeHandler, ChallengeQuery
from bot.games.duel.group import CHARACTER, LEVEL, TURN, Level, Own, duel
from bot.games.duel.handlers import FilesOddsHandler, FilesQuery, TypedOddsHandler, TypedQuery
from bot.games.duel.opening import TURNS, MessageOptions, open_duel, seats_of, turns_of, words_here
from bot.games.duel.people import People
from bot.games.duel.rosters import GroupOptions
from bot.store.uploads import UploadRepository
from bot.ui.interactions import caller_of, defer, defer_once
from bot.ui.option_groups import PRIVATE, with_groups
from bot.ui.seeds import SeedOption, new_dice_seed, new_seed
from sim.core.errors import RuleError
from sim.duel.battle import GROUP_1, GROUP_2
from sim.duel.dungeon import HEROES, MAX_ROOMS, Dungeon, Setup
from sim.duel.gather import GroupsRequest, MeetRequest, RivalsRequest
from sim.duel.roster import example
from sim.duel.typed import MAX_TEXT

Group = app_commands.Range[str, 1, MAX_TEXT]
Rooms = app_commands.Range[int, 1, MAX_ROOMS]

_FIRST, _SECOND = "A player for the first group", "A player for the second group"
_GROUP = "your characters, or such as: 8 hp str +1 ac 4 1d6, 2 x 5 hp"


class FightCommands(commands.Cog):
    """Duels, encounters, dungeons, and the odds of them."""

    _bot: Client
    _people: People
    _challenge: ChallengeHandler
    _odds: TypedOddsHandler
    _file_odds: FilesOddsHandler

    @duel.command(
        description="Two barbarians, one lawful, one chaotic, meet in the snow; the tale turns page by page",
        extras={"example": "/duel fight"},
    )
    @app_commands.describe(
        lawful="A player for the lawful barbarian", chaotic="A player for the chaotic one", turns=TURN
    )
    @app_commands.choices(turns=TURNS)
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
        """Roll two and let them fight."""
        words = await words_here(interaction, messages.texts())
        seats = seats_of(interaction.user.id, {GROUP_1: lawful, GROUP_2: chaotic}, turns_of(turns), self._bot.user)
        await defer(interaction, private=False)
        first, second = await self._bot.simulator.once(RivalsRequest(seed=new_dice_seed()), caller_of(interaction))
        await open_duel(interaction, ((first,), (second,)), words, turns_of(turns), seats)

    @duel.command(
        description="Challenge somebody to a duel of your characters; only they can accept",
        extras={"example": "/duel challenge opponent:@somebody"},
    )
    @app_commands.describe(opponent="Whom", character=CHARACTER, turns=TURN)
    @app_commands.choices(turns=TURNS)
    async def challenge(
        self,
        interaction: Interaction,
        opponent: discord.User,
        character: Own | None = None,
        turns: str = "duellists",
    ) -> None:
        """Put a challenge."""
        if opponent.bot:
            raise RuleError("Bots have no character; challenge a person.")
        if opponent.id == interaction.user.id:
            raise RuleError("Challenge somebody else; /duel fight lets two others fight for you.")
        query = ChallengeQuery(
            challenger_id=interaction.user.id,
            opponent_id=opponent.id,
            turns=turns_of(turns),
            character=await self._people.fighter(interaction, character),
        )
        await self._challenge.ask(interaction, query)

    @duel.command(
        description="Two groups fight, from a CSV file or saved rosters",
        extras={"example": "/duel groups roster:Groups.csv"},
    )
    @app_commands.describe(
        first=_FIRST,
        second=_SECOND,
        turns=TURN,
    )
    @app_commands.choices(turns=TURNS)
    @with_groups
    async def groups(
        self,
        interaction: Interaction,
        files: GroupOptions,
        first: discord.User | None = None,
        second: discord.User | None = None,
        turns: str = "anyone",
        *,
        messages: MessageOptions,
    ) -> None:
        """Let two groups fight."""
        words = await words_here(interaction, messages.texts())
        seats = seats_of(interaction.user.id, {GROUP_1: first, GROUP_2: second}, turns_of(turns), self._bot.user)
        await defer(interaction, private=False)
        roster, against = await files.read(interaction)
        request = GroupsRequest(data=roster.data, against=None if against is None else against.data)
        groups = await self._bot.simulator.once(request, caller_of(interaction))
        await open_duel(interaction, groups, words, turns_of(turns), seats)

    @duel.command(
        description="A roster to start from: two groups, every column there", extras={"example": "/duel template"}
    )
    async def template(self, interaction: Interaction) -> None:
        """Send the example."""
        file = discord.File(io.BytesIO(example()), "Groups.csv")
        text = "Open it in a spreadsheet, write your fighters, save it as CSV, then `/duel groups` or `/duel odds`."
        await interaction.response.send_message(text, file=file, ephemeral=True)

    @duel.command(
        description="Your characters meet monsters of a level: one to four against whoever comes",
        extras={"example": "/duel encounter level:1"},
    )
    @app_commands.describe(
        level=LEVEL,
        character=CHARACTER,
        second="A second one of yours",
        third="A third one",
        fourth="A fourth one",
        turns=TURN,
    )
    @app_commands.choices(turns=TURNS)
    async def encounter(
        self,
        interaction: Interaction,
        level: Level,
        character: Own | None = None,
        second: Own | None = None,
        third: Own | None = None,
        fourth: Own | None = None,
        turns: str = "anyone",
    ) -> None:
        """Meet monsters."""
        words = await words_here(interaction)
        party = await self._people.party(interaction, (character, second, third, fourth))
        seats = seats_of(interaction.user.id, {GROUP_1: interaction.user}, turns_of(turns), self._bot.user)
        seats.give_bot(GROUP_2)
        await defer_once(interaction, private=False)
        request = MeetRequest(seed=new_dice_seed(), level=level, party=len(party))
        met = await self._bot.simulator.once(request, caller_of(interaction))
        await open_duel(interaction, (party, met.critters), words, turns_of(turns), seats)

    @duel.command(
        description="A dungeon of random rooms for one to four heroes: fight, rest, go on or go home",
        extras={"example": "/duel dungeon rooms:4"},
    )
    @app_commands.describe(
        rooms=f"How many rooms: 1 to {MAX_ROOMS} (usually 6)", level=f"{LEVEL} (usually 1)", character=CHARACTER
    )
    async def dungeon(
        self,
        interaction: Interaction,
        rooms: Rooms = 6,
        level: Level = 1,
        character: Own | None = None,
    ) -> None:
        """Open a dungeon; whoever types this goes in first."""
        words = await words_here(interaction)
        hero = await self._people.fighter(interaction, character)
        setup = Setup(rooms=rooms, level=level, heroes=(hero,), words=words)
        presenter = self._bot.services[Presenters].of(Dungeon.name)
        seats = {HEROES[0]: interaction.user.id}
        await self._bot.services[BattleService].open(interaction, presenter, setup, seats)

    @duel.command(
        description="Who wins? Exact for one against one, simulated for groups",
        extras={"example": "/duel odds first:8 hp str +2 second:6 hp dex +1 1d6"},
    )
    @app_commands.describe(
        first=f"First: {_GROUP}",
        second="Second: likewise",
        seed="Decides the simulated battles, where the odds can't be exact",
        private=PRIVATE,
    )
    @with_groups
    async def odds(
        self,
        interaction: Interaction,
        first: Group | None = None,
        second: Group | None = None,
        *,
        files: GroupOptions,
        seed: SeedOption | None = None,
        private: bool = False,
    ) -> None:
        """Work out the odds."""
        chosen = new_seed() if seed is None else seed
        if files.is_empty:
            own = tuple(critter for _, critter in await self._people.own(interaction.user.id))
            typed = TypedQuery(first=first or "", second=second or "", known=own, seed=chosen, private=private)
            await self._odds.ask(interaction, typed)
            return
        if first is not None or second is not None:
            raise RuleError("Give the groups as text, first and second, or as files; not both.")
        await defer(interaction, private=private)
        roster, against = await files.read(interaction)
        uploads = self._bot.services[UploadRepository]
        query = FilesQuery(
            roster=uploads.keep(roster.data),
            against=None if against is None else uploads.keep(against.data),
            seed=chosen,
            private=private,
        )
        await self._file_odds.ask(interaction, query)
