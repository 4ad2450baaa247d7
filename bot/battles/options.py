"""The option that names a battle by its number in the channel."""

from collections.abc import Iterable

from discord import AppCommandOptionType, app_commands

from bot.battles.presenter import Presenters
from bot.battles.service import BattleService
from bot.client import Client, Interaction
from bot.store.battles.battle import Battle
from bot.store.battles.repository import BattleRepository
from bot.store.errors import DamagedBattleError
from bot.ui.interactions import channel_of
from bot.ui.options import CompletedOption
from bot.ui.text import MAX_CHOICE, MAX_CHOICES, shorten

MAX_NUMBER = 1_000_000

MAX_SEARCHED = 100
"""How many of a channel's newest battles autocompletion searches."""


class BattleNumber(CompletedOption):
    """The number of a battle in the channel; `closed`: also offer closed ones."""

    def __init__(self, *, closed: bool = False) -> None:
        super().__init__(MAX_NUMBER)
        self._closed = closed

    @property
    def type(self) -> AppCommandOptionType:
        """A whole number."""
        return AppCommandOptionType.integer

    async def complete(self, interaction: Interaction, typed: str) -> Iterable[app_commands.Choice[int]]:
        """Offer the battles whose numbers begin with what was typed."""
        battles, channel_id = interaction.client.services[BattleRepository], channel_of(interaction)
        found = await (battles.latest_in(channel_id, MAX_SEARCHED) if self._closed else battles.open_in(channel_id))
        digits = typed.strip().lstrip("#")
        matching = [battle for battle in found if str(battle.number).startswith(digits)][:MAX_CHOICES]
        labels = [shorten(await battle_label(interaction.client, battle), MAX_CHOICE) for battle in matching]
        return [
            app_commands.Choice(name=label, value=battle.number) for label, battle in zip(labels, matching, strict=True)
        ]


async def battle_label(bot: Client, battle: Battle) -> str:
    """Return a battle's number, its game and its progress in a few words."""
    title = bot.services[Presenters].of(battle.system).title
    try:
        progress = await bot.services[BattleService].progress(battle)
    except DamagedBattleError:
        progress = "damaged"
    return f"#{battle.number} {title}, {progress}"
