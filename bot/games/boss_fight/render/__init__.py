"""Boss fights as players read them: the emoji, colours and lines that all pages share."""

from collections.abc import Mapping, Sequence
from functools import partial

from bot.answers.document import Page, split_lines
from bot.ui.text import plain
from sim.boss_fight.exact import readable
from sim.boss_fight.values import Boss, Element, Stats, Trait

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

_VERBS = {"pierces": "penetration", "resists": "resistance"}


def element_text(element: Element | None) -> str:
    """Return an element with its emoji."""
    return f"{ELEMENTS[element]} {element or 'no element'}"


def flags_text(stats: Stats) -> str:
    """Return what a boss or a trait pierces and resists, "" for nothing."""
    kinds = {
        verb: [kind for kind in ("physical", "magical") if getattr(stats, f"{kind}_{flag}")]
        for verb, flag in _VERBS.items()
    }
    return ", ".join(f"{verb} {' and '.join(found)}" for verb, found in kinds.items() if found)


def damages_text(stats: Stats) -> str:
    """Return the damage of a boss or a trait, "" for none."""
    kinds = {"physical": stats.physical_damage, "magical": stats.magical_damage}
    return ", ".join(f"{readable(damage)} {kind}" for kind, damage in kinds.items() if damage)


def trait_text(trait: Trait) -> str:
    """Return what a trait brings, without what is 0."""
    health = f"{readable(trait.health)} health" if trait.health else ""
    figures = ", ".join(filter(None, (health, damages_text(trait)))) or "nothing"
    flags = flags_text(trait)
    return f"{figures}; {flags}" if flags else figures


def boss_text(boss: Boss) -> str:
    """Return a boss's name and figures, in one line of markdown."""
    return f"{BOSS} **{plain(boss.name)}** {nature_text(boss, health=True)}"


def nature_text(boss: Boss, *, health: bool) -> str:
    """Return what a boss is like; `health`: with its health."""
    damage = damages_text(boss)
    parts = [
        f"level {boss.level}",
        element_text(boss.element),
        f"{readable(boss.health)} health" if health else "",
        f"{damage} damage" if damage else "no damage",
        flags_text(boss),
    ]
    return ", ".join(filter(None, parts))


def line_pages(title: str, lines: Sequence[str], limit: int) -> list[Page]:
    """Return pages of at most `limit` units each, numbered if there are several."""
    parts = split_lines(lines, limit)
    return [
        Page(title if len(parts) == 1 else f"{title}, page {number}", partial("\n".join, part))
        for number, (_, part) in enumerate(parts, start=1)
    ]
