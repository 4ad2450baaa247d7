"""A character as a sheet, and rosters in short."""

from collections.abc import Iterator

from bot.ui.text import code_block, counted, listed, plain
from sim.core.caret import visible
from sim.duel.critter import MODIFIERS, Critter
from sim.duel.roster import Roster

_MINUS = "\N{MINUS SIGN}"


def sheet(critter: Critter) -> str:
    """Return a sheet: who it is, and a table of what it has, at most 28 columns."""
    return f"{who(critter)}\n{code_block(chr(10).join(_table(critter)))}"


def who(critter: Critter) -> str:
    """Return name, pronoun, alignment and hit points in a line."""
    return f"**{plain(critter.name)}** ({critter.gender}, {critter.alignment}) ❤️ {critter.hp} HP"


def _table(critter: Critter) -> Iterator[str]:
    for short, ability in MODIFIERS.items():
        score = "" if critter.abilities is None else f"{getattr(critter.abilities, ability):>3}"
        yield f"{ability.capitalize():<13}{score:>3}  {signed(getattr(critter, short)):>3}"
    yield ""
    yield f"{'Armour class':<13}{critter.armour_class:>3}"
    yield f"{'To hit AC 0':<13}{critter.to_hit:>3}"
    yield visible(f"{'Damage':<13}{critter.damage!s:>3}")
    if critter.attacks > 1:
        yield f"{'Attacks':<13}{critter.attacks:>3}"


def line(critter: Critter) -> str:
    """Return what matters in a fight in a line of markdown."""
    parts = [f"**{plain(critter.name)}** {critter.hp} HP"]
    parts += [
        f"{name} {signed(value)}" for name, value in (("STR", critter.str_mod), ("DEX", critter.dex_mod)) if value
    ]
    parts.append(f"AC {critter.armour_class}")
    attacks = f" ×{critter.attacks}" if critter.attacks > 1 else ""
    return " · ".join([*parts, f"{critter.damage}{attacks}"])


def signed(value: int) -> str:
    """Return a modifier with its sign; a bare 0."""
    return f"{value:+d}".replace("-", _MINUS) if value else "0"


def summary(roster: Roster) -> str:
    """Sum a roster up in a few lines, for a saved one."""
    lines = []
    for side in roster.sides:
        points = sum(critter.hp for critter in side.critters)
        lines.append(f"**{plain(side.name)}** {counted(len(side.critters), 'fighter')}, {points:,} HP")
        lines.append(listed([plain(critter.name) for critter in side.critters]))
    return "\n".join(lines)
