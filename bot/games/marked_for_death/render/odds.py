"""The odds of a battle of rosters on pages."""

from collections.abc import Iterator
from functools import partial

from bot.answers.document import Action, Document, Page, room
from bot.answers.lines import split_lines
from bot.games.marked_for_death.render.signs import BOTH_GONE, COLOURS, ICONS, UNDECIDED
from bot.ui.layout import Picture
from bot.ui.text import counted, plain
from sim.core.numbers import percent, percent_range, rounded_percent
from sim.marked_for_death.odds import FighterOdds, OddsReport, SensitivityReport, Weight
from sim.marked_for_death.odds.reports import MOST_BARS
from sim.marked_for_death.roster import Camp

WEIGH = Action("weigh", "Who matters most?", "⚖️")

_MOST_TOLD = 5


def odds_book(
    report: OddsReport, chart: bytes, weights: SensitivityReport | None, *, opens_at_weights: bool = False
) -> Document:
    """Return the odds; `weights`: who moves them most, where that was asked for."""
    headline = "\n".join(_headline(report))
    pages = [Page("Chances", lambda: "\n".join(_first_page(report)), Picture("odds.png", chart, _alt(report)))]
    for camp in Camp:
        lines = [_fighter_line(report, fighter) for fighter in report.side(camp)]
        parts = split_lines(lines, room(headline) - len(_KEY) - 2)
        for number, (_, part) in enumerate(parts, start=1):
            title = camp.capitalize() if len(parts) == 1 else f"{camp.capitalize()}, {number} of {len(parts)}"
            pages.append(Page(title, partial("\n".join, [_KEY, *part])))
    opens = len(pages) if opens_at_weights and weights is not None else 0
    if weights is not None:
        parts = split_lines(list(_weight_lines(weights)), room(headline))
        pages += [Page(f"Who matters most, {at}", partial("\n".join, part)) for at, (_, part) in enumerate(parts, 1)]
    likeliest = _likeliest(report)
    colour = COLOURS[Camp(likeliest)] if likeliest in set(Camp) else COLOURS[None]
    return Document(headline, colour, pages, () if weights is not None else (WEIGH,), opens=opens)


_KEY = "-# survives · HP left on average · falls first"


def _chances(report: OddsReport) -> dict[str, float]:
    return {
        Camp.HEROES.value: report.p_heroes,
        Camp.VILLAINS.value: report.p_villains,
        "both fall": report.p_both_fall,
        "undecided": report.p_undecided,
    }


_SIGNS = {**{camp.value: sign for camp, sign in ICONS.items()}, "both fall": BOTH_GONE, "undecided": UNDECIDED}


def _likeliest(report: OddsReport) -> str:
    chances = _chances(report)
    return max(chances, key=lambda name: chances[name])


def _headline(report: OddsReport) -> Iterator[str]:
    likeliest = _likeliest(report)
    what = f"The {likeliest} win" if likeliest in set(Camp) else likeliest.capitalize()
    yield f"### {_SIGNS[likeliest]} {what} {_percent(report, _chances(report)[likeliest])}"
    yield " · ".join(
        f"{_SIGNS[name]} {name} {_percent(report, chance)}"
        for name, chance in _chances(report).items()
        if name != "undecided" or chance > 0 or report.max_rounds is not None
    )
    limit = "" if report.max_rounds is None else f", stopped after {report.max_rounds:,}"
    yield f"{report.mean_rounds:.1f} rounds on average{limit}"
    if (simulation := report.simulation) is None:
        yield "-# Exact, not simulated"
        return
    yield (
        f"-# 🎲 {simulation.battles:,} simulated battles (seed {simulation.seed}): heroes "
        f"{percent_range(simulation.intervals.p_heroes)} with 95 % confidence"
        + ("" if simulation.settled else "; time was up")
    )


def _percent(report: OddsReport, chance: float) -> str:
    return rounded_percent(chance, exact=report.method == "exact")


def _first_page(report: OddsReport) -> Iterator[str]:
    if (simulation := report.simulation) is not None:
        intervals = simulation.intervals
        yield "**With 95 % confidence**"
        spans = (intervals.p_heroes, intervals.p_villains, intervals.p_both_fall, intervals.p_undecided)
        for name, span in zip(_chances(report), spans, strict=True):
            yield f"{_SIGNS[name]} {name} {percent_range(span)}"
        low, high = intervals.mean_rounds
        yield f"-# {low:.2f} to {high:.2f} rounds on average"
        if simulation.cut_off:
            yield f"-# {percent(simulation.cut_off)} of the battles were given up as endless; they count as undecided"
    for title, key in (("**Falls first most likely**", "p_falls_first"), ("**Survives most likely**", "p_survives")):
        there = [fighter for fighter in report.fighters if not fighter.sits_out and getattr(fighter, key) > 0]
        if there:
            yield title
            for fighter in sorted(there, key=lambda fighter: -getattr(fighter, key))[:_MOST_TOLD]:
                yield f"{ICONS[fighter.camp]} {plain(fighter.name)} {_percent(report, getattr(fighter, key))}"


def _fighter_line(report: OddsReport, fighter: FighterOdds) -> str:
    if fighter.sits_out:
        return f"🪑 **{plain(fighter.name)}** sits out"
    margin = (
        ""
        if fighter.intervals is None
        else f" ± {50 * (fighter.intervals.p_survives[1] - fighter.intervals.p_survives[0]):.1f}"
    )
    chance = _percent(report, fighter.p_survives)
    survives = chance if not margin else chance.replace("\N{NO-BREAK SPACE}", f"{margin}\N{NO-BREAK SPACE}")
    left = f"{fighter.mean_hp:.2f} of {fighter.hp} HP"
    falls_first = _percent(report, fighter.p_falls_first)
    return f"{ICONS[fighter.camp]} **{plain(fighter.name)}** {survives} · {left} · {falls_first}"


def _weight_lines(report: SensitivityReport) -> Iterator[str]:
    yield "**What each one's presence is worth to its side**"
    battles = counted(report.battles, "battle")
    yield f"-# {battles} with everybody and without each one, the same dice (seed {report.seed})"
    yield from map(_weight_line, report.weights)
    if report.skipped:
        yield f"-# {counted(report.skipped, 'fighter')} that seem to weigh less were not tried"


def _weight_line(weight: Weight) -> str:
    points = f"{100 * weight.gain:+.1f}"
    low, high = weight.interval
    return (
        f"{ICONS[weight.camp]} **{plain(weight.name)}** {points} points "
        f"({100 * low:+.1f} to {100 * high:+.1f}): {rounded_percent(weight.p_with, exact=False)} with, "
        f"{rounded_percent(weight.p_without, exact=False)} without"
    )


def _alt(report: OddsReport) -> str:
    chances = ", ".join(f"{name} {_percent(report, chance)}" for name, chance in _chances(report).items())
    best = sorted(report.fighters, key=lambda fighter: -fighter.p_survives)[:_MOST_TOLD]
    likeliest = ", ".join(f"{fighter.name} {_percent(report, fighter.p_survives)}" for fighter in best)
    return f"Chances: {chances}. Below, how likely each fighter survives, at most {MOST_BARS} a side: {likeliest}"
