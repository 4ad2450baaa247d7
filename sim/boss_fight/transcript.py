"""An exchange as plain text that can be checked by hand: every modifier, stack and product."""

from collections.abc import Iterator
from fractions import Fraction

from sim.boss_fight.exact import readable
from sim.boss_fight.reports import ExchangeReport, TokenRow
from sim.boss_fight.values import Token


def transcript(report: ExchangeReport) -> str:
    """Return the whole arithmetic, token by token, then both sides; it ends with a newline."""
    lines = [
        f"{report.boss.name} ({report.boss.element or 'no element'}) against {_counted(len(report.tokens), 'token')}"
    ]
    for token, row in zip(report.deck.tokens, report.tokens, strict=True):
        lines += _token(token, row)
    lines += [*_boss(report), *_player(report), f"Score: {readable(report.score)}"]
    return "".join(f"{line}\n" for line in lines)


def _token(token: Token, row: TokenRow) -> Iterator[str]:
    yield ""
    yield f"{token.name} ({token.element or 'no element'})"
    element = readable(row.element.on_boss)
    for trait, modifiers in zip(token.traits, row.traits, strict=True):
        physical = trait.physical_damage * modifiers.boss_physical
        magical = trait.magical_damage * modifiers.boss_magical * row.element.on_boss
        yield (
            f"  {trait.name}: to the boss {readable(trait.physical_damage)} x {readable(modifiers.boss_physical)} = "
            f"{readable(physical)} physical, {readable(trait.magical_damage)} x {readable(modifiers.boss_magical)} x "
            f"{element} = {readable(magical)} magical; to the player x {readable(modifiers.player_physical)} physical, "
            f"x {readable(modifiers.player_magical)} magical, x {readable(row.element.on_player)} element"
        )
    yield f"  to the boss: {readable(row.to_boss.physical)} physical, {readable(row.to_boss.magical)} magical"
    yield (
        f"  stacked: x {readable(row.stacked_physical)} physical, x {readable(row.stacked_magical)} magical, "
        f"x {readable(row.stacked_element)} element"
    )


def _boss(report: ExchangeReport) -> Iterator[str]:
    damage = report.to_boss
    yield ""
    yield (
        f"Damage to the boss: {readable(damage.physical)} physical + {readable(damage.magical)} magical = "
        f"{readable(damage.total)}"
    )
    yield f"Boss's health: {readable(report.boss.health)} - {readable(damage.total)} = {readable(report.boss_left)}"


def _player(report: ExchangeReport) -> Iterator[str]:
    boss, damage = report.boss, report.to_player
    stacks = (report.stacked_physical, report.stacked_magical, report.stacked_element)
    physical, magical, element = map(readable, stacks)
    yield f"Stacked over all tokens: x {physical} physical, x {magical} magical, x {element} element"
    yield (
        f"Damage to the player: {readable(boss.physical_damage)} x {physical} + {readable(boss.magical_damage)} x "
        f"{magical} x {element} = {_sum(damage.physical, damage.magical)}"
    )
    left = readable(report.player_left)
    yield f"Player's health: {readable(report.player_health)} - {readable(damage.total)} = {left}"


def _sum(physical: Fraction, magical: Fraction) -> str:
    if not magical or not physical:
        return readable(physical + magical)
    return f"{readable(physical)} + {readable(magical)} = {readable(physical + magical)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
