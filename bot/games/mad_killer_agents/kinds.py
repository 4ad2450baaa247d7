"""Saved maps of Mad Killer Agents."""

from bot.games.mad_killer_agents.render.maps import map_told
from bot.rosters.library import RosterKind
from sim.mad_killer_agents.requests import ReadMapRequest

KIND = RosterKind(
    name="mka",
    title="Mad Killer Agents map",
    extension="csv",
    check=lambda content: ReadMapRequest(data=content),
    tell=map_told,
)
