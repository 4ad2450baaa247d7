"""Boss fights: `/boss forge`, `list`, `delete`, `deck`, `what-if`, `start`, `top`."""

from bot.answers.handler import Handlers
from bot.client import Interaction
from bot.game import Game, adds
from bot.games.boss_fight.cog import BossFights
from bot.games.boss_fight.options import DeckSource
from bot.games.boss_fight.questions import WhatIfHandler, WhatIfQuery
from bot.games.boss_fight.repositories import BOSS_RECORDS, BOSSES
from bot.store.migrate import bundled
from sim.boss_fight.game import ICON
from sim.boss_fight.tables import KNOWN_BOSSES, STARTER_DECKS


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


GAME = Game(
    setup=adds(BossFights),
    personal_data=(BOSSES, BOSS_RECORDS),
    migrations=bundled(__name__),
    icon=ICON,
    color="#d29922",
    line="The whole channel against one monster.",
    example=run_example,
)
