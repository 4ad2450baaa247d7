"""Mad Killer Agents: `/mka new`, `orders`, `away`, `map`, `battle`, `simulate`."""

from bot.game import Game, adds
from bot.games.mad_killer_agents.cog import MadKillerAgents, open_quick_war
from sim.mad_killer_agents.game import ICON

GAME = Game(
    setup=adds(MadKillerAgents),
    icon=ICON,
    color="#3fb950",
    line="A war on a map, for minutes or weeks.",
    example=open_quick_war,
)
