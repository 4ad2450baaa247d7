"""Signs, colors and texts that all answers share."""

from collections.abc import Iterator, Sequence

from sim.axis_allies.army import Note, army_words
from sim.axis_allies.reports import CheckedArmies
from sim.core.numbers import amount
from sim.core.values import Side

ICONS = {Side.ATTACKER: "⚔️", Side.DEFENDER: "🛡️"}
TIE = "🤝"
NOBODY = "⏸️"
COLOURS = {Side.ATTACKER: 0xFF922B, Side.DEFENDER: 0x4DABF7, None: 0x868E96}


def note_lines(notes: Sequence[Note]) -> Iterator[str]:
    """Yield a line for each note."""
    for note in notes:
        yield f"-# ℹ️ {note[0].upper()}{note[1:]}."


def armies_text(report: CheckedArmies) -> str:
    """Return each army with its price."""
    battle = len(report.armies) == len(Side)
    heads = [f"{ICONS[side]} **{side.capitalize()}** " for side in Side] if battle else [""]
    return "\n".join(
        f"{head}{army_words(army)}\n-# {amount(army.ipc, 1)} IPC"
        for head, army in zip(heads, report.armies, strict=True)
    )
