"""The answers as pages: the odds of a battle or of several waves, the average battle; the signs that answers share."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from discord.utils import as_chunks

from bot.answers.document import EDIT, Action, Document, Page, room
from bot.ui import Picture, code_block
from sim.axis_allies.advice_reports import swing_text
from sim.axis_allies.army import Army, pictured, pictured_army, unit_icon
from sim.axis_allies.editions import Edition
from sim.axis_allies.odds_report import EndName, Ends, FinalArmies, OddsReport, UnitOdds, left_words
from sim.axis_allies.parse import share_text
from sim.axis_allies.parse.options import option_texts
from sim.axis_allies.question import Question, Wave
from sim.axis_allies.reports import AverageReport, CalcReport, Round, WaveOdds, WaveReport
from sim.axis_allies.units import WORDS
from sim.core.cards.stickers import without_icons
from sim.core.numbers import about_rounds, amount, decimal_text, percent, quantity, rounded_percent
from sim.core.values import Side

ICONS = {Side.ATTACKER: "⚔️", Side.DEFENDER: "🛡️"}
TIE = "🤝"
NOBODY = "⏸️"
FOUND = "-# 🧠"
"""How a line begins that tells what the computer found."""
COLOURS = {Side.ATTACKER: 0xFF922B, Side.DEFENDER: 0x4DABF7, None: 0x868E96}

SMART = Action("smart", "Use smart losses", "🧠")
SWAP = Action("swap", "Swap sides", "🔄")

LIVES = "_extra_lives"
"""End of the key of ships' lives."""
MAX_ENDS = 20
MAX_STEPS = 8
MAX_COURSE_ROUNDS = 30

_LEAST_SPREAD = 0.05  # what one decimal shows

_COUNT_ROOM = 11  # "1000000", "333333.333": the longest count with the blank behind it
_LIVES_ROOM = 30
_HITS_ROOM = 200
_HIT_LINE_ROOM = 70


@dataclass(frozen=True, slots=True)
class Asked:
    """What an answer says of its question; `edition_line` names the edition, `saved_notes` are on saved armies."""

    question: Question
    edition_line: str
    saved_notes: Sequence[str] = ()

    def option_lines(self) -> Iterator[str]:
        """Yield the options in one line, if there are any."""
        if options := " · ".join(text for text in option_texts(self.question) if not text.startswith("counter")):
            yield f"-# ⚙️ {options}"

    def share_page(self) -> Page:
        """Return the page with a text that asks the same again."""
        told = "**Share text**: paste it into `battle` to ask the same"
        return Page("Share text", lambda: [told, code_block(share_text(self.question))])


def battle_line(waves: Iterable[Wave], defender: Army, counter: Wave | None = None) -> str:
    """Return who meets whom in one line, above a picture that answers."""
    attackers = " then ".join(map(_wave_words, waves))
    back = "" if counter is None else f", counterattack {_wave_words(counter)}"
    return f"{ICONS[Side.ATTACKER]} {attackers} vs {ICONS[Side.DEFENDER]} {_bold(defender)}{back}"


def _bold(army: Army) -> str:
    return f"**{pictured_army(army) or 'nobody'}**"


def _wave_words(wave: Wave) -> str:
    return _bold(wave.army) + (f" + {_bold(wave.bombard)} bombarding" if wave.bombard else "")


def note_lines(notes: Sequence[str]) -> Iterator[str]:
    """Yield a line for each note."""
    for note in notes:
        yield f"-# ℹ️ {note[0].upper()}{note[1:]}."


def armies_text(armies: Sequence[Army]) -> str:
    """Return each army with its price, and their edition."""
    battle = len(armies) == len(Side)
    heads = [f"{ICONS[side]} **{side.capitalize()}** " for side in Side] if battle else [""]
    lines = [
        f"{head}{pictured_army(army)}\n-# {amount(army.ipc, 1)} IPC" for head, army in zip(heads, armies, strict=True)
    ]
    return "\n".join([*lines, f"-# 📖 {armies[0].book.title}"])


def calc_document(report: CalcReport, rounds: int, asked: Asked) -> Document:
    """Return the answer's pages, `rounds` rounds of the average battle to a page."""
    headline = "\n".join(_headline(report, asked))
    pages, likely = [], None
    if report.average is not None:
        pages, likely = [*_average_pages(report.average, rounds, headline)], report.average.winner
    if (odds := report.odds) is not None and (card := report.card) is not None:
        ends = [f"{_end_text(end, odds.attacker.book)} {_percent(odds, end.p)}" for end in odds.outcomes[:3]]
        alt = f"{card.alt} Likeliest ends: {without_icons('; '.join(ends))}."[:1000]
        pages = [
            Page("Chances", partial(_chance_lines, report, odds, asked), Picture("odds.png", card.data, alt)),
            Page("Likeliest ends", partial(_end_lines, report, odds)),
            Page("Chance to still hold", partial(_hold_lines, odds)),
            Page("Round by round", partial(_course_lines, odds)),
            *pages,
        ]
        likely = likeliest_side(odds)
    actions = [*([SMART] if report.smart else []), SWAP, EDIT]
    return Document(headline, COLOURS[likely], [*pages, asked.share_page()], actions)


def _headline(report: CalcReport, asked: Asked) -> Iterator[str]:
    if report.odds is not None:
        yield battle_line(asked.question.waves, asked.question.defender)
    elif report.average is not None:
        yield f"### {_sign(report.average.end)} {_average_title(report.average)}"
        yield asked.edition_line
        yield f"{result_text(report.average)} after {quantity(len(report.average.rounds), 'round')}"
        for side in Side:
            army, lost = report.average.army(side), report.average.ipc_lost(side)
            yield f"{ICONS[side]} **{side.capitalize()}** {pictured_army(army)}"
            yield f"-# {amount(army.ipc, 1)} IPC{f', loses {amount(lost, 1)}' if lost else ''}"
        yield "-# 🎲 Use whole units for exact odds."
        yield from asked.option_lines()
        yield from note_lines([*report.average.notes, *asked.saved_notes])


def _foot_lines(report: OddsReport | WaveReport, asked: Asked) -> Iterator[str]:
    """Yield what stands below a picture of odds: by which edition and options they are, and what to know besides."""
    yield asked.edition_line
    yield from asked.option_lines()
    yield from (f"{FOUND} {order}" for order in report.order_words())
    yield from note_lines([*report.notes, *asked.saved_notes])


def _ends_line(report: Ends) -> str:
    """Return how likely each end is, and how long it takes."""
    takes = f"🏴 takes the territory {report.takes_percent}" if report.takes_less else ""
    return " · ".join(filter(None, (chances_line(report), takes, about_rounds(report.exp_rounds))))


def chances_line(report: Ends) -> str:
    """Return the chances of all ends on one line."""
    return " · ".join(f"{_sign(name)} {name} {report.percent(name)}" for name in report.ends)


def likeliest_side(report: Ends) -> Side | None:
    """Return the likeliest winner, None if that is nobody."""
    return Side(report.likeliest) if report.likeliest in set(Side) else None


def _sign(end: EndName) -> str:
    return ICONS[Side(end)] if end in set(Side) else TIE if end == "tie" else NOBODY


def _percent(report: OddsReport, chance: float) -> str:
    """Return any other chance; none is certain if negligible ones were dropped."""
    return rounded_percent(chance, exact=report.every_chance)


def _end_lines(report: CalcReport, odds: OddsReport) -> Iterator[str]:
    yield "**In numbers**"
    yield _ends_line(odds)
    for side in Side:
        figures = odds.odds(side)
        yield from _loss_lines(side, figures.ipc_start, figures.ipc_lost, figures.ipc_lost_sd)
    yield from _swing_lines(odds)
    if report.average is not None:
        yield _average_line(report.average)
    if odds.simulation is None:
        yield "-# Exact odds"
    yield "**Likeliest ends**"
    for end in odds.outcomes[:MAX_ENDS]:
        sign = ICONS[end.winner] if end.winner else TIE if not (end.attacker or end.defender) else NOBODY
        yield f"{_percent(odds, end.p)} {sign} {_end_text(end, odds.attacker.book)}"
    rest = odds.outcomes_beyond + sum(end.p for end in odds.outcomes[MAX_ENDS:])
    if rest > 0 and len(odds.outcomes) > MAX_ENDS:
        yield f"-# {_percent(odds, rest)} all other ends"


def _chance_lines(report: CalcReport, odds: OddsReport, asked: Asked) -> Iterator[str]:
    yield from _foot_lines(odds, asked)
    if report.smart is not None:
        smart_odds = " · ".join(
            f"{ICONS[side]} {percent(chance)}" for side, chance in zip(Side, report.smart, strict=True)
        )
        yield f"{FOUND} With smart casualties on both sides: {smart_odds}"
    if (simulation := odds.simulation) is not None:
        shown = dict.fromkeys(rounded_percent(edge, exact=False) for edge in simulation.intervals["p_attacker"])
        yield (
            f"-# 🎲 Too large for exact odds: {simulation.battles:,} simulated battles (seed {simulation.seed}), "
            f"attacker {' to '.join(shown)} with 95% confidence"
        )


def _loss_lines(side: Side, ipc: float, lost: float, spread: float) -> Iterator[str]:
    if lost > 0:
        varies = f" ± {spread:,.1f}" if spread >= _LEAST_SPREAD else ""
        yield f"{ICONS[side]} {ipc:,} IPC, loses {lost:,.1f}{varies}"


def _swing_lines(report: OddsReport | WaveReport) -> Iterator[str]:
    if (swing := swing_text(report.def_ipc_lost - report.att_ipc_lost)) != swing_text(0):
        yield f"⚖️ Net {swing} IPC for the attacker"


def _average_line(fought: AverageReport) -> str:
    lost = " · ".join(f"{ICONS[side]} {amount(fought.ipc_lost(side), 1)}" for side in Side if fought.ipc_lost(side))
    rounds = quantity(len(fought.rounds), "round")
    price = f", IPC lost {lost}" if lost else ""
    ends: dict[EndName, str] = {"retreat": "attacker retreats, ", "not taken": "won, but not taken, "}
    if fought.must_take:
        ends["attacker"] = "attacker takes the territory, "
    return f"-# Average dice: {ends.get(fought.end, '')}{result_text(fought)} after {rounds}{price}"


def _end_text(end: FinalArmies, book: Edition) -> str:
    survivors = [counts_text(counts, book) for counts in (end.attacker, end.defender) if counts]
    return " against ".join(survivors) or "nobody left"


def counts_text(counts: Mapping[str, int], book: Edition) -> str:
    """Return the text of final counts, damage after the ships."""
    parts = []
    for key, count in counts.items():
        if not key.endswith(LIVES):
            unit = WORDS[key]
            text = pictured(f"{count:,} {unit.named(str(count))}")
            if book.lives(unit) and (damaged := count - counts.get(f"{key}{LIVES}", 0)):
                text += f" ({damaged:,} damaged)"
            parts.append(text)
    return ", ".join(parts)


def _hold_lines(report: OddsReport) -> Iterator[str]:
    yield "**Chance to still have at least this many**"
    for side in Side:
        for unit in report.odds(side).units:
            known = WORDS[unit.unit.removesuffix(LIVES)]
            name = f"{unit_icon(known)}{'undamaged ' if unit.unit.endswith(LIVES) else ''}{known.plural}"
            yield f"{ICONS[side]} {name}: {unit.mean:.2f} of {unit.start:,} on average"
            yield "-# " + " · ".join(_steps(report, unit))


def _steps(report: OddsReport, unit: UnitOdds) -> Iterator[str]:
    steps = unit.at_least
    if len(steps) > MAX_STEPS:
        last = len(steps) - 1
        steps = tuple(steps[round(at * last / (MAX_STEPS - 1))] for at in range(MAX_STEPS))
    for step in steps:
        word = "all" if step.units == unit.start else f"{step.units:,}+"
        yield f"{word} {_percent(report, step.p)}"


def _course_lines(report: OddsReport) -> Iterator[str]:
    yield "**Round by round**: chance that the battle is over, units left on average"
    rows = ["round   over    att    def"]
    for round_ in report.rounds[1 : MAX_COURSE_ROUNDS + 1]:
        over = _percent(report, round_.p_over)
        rows.append(f"{round_.number:>5} {over:>6} {_figure(round_.attacker_units)} {_figure(round_.defender_units)}")
    yield code_block("\n".join(rows))
    if len(report.rounds) > MAX_COURSE_ROUNDS + 1:
        yield f"-# More rounds, up to {report.rounds[-1].number:,}, are in the file odds.json."


def _figure(units: float) -> str:
    """Return a mean number of units in six columns."""
    return f"{units:>6.2f}" if units < 1000 else f"{units:>6.0f}" if units < 1_000_000 else f"{units:>6.0e}"  # noqa: PLR2004  # what fits


def _average_pages(report: AverageReport, rounds: int, headline: str) -> Iterator[Page]:
    """Yield the pages of rounds, then those of who hit whom, `rounds` to a page if they fit below the headline.

    Their lengths have upper bounds, so that pages are rendered only when needed.
    """
    kinds = [(group.unit, report.army(side).book) for side in Side for group in report.army(side).groups]
    # Counts change, names don't.
    armies = sum(_COUNT_ROOM + len(unit.plural) + 2 + _LIVES_ROOM * bool(book.lives(unit)) for unit, book in kinds)
    # A volley has a line for each type fired, one for each target destroyed in the middle of a type's hits, and one for
    # each type's ineffective hits.
    hits = 2 * len(kinds) * _HIT_LINE_ROOM
    for title, lines, most in (("{}", _round_lines, armies), ("Who hit whom: {}", _breakdown_lines, hits)):
        size = max(1, min(rounds, room(headline) // (most + _HITS_ROOM)))
        for part in as_chunks(report.rounds, size):
            first, last = part[0].number, part[-1].number
            name = f"Rounds {first}–{last}" if last > first else f"Round {first}"
            yield Page(title.format(name), partial(_every_round, lines, part))


def _every_round(lines: Callable[[Round], Iterator[str]], rounds: Iterable[Round]) -> Iterator[str]:
    for round_ in rounds:
        yield from lines(round_)


def _average_title(report: AverageReport) -> str:
    wins = "takes the territory" if report.must_take else "wins"
    titles: dict[EndName, str] = {
        "attacker": f"Attacker {wins} with average dice",
        "defender": "Defender wins with average dice",
        "tie": "Both sides fall with average dice",
        "retreat": "Attacker retreats with average dice",
        "out of rounds": "Out of rounds",
        "not taken": "Won, but not taken, with average dice",
    }
    return titles.get(report.end, "Stalemate")


def result_text(report: AverageReport) -> str:
    """Return what is left, as the beginning of a sentence."""
    if report.winner is not None:
        return f"**{pictured_army(report.left(report.winner))}** left"
    left = [f"{ICONS[side]} **{pictured_army(report.left(side))}**" for side in Side if report.left(side)]
    return f"{' against '.join(left)} left" if left else "Nobody left"


def _round_lines(round_: Round) -> Iterator[str]:
    yield f"**Round {round_.number}**"
    for side in Side:
        yield f"{ICONS[side]} {pictured_army(round_.army(side))}"
    for surprise in (True, False):
        fired = (volley for volley in round_.volleys if volley.surprise is surprise)
        hits = [f"{ICONS[volley.side]} {volley.words()}" for volley in fired]
        if hits:
            yield f"{'Surprise hits' if surprise else 'Hits'}: {' · '.join(hits)}"


def _breakdown_lines(round_: Round) -> Iterator[str]:
    yield f"**Round {round_.number}: who hit whom**"
    for volley in round_.volleys:
        how = " by surprise" if volley.surprise else ""
        for hit in volley.hits:
            target = "no legal target" if hit.on is None else hit.on.plural
            yield f"{ICONS[volley.side]} {hit.by.plural}{how} → {target}: {decimal_text(hit.amount)}"
    if not any(volley.hits for volley in round_.volleys):
        yield "No hits."


def wave_document(report: WaveReport, card: Picture, asked: Asked) -> Document:
    """Return the answer's pages."""
    headline = battle_line((each.wave for each in report.waves), report.defender, report.counter)
    chances = Page("Chances", lambda: _foot_lines(report, asked), card)
    pages = [chances, Page("In numbers", lambda: _wave_lines(report)), asked.share_page()]
    return Document(headline, COLOURS[likeliest_side(report)], pages, [EDIT])


def _wave_lines(report: WaveReport) -> Iterator[str]:
    yield "**In numbers**"
    yield _ends_line(report)
    if report.p_holds is not None:
        back = max(0.0, report.p_takes - report.p_holds)
        held = f"{report.share(report.p_holds)} and holds it, {report.share(back)} and loses it again"
        yield f"🏴 The attacker takes the territory {report.share(report.p_takes)} of the time: {held}"
    if len(report.waves) > 1:
        for number, each in enumerate(report.waves, 1):
            yield f"{ICONS[Side.ATTACKER]} Wave {number}: {_wave_text(report, each)}"
    elif left := pictured(left_words(report.waves[0].left)):
        yield f"{ICONS[Side.ATTACKER]} On average {left} left"
    if left := pictured(left_words(report.def_left)):
        yield f"{ICONS[Side.DEFENDER]} On average {left} left"
    losses = (
        (Side.ATTACKER, report.att_ipc, report.att_ipc_lost, report.att_ipc_lost_sd),
        (Side.DEFENDER, int(report.defender.ipc), report.def_ipc_lost, report.def_ipc_lost_sd),
    )
    for side, ipc, lost, spread in losses:
        yield from _loss_lines(side, ipc, lost, spread)
    yield from _swing_lines(report)
    yield "-# Exact odds"


def _wave_text(report: WaveReport, each: WaveOdds) -> str:
    parts = [f"wins {report.share(each.p_wins)} of the time"]
    if each.p_fights < 1:
        parts.append(f"fights {report.share(each.p_fights)} of the time")
    if each.ipc_lost > 0:
        parts.append(f"loses {each.ipc_lost:,.1f} IPC")
    if left := pictured(left_words(each.left)):
        parts.append(f"{left} left on average")
    return " · ".join(parts)
