"""Boss fights: `/boss forge`, `list`, `delete`, `deck`, `what-if`, `start`, `top`."""

from bot.battles import BattleService
from bot.client import Interaction
from bot.games import Game, adds
from bot.games.boss_fight.cog import BossFights
from bot.games.boss_fight.presenter import ready_join
from bot.games.boss_fight.repositories import BOSS_RECORDS, BOSSES
from bot.store.migrate import bundled
from bot.ui import called
from sim.boss_fight import ICON
from sim.boss_fight.battle import HANDS, Setup
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.tables import LADDER
from sim.core.battle import ANYONE
from sim.core.cards.figures import silhouettes
from sim.core.cards.people import EMBLEMS
from sim.core.cards.stickers import Sticker


async def run_example(interaction: Interaction) -> None:
    """Fight the first boss of the ladder; the user is in it with a ready hand."""
    setup = Setup(boss=LADDER[0], edition=HANDS)
    join = ready_join(called(interaction.user), BossFight().begin(setup))
    service = interaction.client.services[BattleService]
    await service.open(interaction, BossFight.name, setup, first=[(join, ANYONE)])


_FIGURES = silhouettes("sim.boss_fight", "icon.txt")
GAME = Game(
    setup=adds(BossFights),
    personal_data=(BOSSES, BOSS_RECORDS),
    migrations=bundled(__name__),
    icon=ICON,
    color="#d29922",
    line="The whole channel against one monster.",
    emojis={
        "water": Sticker(EMBLEMS["drop"].shape, "#4dabf7"),
        "fire": Sticker(EMBLEMS["flame"].shape, "#ff7b2e"),
        "air": Sticker(_FIGURES["wind"], "#b9e6f2"),
        "lightning": Sticker(EMBLEMS["bolt"].shape, "#ffe14a"),
        "earth": Sticker(EMBLEMS["mountain"].shape, "#c99b66"),
        "blade": Sticker(EMBLEMS["sword"].shape, "#dfe5ee"),
        "spell": Sticker(EMBLEMS["star"].shape, "#c9a5ff"),
        "fury": Sticker(_FIGURES["burst"], "#ff6b6b"),
        "pierces": Sticker(_FIGURES["arrow"], "#ffb84a"),
        "resists": Sticker(EMBLEMS["shield"].shape, "#9fb8dc"),
    },
    example=run_example,
)
