"""The cards of characters: one with its abilities, or several side by side."""

from collections.abc import Sequence

from sim.core.cards.values import MAX_SHEET_ROWS, MAX_WIDE_ROWS, Fact, HealthRow, SheetCard
from sim.duel.critter import MAX_SCORE, MODIFIERS, Critter

_MINUS = "\N{MINUS SIGN}"


def character_card(critter: Critter) -> SheetCard:
    """Return the card of a character: what counts in a fight, and its abilities."""
    attacks = f" × {critter.attacks}" if critter.attacks > 1 else ""
    return SheetCard(
        title=critter.name,
        aside=f"{critter.gender}, {critter.alignment}",
        facts=(
            Fact(label="Hit points", figure=str(critter.hp)),
            Fact(label="Armour class", figure=str(critter.armour_class)),
            Fact(label="To hit AC 0", figure=str(critter.to_hit)),
            Fact(label="Damage", figure=f"{critter.damage}{attacks}"),
        ),
        rows=tuple(_ability_row(critter, short, ability) for short, ability in MODIFIERS.items()),
        wide=False,
    )


def _ability_row(critter: Critter, short: str, ability: str) -> HealthRow:
    modifier = signed(getattr(critter, short))
    if critter.abilities is None:
        return HealthRow(name=ability.capitalize(), left=0.0, figures=modifier)
    score = getattr(critter.abilities, ability)
    figures = f"{score} {modifier}" if getattr(critter, short) else str(score)
    return HealthRow(name=ability.capitalize(), left=score / MAX_SCORE, figures=figures)


def characters_card(critters: Sequence[Critter]) -> SheetCard:
    """Return the card of one or more characters: one alone with its abilities."""
    if len(critters) == 1:
        return character_card(critters[0])
    shown = critters[:MAX_SHEET_ROWS]
    most = max(critter.hp for critter in critters)
    wide = len(shown) <= MAX_WIDE_ROWS
    return SheetCard(
        title=f"{len(critters)} characters",
        aside="hit points, armour class" + (", damage" if wide else ""),
        rows=tuple(_character_row(number, critter, most, wide=wide) for number, critter in enumerate(shown, start=1)),
        wide=wide,
        more=len(critters) - len(shown),
    )


def _character_row(number: int, critter: Critter, most: int, *, wide: bool) -> HealthRow:
    figures = f"{critter.hp} HP · AC {critter.armour_class}"
    return HealthRow(
        name=critter.name,
        left=critter.hp / most,
        figures=f"{figures} · {critter.damage}" if wide else figures,
        instead=f"Character {number}",
    )


def signed(value: int) -> str:
    """Return a modifier for readers, with a sign unless it is 0."""
    return f"{value:+d}".replace("-", _MINUS) if value else "0"
