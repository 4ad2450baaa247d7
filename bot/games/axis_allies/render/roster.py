"""A saved army, or the two of a saved battle."""

from bot.games.axis_allies.render.signs import ICONS
from sim.axis_allies.army import shown_army
from sim.axis_allies.check import CheckedArmies
from sim.core.numbers import decimal_text
from sim.core.outcomes import Side


def armies_text(report: CheckedArmies) -> str:
    """Return each army with what it costs."""
    battle = len(report.armies) == len(Side)
    heads = [f"{ICONS[side]} **{side.capitalize()}** " for side in Side] if battle else [""]
    return "\n".join(
        f"{head}{shown_army(army)}\n-# {decimal_text(army.ipc)} IPC"
        for head, army in zip(heads, report.armies, strict=True)
    )
