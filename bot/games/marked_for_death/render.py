"""Marked for Death on a page: rosters, whole battles, odds, changed rosters, and battles in a channel."""

from collections.abc import Iterator, Sequence
from functools import partial

from bot.answers import document as d
from bot.battles.presenter import PanelContent
from bot.ui import LAYOUT_TEXT, Picture, list_inline, plain
from sim.core.cards.values import MAX_ROWS
from sim.core.names import listed
from sim.core.numbers import about_rounds, percent, percent_range, quantity, rounded_percent
from sim.core.values import Ending, Paused
from sim.marked_for_death import reports
from sim.marked_for_death.battle import Changed, Event, Fell, Fought, PulledOut, State
from sim.marked_for_death.roster import Camp
from sim.marked_for_death.stats import FighterCard, short_line

ICONS = {Camp.HEROES: "🛡️", Camp.VILLAINS: "👹"}
COLOURS: dict[Camp | None, int] = {Camp.HEROES: 0x4DABF7, Camp.VILLAINS: 0xFF922B, None: 0x868E96}
FALLEN = "💀"
BOTH_GONE = "⚰️"
UNDECIDED = "⏳"
AGAIN = d.Action("again", "Roll again", "🎲")
WEIGH = d.Action("weigh", "Who matters most?", "⚖️")
APPLY = d.Action("apply", "Use this roster", "✅")
_JOIN = d.Action("apply", "Add them", "✅")
_WHOLE, _ADD = d.Action("whole", "Replace the whole roster", "♻️"), d.Action("add", "Only add them", "🔧")
_CHOOSE_AGAIN = d.Action(d.EDIT_ACTION, "Choose another file", "📄")

PANEL_ROUNDS = 3
"""The most rounds in a panel."""

_GREEN, _AMBER = 0x2F9E44, 0xF08C00
_MAX_LINE = 300
_MAX_ATTACKERS = 4
_MAX_NAMES = 12  # survivors in a line
_MAX_WARNINGS = 5
_MAX_RANKED = 5
_LEGEND = "-# survives · HP left on average · among the first to fall"
_ENDING_ICONS = {**{camp.value: sign for camp, sign in ICONS.items()}, "both fall": BOTH_GONE, "undecided": UNDECIDED}
_MAX_CHANGE = 220


def check_document(name: str, report: reports.CheckReport, card: Picture) -> d.Document:
    """Return the warnings and every fighter's line; `name` is the file's or the saved roster's."""
    fighters = quantity(len(report.cards), "fighter")
    warnings = quantity(len(report.warnings), "warning") if report.warnings else "no warnings"
    headline = f"### {'⚠️' if report.warnings else '✅'} {plain(name)}: {fighters}, {warnings}"
    pages = d.line_pages("Fighters", map(card_line, report.cards), headline)
    told = (f"⚠️ {plain(warning, _MAX_LINE)}" for warning in report.warnings)
    pages += d.line_pages("Warnings", told, headline)
    return d.Document(headline, _AMBER if report.warnings else _GREEN, d.illustrated(pages, card))


def roster_summary(report: reports.CheckReport) -> str:
    """Summarize a saved roster in a few lines."""
    lines = [f"{quantity(len(report.cards), 'fighter')}, {sum(max(0, card.hp) for card in report.cards):,} HP"]
    lines += [f"⚠️ {plain(warning, _MAX_LINE)}" for warning in report.warnings[:_MAX_WARNINGS]]
    if (more := len(report.warnings) - _MAX_WARNINGS) > 0:
        lines.append(f"-# … and {quantity(more, 'more warning')}")
    return "\n".join(lines)


def card_line(card: FighterCard) -> str:
    """Return a fighter's line as markdown, its name in bold."""
    name, _, rest = short_line(card.line()).partition(": ")
    sits = " 🪑 sits out" if card.hp <= 0 else ""
    return f"**{plain(name)}**: {plain(rest, _MAX_LINE)}{sits}"


def run_document(report: reports.RunReport, card: Picture) -> d.Document:
    """Return the battle's pages; pages of the log, maybe thousands, are only written when shown."""
    sign, _, ending = ending_title(report.ending, report.winner, len(report.rounds)).partition(" ")
    sides = {camp: report.side(camp) for camp in Camp}
    standing = (
        _standing(camp, len(side.survivors), len(side.cards) - len(side.sat_out)) for camp, side in sides.items()
    )
    stopped = [] if report.stopped is None else [f"⏹️ {report.stopped}"]
    head = [f"### {sign} {ending[:1].upper()}{ending[1:]}", " · ".join(standing), *stopped]
    headline = "\n".join([*head, f"-# 🎲 Seed {report.seed}"])
    width = d.room(headline)
    pages = d.line_pages("Summary", _run_summary(report), headline)
    chapters = {"At the start": report.opening[1:]}
    chapters |= {f"Round {number}": lines for number, lines in enumerate(report.rounds, start=1)}
    for title, lines in chapters.items():
        pages += d.numbered(title, [page for _, _, page in d.lazy_pages(lines, _log_line, _MAX_LINE, width)])
    return d.Document(headline, COLOURS[report.winner], d.illustrated(pages, card), (AGAIN,))


def _standing(camp: Camp, left: int, fighters: int) -> str:
    stand = f"{left} of {fighters} stand" if left else "none left"
    return f"{ICONS[camp]} **{camp.capitalize()}**: {stand}"


def _log_line(line: str) -> str:
    """Return a line of the log; indented lines become list items."""
    text = plain(short_line(line.strip()), _MAX_LINE)
    return f"- {text}" if line.startswith(" ") else f"**{text}**"


def _run_summary(report: reports.RunReport) -> Iterator[str]:
    for camp in Camp:
        side = report.side(camp)
        if side.survivors and len(side.cards) > MAX_ROWS:
            survivors = [f"{plain(name)} ({hp} HP)" for name, hp in side.survivors]
            for start in range(0, len(survivors), _MAX_NAMES):
                yield f"{ICONS[camp]} ❤️ {' · '.join(survivors[start : start + _MAX_NAMES])}"
        if side.sat_out:
            yield f"-# {ICONS[camp]} Sat out with 0 HP or less: {list_inline(side.sat_out, markdown=plain)}"
    if report.fallen:
        yield f"{FALLEN} **{quantity(len(report.fallen), 'fell', 'fell')}, in this order**"
        for number, fall in report.fallen:
            why = f"by {_together(fall.by)}" if fall.linked_to is None else f"linked to {plain(fall.linked_to)}"
            yield f"{ICONS[fall.camp]} **{plain(fall.name)}** in round {number}, {why}"
    for camp in Camp:
        yield from (f"⚠️ {camp.capitalize()}: {plain(warning, _MAX_LINE)}" for warning in report.side(camp).warnings)


def odds_document(
    report: reports.OddsReport, picture: Picture, weights: reports.SensitivityReport | None, *, later: bool
) -> d.Document:
    """Return the pages of the odds, with who matters most if `weights` is given, open there if it was added `later`."""
    chances = [f"{_ENDING_ICONS[end]} {end} {report.percent(chance)}" for end, chance in report.ends.items()]
    limit = "" if report.max_rounds is None else f"stopped after {report.max_rounds:,}"
    ends = " · ".join(filter(None, [*chances, about_rounds(report.mean_rounds), limit]))
    headline = f"### {_ENDING_ICONS[report.likeliest]} {report.headline()}\n{ends}"
    pages = [d.Page("Chances", lambda: _chance_lines(report), picture)]
    for camp in Camp:
        lines = (_fighter_odds_line(report, fighter) for fighter in report.side(camp))
        pages += d.line_pages(camp.capitalize(), lines, headline, _LEGEND)
    opens = len(pages) if later and weights is not None else 0
    if weights is not None:
        pages += d.line_pages("Who matters most", _weight_lines(weights), headline)
    colour = COLOURS[Camp(report.likeliest) if report.likeliest in set(Camp) else None]
    return d.Document(headline, colour, pages, () if weights is not None else (WEIGH,), opens=opens)


def _chance_lines(report: reports.OddsReport) -> Iterator[str]:
    candidates = [fighter for fighter in report.fighters if not fighter.sits_out and fighter.p_falls_first > 0]
    if candidates:
        yield "**Often among the first to fall**"
        for fighter in sorted(candidates, key=lambda fighter: -fighter.p_falls_first)[:_MAX_RANKED]:
            yield f"{ICONS[fighter.camp]} {plain(fighter.name)} {report.percent(fighter.p_falls_first)}"
        yield "-# who dies first (ties count for all)"
    if (simulation := report.simulation) is None:
        yield "-# Exact odds"
        return
    stopped = "" if simulation.settled else ", stopped early"
    yield f"-# 🎲 {simulation.battles:,} simulated battles (seed {simulation.seed}){stopped}; with 95% confidence:"
    spans = {end: simulation.intervals[f"p_{end.replace(' ', '_')}"] for end in report.ends}
    known = [f"{_ENDING_ICONS[end]} {end} {percent_range(span)}" for end, span in spans.items() if span[1] > 0]
    low, high = simulation.intervals["mean_rounds"]
    yield f"-# {' · '.join([*known, f'{low:.2f} to {high:.2f} rounds'])}"
    if simulation.cut_off:
        yield f"-# {percent(simulation.cut_off)} of the battles took too long; they count as undecided"


def _fighter_odds_line(report: reports.OddsReport, fighter: reports.FighterOdds) -> str:
    if fighter.sits_out:
        return f"🪑 **{plain(fighter.name)}** sits out"
    survives = report.percent(fighter.p_survives)
    if fighter.intervals is not None:
        low, high = fighter.intervals["p_survives"]
        survives = f"{survives.removesuffix('%')} ± {50 * (high - low):.1f}%"
    left = f"{fighter.mean_hp:,.2f} of {fighter.hp:,} HP"
    falls_first = report.percent(fighter.p_falls_first)
    return f"{ICONS[fighter.camp]} **{plain(fighter.name)}** {survives} · {left} · {falls_first}"


def _weight_lines(report: reports.SensitivityReport) -> Iterator[str]:
    yield "**What each fighter adds to its side's chance to win**"
    battles = quantity(report.battles, "battle")
    yield f"-# {battles} with everyone, then without each fighter, same dice (seed {report.seed})"
    for weight in report.weights:
        low, high = weight.interval
        figures = f"{100 * weight.gain:+.1f} points ({100 * low:+.1f} to {100 * high:+.1f})"
        chances = (rounded_percent(chance, exact=False) for chance in (weight.p_with, weight.p_without))
        yield "{} **{}** {}: {} with, {} without".format(ICONS[weight.camp], plain(weight.name), figures, *chances)
    if report.skipped:
        yield f"-# Not tested, as they seem to matter less: {quantity(report.skipped, 'fighter')}"


def battle_content(state: State, events: Sequence[Event], picture: Picture | None = None) -> PanelContent:
    """Return a panel's content, without the fighters that its picture shows; `events`: those of the last rounds."""
    lines = [line for camp in Camp for line in _side_lines(state, camp, on_card=picture is not None)]
    latest: list[str] = []
    for event in reversed(events):  # slightly more than fit a panel: hundreds of fighters may fall in a round
        latest = [*event_lines([event]), *latest]
        if sum(map(len, latest)) > LAYOUT_TEXT:
            break
    colour, limit = COLOURS[Camp.HEROES], "" if state.max_rounds is None else f" of {state.max_rounds}"
    title = f"round {state.round}{limit}" if state.round else "before round 1"
    if state.ending is not None:
        colour, title = COLOURS[state.winner], ending_title(state.ending, state.winner, state.round)
    return PanelContent(title, "\n".join(lines), "\n".join(latest), colour, picture)


def ending_title(ending: Ending, winner: Camp | None, rounds: int) -> str:
    """Return how a battle ended, for a headline."""
    after = f" after {quantity(rounds, 'round')}" if rounds else ""
    if winner is not None:
        return f"{ICONS[winner]} the {winner} win{after}"
    if ending is Ending.MUTUAL:
        return f"{BOTH_GONE} both sides are gone{after}"
    return f"{UNDECIDED} undecided{after}"


def _side_lines(state: State, camp: Camp, *, on_card: bool) -> Iterator[str]:
    force = state.side(camp)
    if on_card and len(force) <= MAX_ROWS:
        return
    survivors = [combatant for combatant in force if combatant.stands]
    down = [combatant.fighter.name for combatant in force if not combatant.stands]
    yield _standing(camp, len(survivors), len(force))
    if survivors:
        yield f"❤️ {list_inline(survivors, markdown=lambda alive: f'{plain(alive.fighter.name)} ({alive.hp})')}"
    if down:
        yield f"-# {FALLEN} {list_inline(down, markdown=plain)}"


def event_lines(events: Sequence[Event]) -> Iterator[str]:
    """Yield a few lines for each event except the start and the end, which the headline and the sides show."""
    for event in events:
        match event:
            case Fought():
                yield from _round_lines(event)
            case Fell(linked_to=str(of)):
                yield f"{FALLEN} **{plain(event.name)}** falls with {plain(of)}"
            case Fell(by=()):
                yield f"{FALLEN} **{plain(event.name)}** falls"
            case Fell():
                take = "takes" if len(event.by) == 1 else "take"
                yield f"{FALLEN} {_together(event.by)} {take} down **{plain(event.name)}**"
            case Changed():
                changes = list_inline(event.changes, 3, markdown=partial(plain, limit=200))
                yield f"🔧 The referee changes the {event.camp}: {changes}"
            case PulledOut():
                yield f"🚪 {plain(event.name)} leaves the {event.camp}, with {event.hp} HP"
            case Paused():
                yield f"⏸️ {quantity(event.rounds, 'round')} fought: the battle can go on."


def _round_lines(event: Fought) -> Iterator[str]:
    yield f"**Round {event.number}**"
    for camp in Camp:
        hits = sum(hits for _, _, _, hits, _ in event.attacks(camp))
        damage = sum(max(0, hits - blocks) for _, _, _, hits, blocks in event.attacks(camp))
        stepped = sum(drawn != struck for _, drawn, struck, _, _ in event.attacks(camp))
        guards = f", {quantity(stepped, 'bodyguard steps', 'bodyguards step')} in" if stepped else ""
        yield f"{ICONS[camp]} {quantity(hits, 'hit') if hits else 'no hits'}, **{damage or 'no'} damage**{guards}"


def _together(names: Sequence[str]) -> str:
    """Return attackers as in a sentence: "Orc, Troll and 3 more"."""
    more = len(names) - _MAX_ATTACKERS
    return listed([*map(plain, names[:_MAX_ATTACKERS]), *([f"{more:,} more"] if more > 0 else [])])


def change_document(number: int, camp: Camp, report: reports.ChangeReport, *, stale: bool, whole: bool) -> d.Document:
    """Return the changes as pages; `stale`: the battle has gone on since, so they can't be applied.

    `whole`: the file replaces the roster; else it adds to it.
    """
    count = quantity(len(report.changes), "roster change") if report.changes else "nothing changes"
    headline = f"### #{number} {ICONS[camp]} {camp.capitalize()}: {count}"
    lines = [f"- {plain(line, _MAX_CHANGE)}" for line in report.changes]
    lines += [f"⚠️ {plain(line, _MAX_CHANGE)}" for line in report.warnings]
    if stale:
        lines.insert(0, "⏳ The battle has moved on: choose the file again.")
    pages = d.line_pages("Changes", lines or ["Nothing changes."], headline)
    apply, other = (APPLY, _ADD) if whole else (_JOIN, _WHOLE)
    actions = () if stale else (apply, other) if report.changes else (other,)
    return d.Document(headline, COLOURS[camp], pages, (*actions, _CHOOSE_AGAIN))
