"""Saved rosters of Marked for Death."""

from bot.render.marked_for_death.check import summary
from bot.ui.rosters import RosterKind
from sim.marked_for_death.run import CheckRequest

KIND = RosterKind(
    name="mfd",
    title="Marked for Death roster",
    extension="csv",
    check=lambda content: CheckRequest(source=content),
    tell=summary,
)
