"""The signs and colours of both sides, the same on every page and in the chart."""

from sim.core.outcomes import Side

ICONS = {Side.ATTACKER: "⚔️", Side.DEFENDER: "🛡️"}
TIE = "🤝"
NOBODY = "⏸️"
COLOURS = {Side.ATTACKER: 0xFF922B, Side.DEFENDER: 0x4DABF7, None: 0x868E96}
