"""The signs and colours of duels."""

from sim.duel.battle.values import GROUP_1, GROUP_2

ICONS = {GROUP_1: "🔵", GROUP_2: "🟠"}
COLOURS: dict[str | None, int] = {GROUP_1: 0x4DABF7, GROUP_2: 0xFF922B, None: 0x868E96}
ALIVE, DEAD = "❤️", "💀"
EXPERIENCE = "✨"
STALEMATE = "🤝"

MOST_TALE = 700
"""Units of a line of a tale: a message of a server at its longest, with the longest names in it."""
