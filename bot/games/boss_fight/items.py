"""The button on a fight's panel that opens its arithmetic."""

from typing import Any

import discord

from bot.client import Interaction
from bot.games.boss_fight.handlers import ArithmeticHandler, ArithmeticQuery, find_fight
from bot.ui.items import PersistentButton
from sim.core.errors import RuleError


class ArithmeticButton(PersistentButton, template=r"ba1:(?P<battle>[0-9]{1,18})"):
    """Opens every product behind a fight's exchanges."""

    kind = "arithmetic"

    async def pressed(self, interaction: Interaction) -> None:
        """Show the arithmetic, starting with the member of the last exchange."""
        battle, state = await find_fight(interaction.client, int(self.match["battle"]))
        seats = [member.seat for member in state.members]
        if not seats:
            raise RuleError("Nobody has joined this fight yet.")
        first = seats.index(state.last.seat) if state.last is not None and state.last.seat in seats else 0
        query = ArithmeticQuery(battle_id=battle.id, seats=tuple(seats), at=first, private=True)
        await interaction.client.services[ArithmeticHandler].ask(interaction, query)


def arithmetic_button(battle_id: int) -> discord.ui.Button[Any]:
    """Return the button for a fight's panel."""
    return discord.ui.Button(label="Arithmetic", emoji="🧮", custom_id=f"ba1:{battle_id}")
