"""Saved rosters of Marked for Death."""

from bot.games.marked_for_death.render.check import summary
from bot.rosters.library import RosterKind
from sim.marked_for_death.run import CheckRequest

KIND = RosterKind(
    name="mfd",
    title="Marked for Death roster",
    extension="csv",
    check=lambda content: CheckRequest(source=content),
    tell=summary,
)
