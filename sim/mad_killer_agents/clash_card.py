"""The card of a battle of `/mka battle`: both sides before and after, and the best way to attack."""

from collections.abc import Iterator

from sim.core.cards.values import FightCard, FightSide, HealthRow
from sim.core.numbers import quantity
from sim.mad_killer_agents.battle_text import split_advice
from sim.mad_killer_agents.combat import Clash, Result, attack_bonus, defense_bonus
from sim.mad_killer_agents.reports import BattleReport


def clash_card(clash: Clash, report: BattleReport) -> FightCard:
    """Return the card of a battle."""
    result = report.result
    defenders = clash.defenders + result.drafted
    rows = [_row("Drafted units" if result.drafted else "Defender", result.defender_left, defenders)]
    if clash.city:
        rows.append(_city_row(result.city_left, clash.city))
    return FightCard(
        title=verdict(result),
        left=FightSide(name="Attacker", rows=(_row("Attacker", result.attacker_left, clash.attackers),)),
        right=FightSide(name="Defender", rows=tuple(rows)),
        notes=tuple(_notes(clash, report, defenders)),
    )


def _row(name: str, left: int, most: int) -> HealthRow:
    row = HealthRow.of(name, left, most, most - left, "none left")
    figures = f"{most:,} → {left:,}" if left < most else f"{most:,}, no losses"
    return row if row.gone else row.model_copy(update={"figures": figures})


def _city_row(left: int, size: int) -> HealthRow:
    row = HealthRow.of("City", left, size, size - left, "destroyed")
    figures = f"size {size} → {left}" if left < size else f"size {size}"
    return row if row.gone else row.model_copy(update={"figures": figures})


def _notes(clash: Clash, report: BattleReport, defenders: int) -> Iterator[str]:
    ours = clash.attackers + attack_bonus(clash.attacker_tile, drill=clash.drill)
    theirs = defenders + defense_bonus(clash.defender_tile, clash.city, masonry=clash.masonry)
    yield f"Strength {ours:,} against {theirs:,}"
    advice = split_advice(clash, report.result, report.split)
    if advice is not None:
        yield f"Better in parts: {advice.outcome}"


def verdict(result: Result) -> str:
    """Return the result of a battle in a few words."""
    if result.taken:
        return f"The attacker takes the tile, {quantity(result.attacker_left, 'unit')} left"
    if not result.attacker_left and not result.defender_left:
        return "Both sides are wiped out" + (f", the city stands with {result.city_left}" if result.city_left else "")
    if not result.attacker_left:
        return f"The attack fails, {quantity(result.defender_left, 'defender')} left"
    return f"The defenders fall, the city shrinks to {result.city_left}"
