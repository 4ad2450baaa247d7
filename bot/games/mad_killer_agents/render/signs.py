"""The signs of players and directions, and figures as players read them."""

from bot.ui.text import counted
from sim.mad_killer_agents.battle.options import Direction
from sim.mad_killer_agents.battle.values import Player

PLAYERS = ("", "🟠", "🔵", "🟢", "🟡", "🟣", "🟤", "🩵", "🌑")
"""By a player's number, in the colours of the map."""

COLOURS = (0x868E96, 0xE66100, 0x4096FF, 0x009E73, 0xF0E442, 0xC850C8, 0x8C1E28, 0x78DCEB, 0x232378)
"""By a player's number, the map's."""


AI, AWAY, TURN, OUT = "🤖", "💤", "▶️", "💀"
ATTACK, CITY, MARCH = "⚔️", "🏠", "🥾"

ARROWS = {
    Direction.NORTH_WEST: "↖️",
    Direction.NORTH: "⬆️",
    Direction.NORTH_EAST: "↗️",
    Direction.WEST: "⬅️",
    Direction.EAST: "➡️",
    Direction.SOUTH_WEST: "↙️",
    Direction.SOUTH: "⬇️",
    Direction.SOUTH_EAST: "↘️",
}


def points(halves: int) -> str:
    """Return movement points, counted in halves, as players read them: 1, ½, 1½."""
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def units(count: int) -> str:
    """Return "1 unit", "12 units"."""
    return counted(count, "unit")


def sign(player: Player) -> str:
    """Return a player's sign."""
    return PLAYERS[player.number]
