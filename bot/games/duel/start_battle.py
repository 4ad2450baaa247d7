"""Starts duels: seats, words, setup."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import discord

from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Interaction
from bot.games.duel.options import Turns
from bot.games.duel.repositories import DuelMessageRepository
from sim.core.battle import REFEREE, Seat
from sim.core.errors import RuleError
from sim.duel.battle.rules import Duel
from sim.duel.battle.values import Setup
from sim.duel.critter import RULES_VERSION, Critter
from sim.duel.phrases import NARRATED_WORDS
from sim.duel.words import Words

Player = discord.User | discord.Member

_MAX_SENTENCE = 300


@dataclass(slots=True)
class Seats:
    """The seats of a battle: `users` has the user id of every seat, None for a free one; `bots` are this bot's."""

    users: dict[Seat, int | None] = field(default_factory=dict)
    bots: list[Seat] = field(default_factory=list)

    def give_bot(self, seat: Seat) -> None:
        """Give this bot a seat."""
        self.users[seat] = None
        self.bots.append(seat)


def seats_of(
    starter_id: int, players: Mapping[Seat, Player | None], turns: Turns, this_bot: discord.ClientUser | None
) -> Seats:
    """Return the seats; if only the duellists turn the pages, seats without a player are free to join.

    RuleError if another bot should fight.
    """
    seats = Seats()
    for seat, player in players.items():
        if player is not None and player == this_bot:
            seats.give_bot(seat)
        elif player is not None and player.bot:
            raise RuleError("Other bots don't know how to fight; choose a person, this bot, or nobody.")
        elif player is not None or turns == "duellists":
            seats.users[seat] = None if player is None else player.id
    if turns == "anyone":
        seats.users[REFEREE] = starter_id
    return seats


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
    seats: Seats,
    *,
    morale: bool = False,
    agreed: Collection[int] = (),
) -> None:
    """Open a duel in the channel as the response to the interaction.

    `morale`: whether fighters may flee. `agreed`: who agrees that it is rated, beside the user.
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
    )
    presenter = interaction.client.services[Presenters].of(Duel.name)
    service = interaction.client.services[BattleService]
    await service.open(interaction, presenter, setup, seats.users, seats.bots, agreed=agreed)
