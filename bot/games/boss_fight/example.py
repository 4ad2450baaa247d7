"""The example in `/help`: one exchange with a boss."""

from bot.answers.handler import Handlers
from bot.client import Interaction
from bot.games.boss_fight.handlers import WhatIfHandler, WhatIfQuery
from bot.games.boss_fight.options import DeckSource
from sim.boss_fight.known_bosses import KNOWN_BOSSES
from sim.boss_fight.starter_decks import STARTER_DECKS


async def run_example(interaction: Interaction) -> None:
    """Send a knight against the game's first boss."""
    query = WhatIfQuery(
        source=DeckSource(text=STARTER_DECKS[0].text),
        what="one",
        boss=KNOWN_BOSSES[0],
        guild_id=interaction.guild_id,
        user_id=interaction.user.id,
        private=True,
    )
    await interaction.client.services[Handlers].query_handler(WhatIfHandler.kind).ask(interaction, query)
