"""Saved rosters of duels."""

from bot.render.duel.sheet import summary
from bot.ui.rosters import RosterKind
from sim.duel.gather import ReadRequest

KIND = RosterKind(
    name="duel",
    title="Duel roster",
    extension="csv",
    check=lambda content: ReadRequest(data=content),
    tell=summary,
)
