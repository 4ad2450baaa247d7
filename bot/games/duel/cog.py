"""The commands of duels, `/duel …`, in the order of `/help`, and the challenges that they post."""

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers import Queries, Query
from bot.answers.document import Action, action_buttons, form
from bot.answers.items import Confirmations, Deed
from bot.battles import BattleService, UnshownError
from bot.battles.endings import Ending, Endings
from bot.battles.items import show_log
from bot.battles.presenter import Presenters
from bot.battles.threads import opens_battle, wish_thread, wished_thread
from bot.client import Client, Interaction
from bot.games.duel import characters as c
from bot.games.duel import questions as q
from bot.games.duel.presenter import DuelPresenter, DungeonPresenter, leaves_out
from bot.games.duel.repositories import MAX_CHARACTERS, DuelMessageRepository
from bot.rosters import RosterLibrary
from bot.stats import LadderRepository
from bot.store.battle import Place
from bot.store.queries import QueryRepository, StoredQuery, UploadRepository
from bot.ui import drawn, plain_view, text_view
from bot.ui.error_replies import MarkdownError
from bot.ui.interactions import acknowledge, caller_of, defer, edit_reply, open_form, show_view
from bot.ui.options import Option, Private, Typed, new_dice_seed, run, seed_option, slash
from sim.core import RuleError
from sim.core.battle import REFEREE, Seat
from sim.duel.battle import GROUP_1, GROUP_2
from sim.duel.battle import Setup as DuelSetup
from sim.duel.battle.dungeon_rules import Dungeon
from sim.duel.battle.dungeon_values import HEROES, MAX_ROOMS
from sim.duel.battle.dungeon_values import Setup as DungeonSetup
from sim.duel.battle.rules import Duel
from sim.duel.cards import CharacterCardRequest
from sim.duel.critter import OPPONENTS, RULES_VERSION, Critter, opponent
from sim.duel.monsters import MAX_LEVEL
from sim.duel.requests import EncounterRequest, RivalsRequest, RosterRequest
from sim.duel.tables import example
from sim.duel.words import NARRATED_WORDS, Words

_NO_ROSTER = (
    "Two groups need a roster. Open the sample or the empty one in a spreadsheet, enter your fighters, save it as CSV,"
    " and attach it to `/duel groups` or `/duel odds`."
)
_LEVEL = Option(f"How dangerous: 1 to {MAX_LEVEL}", app_commands.Range[int, 1, MAX_LEVEL])
MoraleOption = Annotated[
    bool, Option("Test morale when the first, then half of a group has fallen: the faint-hearted run (default: no)")
]

Turns = Literal["anyone", "duellists"]
TurnsOption = Annotated[
    Turns,
    Option("Who may turn the pages", choices={"anyone": "Anyone in the channel", "duellists": "Only the two duelists"}),
]

_ACCEPT = Action("accept", "Accept", "⚔️")
_DECLINE = Action("decline", "Decline", "🕊️")
_BOT = Action("bot", "Fight the bot", "🤖")
_GONE = "This challenge has been answered, or is too old."


def places_of(
    interaction: Interaction, players: Mapping[Seat, discord.User | discord.Member | None], turns: Turns
) -> list[Place]:
    """Return the seats; if only the duelists turn the pages, seats without a player are free to join.

    RuleError if another bot should fight.
    """
    places = []
    for seat, player in players.items():
        if player is not None and player == interaction.client.user:
            places.append(Place(seat, is_bot=True))
        elif player is not None and player.bot:
            raise RuleError("Other bots don't know how to fight; choose a person, this bot, or nobody.")
        elif player is not None or turns == "duellists":
            places.append(Place(seat, None if player is None else player.id))
    return places if turns == "duellists" else [*places, Place(REFEREE, interaction.user.id)]


async def words_here(interaction: Interaction, own: Mapping[str, Sequence[str]] | None = None) -> Words:
    """Return the server's words, or the user's in direct messages, with `own` messages for one fight.

    TextError or RuleError for an invalid message.
    """
    stored = await interaction.client.services[DuelMessageRepository].get(interaction.guild_id, interaction.user.id)
    return NARRATED_WORDS.replace(stored).replace(own or {})


new_duel = partial(DuelSetup, narrated=True, edition=RULES_VERSION)
"""Makes the setup of a duel by the newest rules, told as a story."""

OpponentWord = Literal["strong", "quick", "tough"]
OPPONENT_CHOICES = {word: f"{name}, the {word} one" for word, (name, _, _) in OPPONENTS.items()}


async def open_against_bot(interaction: Interaction, critter: Critter, word: OpponentWord | None, turns: Turns) -> None:
    """Open a duel against one of the bot's duelists; without a `word` against any of them."""
    other = opponent(word or secrets.choice(tuple(OPPONENTS)))
    places = Place(GROUP_1, interaction.user.id), Place(GROUP_2, is_bot=True)
    setup = new_duel(group1=(critter,), group2=(other,), words=await words_here(interaction), press=turns)
    await interaction.client.services[BattleService].open(interaction, Duel.name, setup, places)


class ChallengeQuery(Query):
    """A challenge; `character`: the challenger's at that time. `rated`: whether it says that the duel is rated.

    `thread`: whether the duel gets a thread, None as the server likes it. An accepted one becomes a battle's panel.
    """

    stored_as = "duel-challenge"

    challenger_id: int
    opponent_id: int
    character: Critter
    turns: Turns = "duellists"
    rated: bool = False
    thread: bool | None = None

    async def ask(self, interaction: Interaction) -> None:
        """Post the challenge in the channel."""
        await defer(interaction, private=False)
        bot = interaction.client
        rated = await bot.services[LadderRepository].is_open(interaction.guild_id)
        stored = await self.model_copy(update={"rated": rated}).store(interaction)
        lines = [
            f"### ⚔️ <@{self.challenger_id}> challenges <@{self.opponent_id}> to a duel",
            f"-# Only <@{self.opponent_id}> can answer. Tired of waiting, <@{self.challenger_id}>? Fight the bot.",
            *(["-# 🪜 Rated"] if rated else []),
        ]
        job = CharacterCardRequest(critter=self.character)
        card = await drawn(bot, job, "character.png", caller_of(interaction))
        buttons = action_buttons(stored.id, (_ACCEPT, _DECLINE, _BOT))
        await show_view(interaction, text_view(["\n".join(lines)], picture=card, buttons=buttons))

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Let the opponent select a character, or decline; let the challenger fight the bot in the opponent's place."""
        if action == _BOT.action:
            if interaction.user.id != self.challenger_id:
                raise MarkdownError(f"Only <@{self.challenger_id}> can let the bot fight instead.")
            async with self._taken(interaction, stored):
                await open_against_bot(interaction, self.character, None, self.turns)
            return
        self._expect_opponent(interaction)
        if action == _ACCEPT.action:
            characters = interaction.client.services[c.CharacterService]
            field = await characters.select_field(interaction.user.id, None)
            await open_form(interaction, form("Accept the duel", stored.id, _ACCEPT.action, [field]))
        else:
            async with self._taken(interaction, stored):
                text = f"🕊️ <@{self.opponent_id}> declines the duel with <@{self.challenger_id}>."
                await edit_reply(interaction, text)

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: Typed) -> None:
        """Start the duel in the challenge's message, once."""
        self._expect_opponent(interaction)
        await acknowledge(interaction)
        characters = interaction.client.services[c.CharacterService]
        await characters.expect_free(self.challenger_id, [self.character])  # before one is rolled
        opponent = await characters.read_selection(interaction, values.get(c.FIELD, ""), (self.character,))
        words = await words_here(interaction)
        places = Place(GROUP_1, self.challenger_id, agreed=self.rated), Place(GROUP_2, self.opponent_id)
        async with self._taken(interaction, stored):
            setup = new_duel(group1=(self.character,), group2=(opponent,), words=words, press=self.turns)
            await interaction.client.services[BattleService].open(interaction, Duel.name, setup, places)

    @asynccontextmanager
    async def _taken(self, interaction: Interaction, stored: StoredQuery) -> AsyncIterator[None]:
        """Take the challenge, once; a duel that begins inside has its thread. It stands again if that can't be."""
        await acknowledge(interaction)
        queries = interaction.client.services[QueryRepository]
        if not await queries.take(stored.id):
            raise RuleError(_GONE)
        wish_thread(interaction, wanted=self.thread)
        try:
            yield
        except UnshownError:
            raise  # the duel has started: don't let the challenge be accepted again
        except RuleError:
            await queries.put_back(stored)
            raise

    def _expect_opponent(self, interaction: Interaction) -> None:
        if interaction.user.id != self.opponent_id:
            raise MarkdownError(f"Only <@{self.opponent_id}> can answer this challenge.")


class Duels(commands.Cog, name="B/X duels"):
    """B/X duels."""

    duel = app_commands.Group(
        name="duel", description="B/X duels: roll fighters, read their fight as a story, explore dungeons"
    )

    def __init__(self, bot: Client) -> None:
        self._bot = bot
        self._battles, self._characters = bot.services[BattleService], bot.services[c.CharacterService]
        bot.services[Queries].add(ChallengeQuery, c.RollQuery, c.CharactersQuery)
        bot.services[Queries].add(q.WordsQuery, q.TypedQuery, q.FilesQuery)
        bot.services[Confirmations][c.DISMISS_DEED] = Deed("Dismiss", c.dismiss)
        bot.services[Confirmations][c.REROLL_DEED] = Deed(c.REROLL.label, c.reroll)
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
        turns: TurnsOption = "anyone",
        *,
        messages: q.MessageOptions,
    ) -> None:
        """Two barbarians meet in the snow, one lawful, one chaotic: a story, page by page."""
        words = await words_here(interaction, messages.texts())
        places = places_of(interaction, {GROUP_1: lawful, GROUP_2: chaotic}, turns)
        await defer(interaction, private=False)
        request = RivalsRequest(seed=new_dice_seed())
        first, second = await self._bot.simulator.once(request, caller_of(interaction))
        setup = new_duel(group1=(first,), group2=(second,), words=words, press=turns)
        await self._battles.open(interaction, Duel.name, setup, places)

    @slash(duel, opens_battle)
    async def challenge(
        self,
        interaction: Interaction,
        opponent: Annotated[discord.User | None, Option("The player to challenge (default: the bot)")] = None,
        character: c.CharacterOption = None,
        against: Annotated[OpponentWord | None, Option("Which of the bot's duelists", choices=OPPONENT_CHOICES)] = None,
        turns: TurnsOption = "duellists",
    ) -> None:
        """Your character against another player's, or at once against the bot's."""
        if opponent is None or opponent == self._bot.user:
            critter = await self._characters.fighter(interaction, character)
            await open_against_bot(interaction, critter, against, turns)
            return
        if opponent.bot:
            raise RuleError("Other bots don't know how to fight; challenge a person, or this bot.")
        if opponent.id == interaction.user.id:
            raise RuleError("Challenge another player; /duel fight lets two others fight for you.")
        query = ChallengeQuery(
            challenger_id=interaction.user.id,
            opponent_id=opponent.id,
            turns=turns,
            character=await self._characters.fighter(interaction, character),
            thread=wished_thread(interaction),
        )
        await query.ask(interaction)

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
        turns: TurnsOption = "anyone",
        *,
        morale: MoraleOption = False,
        messages: q.MessageOptions,
    ) -> None:
        """Two groups fight, from a CSV file or saved rosters; without any you get a sample."""
        if files == q.GroupOptions():
            view, sample = plain_view(_NO_ROSTER), example()
            sent = {"Groups.csv": sample, "Empty.csv": sample.splitlines(keepends=True)[0]}
            for name, data in sent.items():
                view.add_file(name, data)
            await interaction.response.send_message(view=view, files=view.files, ephemeral=True)
            return
        words = await words_here(interaction, messages.texts())
        places = places_of(interaction, {GROUP_1: first, GROUP_2: second}, turns)
        await defer(interaction, private=False)
        roster, against = await files.rosters(interaction)
        request = RosterRequest(data=roster, against=against)
        read = await self._bot.simulator.once(request, caller_of(interaction))
        one, two = read.groups()
        setup = new_duel(group1=one, group2=two, words=words, press=turns, morale=morale, sides=read.names())
        await self._battles.open(interaction, Duel.name, setup, places)

    @slash(duel, opens_battle, example="/duel encounter level:1")
    async def encounter(
        self,
        interaction: Interaction,
        level: Annotated[int, _LEVEL],
        character: c.CharacterOption = None,
        second: Annotated[str | None, Option("A second character of yours", c.own_character)] = None,
        third: Annotated[str | None, Option("A third one", c.own_character)] = None,
        fourth: Annotated[str | None, Option("A fourth one", c.own_character)] = None,
        turns: TurnsOption = "anyone",
        *,
        morale: MoraleOption = False,
    ) -> None:
        """One to four of your characters fight random monsters of a level."""
        words = await words_here(interaction)
        names = [name for name in (character, second, third, fourth) if name is not None]
        party = [await self._characters.fighter(interaction, name) for name in names or (None,)]
        places = [*places_of(interaction, {GROUP_1: interaction.user}, turns), Place(GROUP_2, is_bot=True)]
        await defer(interaction, private=False)
        request = EncounterRequest(seed=new_dice_seed(), level=level, party=len(party))
        met = await self._bot.simulator.once(request, caller_of(interaction))
        setup = new_duel(group1=tuple(party), group2=met.critters, words=words, press=turns, morale=morale)
        await self._battles.open(interaction, Duel.name, setup, places)

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
        words = await words_here(interaction)
        hero = await self._characters.fighter(interaction, character)
        setup = DungeonSetup(rooms=rooms, level=level, heroes=(hero,), words=words, turns=True, edition=RULES_VERSION)
        places = [Place(HEROES[0], interaction.user.id)]
        await self._battles.open(interaction, Dungeon.name, setup, places)

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
        if files == q.GroupOptions():
            own = tuple(character.critter for character in await self._characters.own(interaction.user.id))
            query = q.TypedQuery(first=first or "", second=second or "", known=own, seed=seed, private=private)
            await query.ask(interaction)
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
        await files_query.ask(interaction)

    @slash(duel, says=f"Roll and keep a character (up to {MAX_CHARACTERS}): 3d6 for each ability, d8 hit points")
    async def roll(self, interaction: Interaction, query: c.RollQuery) -> None:
        """Roll and store a character."""
        await query.ask(interaction)

    @slash(duel)
    async def characters(
        self,
        interaction: Interaction,
        character: Annotated[str | None, Option("Show only this one", c.own_character)] = None,
        private: Private = False,
    ) -> None:
        """Your characters: sheets, a roster file, a button to dismiss each; then the best heroes here."""
        user_id, best = interaction.user.id, character is None
        query = c.CharactersQuery(owner_id=user_id, name=character, best=best, private=private)
        await query.ask(interaction)

    @slash(duel)
    async def words(self, interaction: Interaction, private: Private = False) -> None:
        """What duels say here; a referee can change the words, with a preview."""
        query = q.WordsQuery(guild_id=interaction.guild_id, user_id=interaction.user.id, private=private)
        await query.ask(interaction)
