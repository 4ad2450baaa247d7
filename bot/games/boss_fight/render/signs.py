"""Signs and colours of boss fights, and a boss's figures in a line."""

from collections.abc import Mapping

from bot.ui.text import plain
from sim.boss_fight.values import Boss, Element, Stats

BOSS, PARTY, FALLEN, AWAY, NEXT, DRAW = "👹", "🛡️", "💀", "🚪", "▶️", "⚖️"
MINUS = "\N{MINUS SIGN}"
RED, BLUE, GREY = 0xE8590C, 0x339AF0, 0x868E96

ELEMENTS: Mapping[Element | None, str] = {
    None: "⚪",
    Element.WATER: "💧",
    Element.FIRE: "🔥",
    Element.AIR: "🌪️",
    Element.LIGHTNING: "⚡",
    Element.EARTH: "⛰️",
}

_FLAGS = {
    "physical_penetration": "pierces physical",
    "physical_resistance": "resists physical",
    "magical_penetration": "pierces magical",
    "magical_resistance": "resists magical",
}


def element_text(element: Element | None) -> str:
    """Return an element with its sign."""
    return f"{ELEMENTS[element]} {element or 'no element'}"


def flags_text(fighting: Stats) -> str:
    """Return what a boss or a trait pierces and resists, "" for nothing."""
    return ", ".join(text for flag, text in _FLAGS.items() if getattr(fighting, flag))


def boss_text(boss: Boss) -> str:
    """Return a boss's name and figures, in one line of markdown."""
    damage = f"{boss.physical_damage} physical, {boss.magical_damage} magical damage"
    flags = flags_text(boss)
    parts = [f"level {boss.level}", element_text(boss.element), f"{boss.health} health", damage, *filter(None, [flags])]
    return f"{BOSS} **{plain(boss.name)}** {', '.join(parts)}"
