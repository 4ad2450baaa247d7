"""Saved maps of Mad Killer Agents."""

from bot.render.mad_killer_agents.maps import map_told
from bot.ui.rosters import RosterKind
from sim.mad_killer_agents.requests import ReadMapRequest

KIND = RosterKind(
    name="mka",
    title="Mad Killer Agents map",
    extension="csv",
    check=lambda content: ReadMapRequest(data=content),
    tell=map_told,
)
