"""The odds of a battle as a headline and pages."""

from collections.abc import Iterator, Mapping

from bot.answers.document import Page
from bot.games.axis_allies.render.signs import ICONS, NOBODY, TIE
from bot.ui.layout import Picture
from bot.ui.text import code_block
from sim.axis_allies.army import Army, shown_army
from sim.axis_allies.odds.reports import FinalArmies, OddsReport, UnitOdds
from sim.axis_allies.units import WORDS
from sim.core.numbers import percent, rounded_percent
from sim.core.outcomes import Side

LIVES = "battleship_extra_lives"
MOST_ENDS = 20
MOST_STEPS = 8
MOST_ROUNDS = 30


def headline(report: OddsReport) -> Iterator[str]:
    """Say who wins how likely, and what that costs."""
    chances = outcome_chances(report)
    likeliest = max(chances, key=lambda name: chances[name])
    yield f"### {_titles(likeliest)} {_shown(report, likeliest)}"
    yield chances_line(report)
    yield f"{report.exp_rounds:.1f} rounds expected"
    for side in Side:
        odds = report.odds(side)
        yield f"{ICONS[side]} **{side.capitalize()}** {shown_army(_army(report, side))}"
        yield f"-# {odds.ipc_start:,} IPC, loses {odds.ipc_lost:.1f} ± {odds.ipc_lost_sd:.1f}"
    if (simulation := report.simulation) is not None:
        low, high = simulation.intervals["p_attacker"]
        yield (
            f"-# 🎲 Too large for exact odds: {simulation.battles:,} simulated battles (seed {simulation.seed}), "
            f"attacker {rounded_percent(low, exact=False)} to {rounded_percent(high, exact=False)} with 95 % confidence"
        )


def chances_line(report: OddsReport) -> str:
    """Return the four chances on one line."""
    return " · ".join(f"{_SIGNS[name]} {name} {_shown(report, name)}" for name in outcome_chances(report))


"""Below every chance that a complete report tells, above what sums of them round away."""

_SIGNS = {"attacker": ICONS[Side.ATTACKER], "defender": ICONS[Side.DEFENDER], "tie": TIE, "nobody": NOBODY}


def outcome_chances(report: OddsReport) -> dict[str, float]:
    """Return the four chances by the words that players read."""
    return {
        "attacker": report.p_attacker,
        "defender": report.p_defender,
        "tie": report.p_tie,
        "nobody": report.p_none,
    }


def likeliest_side(report: OddsReport) -> Side | None:
    """Return who wins most likely, None when that is nobody."""
    chances = outcome_chances(report)
    likeliest = max(chances, key=lambda name: chances[name])
    return Side(likeliest) if likeliest in set(Side) else None


def pages(report: OddsReport, chart: bytes) -> list[Page]:
    """Return the pages: the picture, the likeliest ends, what is still held, round by round."""
    return [
        Page("Chances", lambda: "\n".join(_chance_lines(report)), Picture("odds.png", chart, _alt(report))),
        Page("Likeliest ends", lambda: "\n".join(_end_lines(report))),
        Page("Chance to still hold", lambda: "\n".join(_hold_lines(report))),
        Page("Round by round", lambda: "\n".join(_course_lines(report))),
    ]


def _titles(likeliest: str) -> str:
    words = {"tie": "Both sides fall", "nobody": "Nobody wins"}
    return f"{_SIGNS[likeliest]} {words.get(likeliest, f'The {likeliest} wins')}"


def _shown(report: OddsReport, name: str) -> str:
    """Write the chance of an outcome: 0 % for what no dice could bring about alone, 100 % for what is left then."""
    if name in report.impossible:
        return percent(0)
    if len(report.impossible) == len(_SIGNS) - 1:
        return percent(1, certain=True)
    return rounded_percent(outcome_chances(report)[name], exact=False)


def _percent(report: OddsReport, chance: float) -> str:
    """Write any other chance; where some were too small to follow, none is certain."""
    return rounded_percent(chance, exact=report.every_chance)


def _army(report: OddsReport, side: Side) -> Army:
    return report.attacker if side is Side.ATTACKER else report.defender


def _chance_lines(report: OddsReport) -> Iterator[str]:
    yield "**What is left on either side**"
    parts = {
        "neither side can hit the other": report.p_stalemate,
        "the attacker retreats": report.p_retreat,
        "the rounds are over": report.p_round_limit,
        "won, but no land unit to take the territory": report.p_not_taken,
    }
    for why, chance in parts.items():
        if chance > 0:
            yield f"{NOBODY} {_percent(report, chance)} {why}"
    if report.method == "exact":
        yield f"-# Exact: all chances together miss 1 by no more than {max(report.lost_mass, 1e-16):.0e}."


def _alt(report: OddsReport) -> str:
    chances = ", ".join(f"{name} {_shown(report, name)}" for name in outcome_chances(report))
    ends = [f"{_end_text(end)} {_percent(report, end.p)}" for end in report.outcomes[:3]]
    return f"Two bar charts of the units left and their chances. {chances}. Likeliest ends: {'; '.join(ends)}."[:1000]


def _end_lines(report: OddsReport) -> Iterator[str]:
    yield "**Likeliest ends**"
    for end in report.outcomes[:MOST_ENDS]:
        sign = ICONS[end.winner] if end.winner else TIE if not (end.attacker or end.defender) else NOBODY
        yield f"{_percent(report, end.p)} {sign} {_end_text(end)}"
    rest = report.outcomes_beyond + sum(end.p for end in report.outcomes[MOST_ENDS:])
    if rest > 0 and len(report.outcomes) > MOST_ENDS:
        yield f"-# {_percent(report, rest)} all others together"


def _end_text(end: FinalArmies) -> str:
    survivors = [shown_counts(counts) for counts in (end.attacker, end.defender) if counts]
    return " against ".join(survivors) or "nobody left"


def shown_counts(counts: Mapping[str, int]) -> str:
    """Return final counts as players read them; battleships without their extra lives say so."""
    parts = []
    for key, count in counts.items():
        if key != LIVES:
            stats = WORDS[key].stats
            text = f"{count:,} {WORDS[key].value if count == 1 else stats.plural}"
            if stats.lives:
                lives = counts.get(LIVES, 0)
                text += f" ({lives:,} extra {'life' if lives == 1 else 'lives'})"
            parts.append(text)
    return ", ".join(parts)


def _hold_lines(report: OddsReport) -> Iterator[str]:
    yield "**Chance to still hold so many**"
    for side in Side:
        for unit in report.odds(side).units:
            yield f"{ICONS[side]} {_unit_name(unit)}: {unit.mean:.2f} of {unit.start:,} on average"
            yield "-# " + " · ".join(_steps(report, unit))


def _unit_name(unit: UnitOdds) -> str:
    return "battleship extra lives" if unit.unit == LIVES else WORDS[unit.unit].stats.plural


def _steps(report: OddsReport, unit: UnitOdds) -> Iterator[str]:
    steps = unit.at_least
    if len(steps) > MOST_STEPS:
        last = len(steps) - 1
        steps = tuple(steps[round(at * last / (MOST_STEPS - 1))] for at in range(MOST_STEPS))
    for step in steps:
        word = "all" if step.count == unit.start else f"{step.count:,}+"
        yield f"{word} {_percent(report, step.p)}"


def _course_lines(report: OddsReport) -> Iterator[str]:
    yield "**Round by round**: the chance that the battle is over, units left on average"
    rows = ["round    over    att    def"]
    for round_ in report.rounds[1 : MOST_ROUNDS + 1]:
        over = _percent(report, round_.p_over)
        rows.append(f"{round_.number:>5} {over:>7} {_figure(round_.attacker_units)} {_figure(round_.defender_units)}")
    yield code_block("\n".join(rows))
    if len(report.rounds) > MOST_ROUNDS + 1:
        yield f"-# The file odds.json goes on to round {report.rounds[-1].number}."


def _figure(units: float) -> str:
    """Write a mean number of units in six columns."""
    return f"{units:>6.2f}" if units < 1000 else f"{units:>6.0f}" if units < 1_000_000 else f"{units:>6.0e}"  # noqa: PLR2004  # what fits
