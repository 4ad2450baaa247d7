"""Saved rosters of duels."""

from bot.games.duel.render.sheet import summary
from bot.rosters.library import RosterKind
from sim.duel.gather import ReadRequest

KIND = RosterKind(
    name="duel",
    title="Duel roster",
    extension="csv",
    check=lambda content: ReadRequest(data=content),
    tell=summary,
)
