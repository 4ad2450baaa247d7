"""What an attack leads to, in words."""

from collections.abc import Iterator

from bot.answers.document import EDIT, Document, Page
from bot.games.mad_killer_agents.render.signs import ATTACK, CITY, units
from bot.ui.text import counted
from sim.mad_killer_agents.combat import Clash, Result, attack_bonus, defence_bonus
from sim.mad_killer_agents.constants import STOMP
from sim.mad_killer_agents.requests import BattleReport
from sim.mad_killer_agents.splitting import Split

_COLOURS = {True: 0x2F9E44, False: 0xE03131}
_MOST_PARTS = 12


def clash_book(clash: Clash, report: BattleReport) -> Document:
    """Return a battle's answer: one page."""
    result = report.result
    lines = [*strengths(clash, result), *outcome_lines(result, clash.city)]
    lines += split_lines(clash, result, report.split) or ["-# No split does better than all at once."]
    headline = f"### {ATTACK} {verdict(result)}"
    return Document(headline, _COLOURS[result.taken], [Page("The battle", lambda: "\n".join(lines))], (EDIT,))


def verdict(result: Result) -> str:
    """Return a battle's end in a few words."""
    if result.taken:
        return f"The tile is taken, with {units(result.attacker_left)}"
    if not result.attacker_left and not result.defender_left:
        return "Both sides are wiped out" + (f", the city stands with {result.city_left}" if result.city_left else "")
    if not result.attacker_left:
        return f"The attack fails, {units(result.defender_left)} hold out"
    if not result.defender_left:
        return f"The defenders fall, the city stands with {result.city_left}"
    return "Both sides live on, nobody moves"


def strengths(clash: Clash, result: Result) -> Iterator[str]:
    """Tell the strength of both sides: units and bonuses."""
    ours = attack_bonus(clash.attacker_tile, drill=clash.drill)
    theirs = defence_bonus(clash.defender_tile, clash.city, masonry=clash.masonry)
    drill = " and Drill" if clash.drill else ""
    yield f"{ATTACK} {clash.attackers:,} on TV {clash.attacker_tile}{drill}: strength **{clash.attackers + ours:,}**"
    defenders = clash.defenders + result.drafted
    drafted = " drafted" if result.drafted else ""
    city = f", city of {clash.city}" if clash.city else ""
    wall = " with Masonry" if clash.masonry else ""
    strength = f"strength **{defenders + theirs:,}**"
    yield f"🛡️ {defenders:,}{drafted} on TV {clash.defender_tile}{city}{wall}: {strength}"
    if clash.attackers >= STOMP * defenders or defenders >= STOMP * clash.attackers:
        yield f"-# {STOMP} times as many units: the larger side loses nobody."


def outcome_lines(result: Result, city: int) -> Iterator[str]:
    """Tell who falls and what is left."""
    yield f"{ATTACK} loses **{result.attacker_loss:,}**, {result.attacker_left:,} left"
    yield f"🛡️ loses **{result.defender_loss:,}**, {result.defender_left:,} left"
    if city:
        yield f"{CITY} {city} → {result.city_left or 'destroyed'}"


def split_lines(clash: Clash, result: Result, split: Split) -> list[str]:
    """Tell how to split best; nothing where all at once is as good."""
    if not better(clash, result, split):
        return []
    idle = clash.attackers - sum(split.parts)
    lines = ["", f"✂️ **Best in parts:** {parts_text(split)}"]
    end = "tile taken" if split.taken else f"{counted(split.defenders_left, 'defender')} left"
    city = f", {CITY} {split.city_left}" if split.city_left else ""
    lines.append(f"{split.lost:,} lost, {split.left:,} left; {end}{city}")
    if idle:
        lines.append(f"-# {units(idle)} need not fight.")
    return lines


def better(clash: Clash, result: Result, split: Split) -> bool:
    """Tell whether a split is another plan than all at once, and a better one."""
    if split.parts == (clash.attackers,):
        return False
    once = (result.taken, -result.city_left, -result.defender_left, -result.attacker_loss)
    return (split.taken, -split.city_left, -split.defenders_left, -split.lost) > once


def parts_text(split: Split) -> str:
    """Return the parts, such as "3 + 9", runs of equal ones together."""
    runs: list[tuple[int, int]] = []
    for part in split.parts:
        if runs and runs[-1][0] == part:
            runs[-1] = (part, runs[-1][1] + 1)
        else:
            runs.append((part, 1))
    texts = [f"{part:,}" if times == 1 else f"{times:,} x {part:,}" for part, times in runs]
    more = len(texts) - _MOST_PARTS
    return " + ".join(texts[:_MOST_PARTS]) + (f" + {counted(more, 'more run')}" if more > 0 else "")
