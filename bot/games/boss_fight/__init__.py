"""Boss fights: `/boss forge`, `list`, `delete`, `deck`, `what-if`, `start`, `top`."""

from bot.client import Client
from bot.game import Game
from bot.games.boss_fight.cog import BossFights
from bot.games.boss_fight.example import run_example
from bot.games.boss_fight.repositories import BOSS_RECORDS, BOSSES, BossRecordRepository, BossRepository
from bot.store.database import Database
from sim.boss_fight.icon import ICON


async def _setup(bot: Client) -> None:
    db = bot.services[Database]
    bot.services.add(BossRepository(db))
    bot.services.add(BossRecordRepository(db))
    await bot.add_cog(BossFights(bot))


GAME = Game(
    setup=_setup,
    personal_data=(BOSSES, BOSS_RECORDS),
    icon=ICON,
    color="#d29922",
    line="The whole channel against one monster.",
    example=run_example,
)
