"""The signs, colours and words that every answer of the system shares."""

from collections.abc import Iterator, Sequence

from sim.axis_allies.average import Note
from sim.core.outcomes import Side

ICONS = {Side.ATTACKER: "⚔️", Side.DEFENDER: "🛡️"}
TIE = "🤝"
NOBODY = "⏸️"
COLOURS = {Side.ATTACKER: 0xFF922B, Side.DEFENDER: 0x4DABF7, None: 0x868E96}


def notes(told: Sequence[Note]) -> Iterator[str]:
    """Say what a reader should know, a line each."""
    for note in told:
        yield f"-# ℹ️ {note[0].upper()}{note[1:]}."
