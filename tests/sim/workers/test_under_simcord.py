"""The pool inside simcord, where the offline table runs: there the clock of the bot's tasks stands still."""

import discord
import pytest
from discord import app_commands
from simcord import Env

from sim.workers import Caller, PoolLimits, PoolSimulator
from tests.sim.workers import jobs

pytestmark = pytest.mark.process


class Bot(discord.Client):
    """Starts its workers with itself, doubles numbers, and closes the workers with itself."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents.none())
        self.tree = app_commands.CommandTree(self)
        self.simulator = PoolSimulator(PoolLimits(workers=2))

    async def setup_hook(self) -> None:
        await self.simulator.start()

        @self.tree.command(description="Double a number")
        async def double(interaction: discord.Interaction, number: int) -> None:
            await interaction.response.defer()
            caller = Caller(interaction.user.id, interaction.guild_id)
            await interaction.followup.send(str(await self.simulator.run(jobs.Double(number=number), caller)))

        await self.tree.sync()

    async def close(self) -> None:
        await self.simulator.close()
        await super().close()


@pytest.fixture
def simcord_bot() -> Bot:
    return Bot()


async def test_a_command_gets_its_report(simcord_env: Env) -> None:
    guild = simcord_env.create_guild()
    channel = guild.create_text_channel("battles")
    ann = guild.add_member(simcord_env.create_user("Ann"))
    await ann.slash(channel, "double", number=21)
    assert [message.content for message in channel.history()] == ["42"]
