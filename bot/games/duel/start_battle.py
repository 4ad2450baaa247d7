"""Starts duels: who turns the pages, seats, words, setup; and the challenges that do so."""

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Literal

import discord

from bot.answers import FormHandler, Query
from bot.answers.document import Action, action_buttons, form
from bot.battles import BattleService, UnshownError
from bot.battles.threads import wish_thread
from bot.client import Interaction
from bot.games.duel.characters import FIELD, CharacterService
from bot.games.duel.repositories import DuelMessageRepository
from bot.stats import LadderRepository
from bot.store.battle import Place
from bot.store.queries import QueryRepository, StoredQuery
from bot.ui import drawn, text_view
from bot.ui.error_replies import MarkdownError
from bot.ui.interactions import acknowledge, caller_of, defer, edit_reply, open_form, show_view
from bot.ui.options import Option
from sim.core import RuleError
from sim.core.battle import REFEREE, Seat
from sim.duel.battle import GROUP_1, GROUP_2, Setup
from sim.duel.battle.rules import Duel
from sim.duel.cards import CharacterCardRequest
from sim.duel.critter import OPPONENTS, RULES_VERSION, Critter, opponent
from sim.duel.words import NARRATED_WORDS, Words

Turns = Literal["anyone", "duellists"]
TurnsOption = Annotated[
    Turns,
    Option(
        "Who may turn the pages",
        choices={"anyone": "Anyone in the channel", "duellists": "Only the two duelists"},
    ),
]

Player = discord.User | discord.Member

_ACCEPT = Action("accept", "Accept", "⚔️")
_DECLINE = Action("decline", "Decline", "🕊️")
_BOT = Action("bot", "Fight the bot", "🤖")
_GONE = "This challenge has been answered, or is too old."


def places_of(interaction: Interaction, players: Mapping[Seat, Player | None], turns: Turns) -> list[Place]:
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


async def open_duel(
    interaction: Interaction,
    groups: tuple[Sequence[Critter], Sequence[Critter]],
    words: Words,
    turns: Turns,
    places: Sequence[Place],
    *,
    morale: bool = False,
    sides: tuple[str, str] | tuple[()] = (),
) -> None:
    """Open a duel in the channel as the response to the interaction.

    `morale`: whether fighters may flee. `sides`: what both groups are called, empty for their fighters' names.
    """
    first, second = (tuple(group) for group in groups)
    setup = Setup(
        group1=first,
        group2=second,
        words=words,
        narrated=True,
        press=turns,
        morale=morale,
        edition=RULES_VERSION,
        sides=sides,
    )
    await interaction.client.services[BattleService].open(interaction, Duel.name, setup, places)


OpponentWord = Literal["strong", "quick", "tough"]
OPPONENT_CHOICES = {word: f"{name}, the {word} one" for word, (name, _, _) in OPPONENTS.items()}


async def open_against_bot(interaction: Interaction, critter: Critter, word: OpponentWord | None, turns: Turns) -> None:
    """Open a duel against one of the bot's duelists; without a `word` against any of them."""
    other = opponent(word or secrets.choice(tuple(OPPONENTS)))
    places = Place(GROUP_1, interaction.user.id), Place(GROUP_2, is_bot=True)
    await open_duel(interaction, ((critter,), (other,)), await words_here(interaction), turns, places)


class ChallengeQuery(Query):
    """A challenge; `character`: the challenger's at that time. `rated`: whether it says that the duel is rated.

    `thread`: whether the duel gets a thread, None as the server likes it.
    """

    challenger_id: int
    opponent_id: int
    character: Critter
    turns: Turns = "duellists"
    rated: bool = False
    thread: bool | None = None


class ChallengeHandler(FormHandler[ChallengeQuery]):
    """Posts challenges and handles the answers: an accepted one becomes a battle's panel."""

    kind = "duel-challenge"

    async def ask(self, interaction: Interaction, query: ChallengeQuery) -> None:
        """Post the challenge in the channel."""
        await defer(interaction, private=False)
        rated = await self._bot.services[LadderRepository].is_open(interaction.guild_id)
        stored = await self.store(interaction, query.model_copy(update={"rated": rated}))
        lines = [
            f"### ⚔️ <@{query.challenger_id}> challenges <@{query.opponent_id}> to a duel",
            f"-# Only <@{query.opponent_id}> can answer. Tired of waiting, <@{query.challenger_id}>? Fight the bot.",
            *(["-# 🪜 Rated"] if rated else []),
        ]
        job = CharacterCardRequest(critter=query.character)
        card = await drawn(self._bot, job, "character.png", caller_of(interaction))
        buttons = action_buttons(stored.id, (_ACCEPT, _DECLINE, _BOT))
        await show_view(interaction, text_view(["\n".join(lines)], picture=card, buttons=buttons))

    async def act(self, interaction: Interaction, stored: StoredQuery, action: str) -> None:
        """Let the opponent select a character, or decline; let the challenger fight the bot in the opponent's place."""
        if action == _BOT.action:
            await self._fight_bot(interaction, stored)
            return
        query = self._read_challenge(interaction, stored)
        if action == _ACCEPT.action:
            field = await self._bot.services[CharacterService].select_field(interaction.user.id, None)
            await open_form(interaction, form("Accept the duel", stored.id, _ACCEPT.action, [field]))
        else:
            await acknowledge(interaction)
            if not await self._bot.services[QueryRepository].take(stored.id):
                raise RuleError(_GONE)
            text = f"🕊️ <@{query.opponent_id}> declines the duel with <@{query.challenger_id}>."
            await edit_reply(interaction, text)

    async def submit(self, interaction: Interaction, stored: StoredQuery, _action: str, values: dict[str, str]) -> None:
        """Start the duel in the challenge's message, once."""
        query = self._read_challenge(interaction, stored)
        await acknowledge(interaction)
        characters = self._bot.services[CharacterService]
        await characters.expect_free(query.challenger_id, [query.character])  # before one is rolled
        opponent = await characters.read_selection(interaction, values.get(FIELD, ""), (query.character,))
        words = await words_here(interaction)
        places = Place(GROUP_1, query.challenger_id, agreed=query.rated), Place(GROUP_2, query.opponent_id)
        async with self._taken(stored):
            wish_thread(interaction, wanted=query.thread)
            await open_duel(interaction, ((query.character,), (opponent,)), words, query.turns, places)

    async def _fight_bot(self, interaction: Interaction, stored: StoredQuery) -> None:
        query = self.read(stored)
        if interaction.user.id != query.challenger_id:
            raise MarkdownError(f"Only <@{query.challenger_id}> can let the bot fight instead.")
        await acknowledge(interaction)
        async with self._taken(stored):
            wish_thread(interaction, wanted=query.thread)
            await open_against_bot(interaction, query.character, None, query.turns)

    @asynccontextmanager
    async def _taken(self, stored: StoredQuery) -> AsyncIterator[None]:
        """Take a challenge, once, for a duel that begins inside; it stands again if that can't begin."""
        if not await self._bot.services[QueryRepository].take(stored.id):
            raise RuleError(_GONE)
        try:
            yield
        except UnshownError:
            raise  # the duel has started: don't let the challenge be accepted again
        except RuleError:
            await self._bot.services[QueryRepository].put_back(stored)
            raise

    def _read_challenge(self, interaction: Interaction, stored: StoredQuery) -> ChallengeQuery:
        """Return the challenge; RuleError unless the user is the opponent."""
        query = self.read(stored)
        if interaction.user.id != query.opponent_id:
            raise MarkdownError(f"Only <@{query.opponent_id}> can answer this challenge.")
        return query
