"""How duels are opened: who sits where, who turns the pages, in which words it is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import discord
from discord import app_commands

from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.duel.duel_messages import DuelMessageRepository
from bot.ui.option_groups import OptionGroup
from bot.ui.text import plain
from sim.core.battle import REFEREE, Seat
from sim.core.errors import RuleError
from sim.duel.battle import Duel, Setup
from sim.duel.critter import Critter
from sim.duel.words import NARRATED_WORDS, SHAPES, Message, Words
from sim.duel.words.template import MAX_TEMPLATE, checked_template

Turns = Literal["anyone", "duellists"]
Player = discord.User | discord.Member
_Template = app_commands.Range[str, 1, MAX_TEMPLATE] | None

_MOST_SENTENCE = 300
_TURNS: dict[str, Turns] = {"anyone": "anyone", "duellists": "duellists"}
TURNS = [
    app_commands.Choice(name="Anyone in the channel", value="anyone"),
    app_commands.Choice(name="Only the two duellists", value="duellists"),
]


class Seats:
    """Who sits where: `taken` has every seat in order, `bots` those of this bot."""

    def __init__(self) -> None:
        self.taken: dict[Seat, int | None] = {}
        self.bots: list[Seat] = []

    def give_bot(self, seat: Seat) -> None:
        """Let the bot have a seat."""
        self.taken[seat] = None
        self.bots.append(seat)


def seats_of(
    starter_id: int, players: Mapping[Seat, Player | None], turns: Turns, this_bot: discord.ClientUser | None
) -> Seats:
    """Return the seats; where only the duellists turn pages, those not named are free for whoever presses Join.

    RuleError where another bot is to fight.
    """
    seats = Seats()
    for seat, player in players.items():
        if player is not None and player == this_bot:
            seats.give_bot(seat)
        elif player is not None and player.bot:
            raise RuleError("Other bots don't know how to fight; choose a person, this bot, or nobody.")
        elif player is not None or turns == "duellists":
            seats.taken[seat] = None if player is None else player.id
    if turns == "anyone":
        seats.taken[REFEREE] = starter_id
    return seats


def turns_of(typed: str) -> Turns:
    """Return who turns the pages; RuleError for anything else."""
    if typed not in _TURNS:
        raise RuleError("The pages are turned by anyone, or by the duellists.")
    return _TURNS[typed]


@dataclass(frozen=True, slots=True)
class MessageOptions(OptionGroup):
    """The messages of one fight, in place of those of the server."""

    initiative: Annotated[
        _Template | None, "For this fight: said when somebody's turn is thrown, with $Name$0 and %d"
    ] = None
    attack: Annotated[_Template, "For this fight: said of an attack, such as: $Name$0 swings at $name$1!"] = None
    hit: Annotated[_Template, "For this fight: said of a hit, with %d for the damage"] = None
    miss: Annotated[_Template, "For this fight: said of a miss"] = None
    death: Annotated[_Template, "For this fight: said of a death, of $name$1"] = None

    def texts(self) -> dict[str, tuple[str]]:
        """Return the messages that were given, by their names."""
        given = {message.value: getattr(self, message.value) for message in Message}
        return {name: (text,) for name, text in given.items() if text is not None}


async def words_here(interaction: Interaction, own: Mapping[str, Sequence[str]] | None = None) -> Words:
    """Return the words of the server, or in direct messages the user's; those of `own` replace them.

    TextError with the place for a bad one.
    """
    kept = await interaction.client.services[DuelMessageRepository].get(interaction.guild_id, interaction.user.id)
    return with_texts(with_texts(NARRATED_WORDS, kept), own or {})


def with_texts(words: Words, texts: Mapping[str, Sequence[str]]) -> Words:
    """Return words with these messages replaced; TextError, RuleError for a bad one."""
    for message in Message:
        for text in texts.get(message, ()):
            checked_template(text, SHAPES[message])
    return Words.model_validate(words.model_dump() | {name: tuple(found) for name, found in texts.items()})


async def open_duel(
    interaction: Interaction,
    groups: tuple[Sequence[Critter], Sequence[Critter]],
    words: Words,
    turns: Turns,
    seats: Seats,
) -> None:
    """Open a duel in the channel as the answer of the interaction."""
    first, second = (tuple(group) for group in groups)
    try:
        setup = Setup(group1=first, group2=second, words=words, narrated=True, press=turns)
    except RuleError as error:
        raise RuleError(plain(str(error), _MOST_SENTENCE)) from error  # there is a name in it
    presenter = interaction.client.services[Presenters].of(Duel.name)
    await interaction.client.services[BattleService].open(interaction, presenter, setup, seats.taken, seats.bots)
