"""The cards of a battle's odds, of what to buy, when to retreat, how lucky it was, and of choices or fronts in rows."""

from collections.abc import Iterator, Sequence
from itertools import product

from typing_extensions import override

from sim.axis_allies import advice_reports as advice
from sim.axis_allies import silhouettes as s
from sim.axis_allies.army import Army, army_words
from sim.axis_allies.odds_report import Ends, OddsReport
from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards import values as v
from sim.core.cards.card import Card
from sim.core.cards.draw import TitledCard
from sim.core.cards.parts import LEAST, LEFT, LINE, RIGHT, Share, draw_left
from sim.core.cards.theme import BLUE, DARK, HEAD, INK, NEUTRAL, ORANGE, SOFT, TEXT, TILE, TROUGH
from sim.core.numbers import about_rounds, percent, quantity
from sim.core.values import Frozen, Side


def odds_card(report: OddsReport, bombard: Army | None = None) -> Card:
    """Return the card: who wins how often, both armies, and what is left of the winner.

    `bombard`: the attacker's ships that bombard.
    """
    card = Card()
    s.headline(card, headline_parts(report), report.attacker.book)
    others = [name for name in report.ends if name not in s.COLORS and report.ends[name] >= LEAST]
    neither = f"{others[0].capitalize()} {report.percent(others[0])}" if len(others) == 1 else ""
    parts.win_bar(card, _BAR, win_shares(report, neither))
    card.text(LEFT, _CAPTION, s.joined(_rest(report, bombard)), TEXT, SOFT)
    top = s.draw_armies(card, _ARMIES, report.armies) + 38
    prices = [s.price_words(report.odds(side).ipc_start, report.odds(side).ipc_lost) for side in Side]
    parts.at_edges(card, top, *prices, colors=(ORANGE, BLUE))
    card.height = top + 22
    if max(report.p_attacker, report.p_defender) >= LEAST:
        card.height = top + 306
        # Its units left: the attacker's to the left, nobody in the middle, the defender's to the right.
        left, right = ([(bar.low, bar.high, bar.p) for bar in report.odds(side).units_of_winner] for side in Side)
        middle = "0" if report.p_none < LEAST else "–"
        draw_left(card, top + 26, left, report.p_tie + report.p_none, right, (ORANGE, BLUE), middle)
        words = (f"{side}'s units left" if report.ends.get(side.value, 0.0) >= LEAST else "" for side in Side)
        parts.at_edges(card, card.height - 22, *words)
    card.alt = " ".join(_odds_words(report, bombard, prices))
    return card


def win_shares(report: Ends, neither: str = "") -> list[Share]:
    """Return the bar of who wins, without the figure that the headline has; `neither`: label of the middle."""
    told = {"attacker" if report.must_take else report.likeliest}
    figures = {side: report.percent(side.value) for side in Side if side.value in report.ends.keys() - told}
    labels = {side: f"{side.capitalize()} {figures.get(side, '')}".strip() for side in Side}
    return [
        Share(report.p_attacker, ORANGE, labels[Side.ATTACKER]),
        Share(report.p_tie + report.p_none, NEUTRAL, neither),
        Share(report.p_defender, BLUE, labels[Side.DEFENDER]),
    ]


def _odds_words(report: OddsReport, bombard: Army | None, prices: Sequence[str]) -> Iterator[str]:
    yield f"{''.join(report.headline())}."
    chances = report.chances_text()
    rest = (words for words in _rest(report, bombard) if words not in chances)
    yield f"{sentence(', '.join([chances, *rest]))}."
    for side, price in zip(Side, prices, strict=True):
        yield f"{side.capitalize()}: {army_words(report.army(side))}, {price}."


def headline_parts(report: Ends) -> list[tuple[str, str]]:
    """Return the likeliest end as a sentence in parts with their colors."""
    before, figure, after = report.headline()
    return [(before, INK), (figure, {"attacker": ORANGE, "defender": BLUE}.get(report.likeliest, SOFT)), (after, INK)]


def rest_words(report: Ends) -> Iterator[str]:
    """Yield what else can happen, and how long it takes."""
    if report.takes_less:
        yield f"takes land {report.takes_percent}"
    for name, chance in report.ends.items():
        if name not in s.COLORS and chance >= LEAST and len(report.ends) > 1:
            yield f"{name} {report.percent(name)}"
    if rounds := about_rounds(report.exp_rounds):
        yield rounds


def _rest(report: OddsReport, bombard: Army | None) -> Iterator[str]:
    """Yield the same, and who bombards."""
    yield from rest_words(report)
    if bombard:
        ships = int(bombard.size())
        yield f"{quantity(ships, 'ship')} {'bombards' if ships == 1 else 'bombard'}"


_BAR, _CAPTION, _ARMIES = parts.TOP, 200, 226
"""Upper edge of the bar across a card, base line of what is said below it, and upper edge of the rest."""


def need_card(report: advice.PurchaseReport) -> Card:
    """Draw the cheapest purchase, the chance that it reaches, and what is nearly as cheap."""
    card = Card(alt=" ".join(_need_words(report)))
    if report.already:
        parts.headline(card, [("No reinforcement needed", INK)])
        _reached(card, report)
        card.height = s.draw_armies(card, _ARMIES, report.armies) + 6
    else:
        _to_buy(card, report)
    return card


def _to_buy(card: Card, report: advice.PurchaseReport) -> None:
    bought, color = _bought(report.best.units), s.COLORS[report.side]
    price = f"{report.best.ipc:,} IPC"
    words = f"Buy {army_words(report.best.units)} for {price}"
    fits = letters.width(words, HEAD) <= RIGHT - LEFT
    parts.headline(card, [(words if fits else f"Buy these for {price}", INK)])
    _reached(card, report)
    parts.units(card, _ARMIES, bought, color, room=RIGHT - LEFT)
    # Whom they join and whom they fight stands beside them, if both fit there, or else below.
    armies = {word: side for word, side in (("with", report.side), ("against", report.side.other)) if report.army(side)}
    room, foot = _COLUMN - 20 - _WORD, _ARMIES + bought[0].height + 90
    short = all(len(s.Lines.of(report.army(side), room, 1).units) == 1 for side in armies.values())
    beside = short and parts.units_width(bought) <= _COLUMN
    x, y = (RIGHT - _COLUMN + 20, _ARMIES + 34) if beside else (LEFT, foot)
    for word, side in armies.items():
        lines = s.Lines.of(report.army(side), room if beside else RIGHT - LEFT - _WORD, 1)
        card.text(x, y, word, TEXT, SOFT)
        y = lines.draw(card, x + _WORD, y, s.COLORS[side])
    base = max(foot, y + 10) if beside else y + 16
    card.height = base - 10
    if not report.others:
        return
    card.text(LEFT, base, as_cheap(report), TEXT, SOFT)
    top, (tiles, width) = base + 16, parts.columns(SHOWN, 16)
    units = [s.Lines.of(purchase.units, width - 2 * _PAD, 1) for purchase in report.others[:SHOWN]]
    tile_height = 76 + max(lines.height for lines in units)
    card.height = top + tile_height + 30
    for left, purchase, lines in zip(tiles, report.others, units, strict=False):
        card.box((left, top, left + width, top + tile_height), TILE, radius=10)
        card.text(left + _PAD, top + 44, f"{purchase.ipc:,} IPC", TEXT, INK, bold=True)
        card.text(left + width - _PAD, top + 44, percent(purchase.chance), TEXT, color, bold=True, align="right")
        lines.draw(card, left + _PAD, top + 96, color)


def as_cheap(report: advice.PurchaseReport) -> str:
    """Return what the others that are shown have in common."""
    same = {purchase.ipc == report.best.ipc for purchase in report.others[:SHOWN]}
    return "As cheap, or nearly" if len(same) > 1 else "Just as cheap" if True in same else "Nearly as cheap"


def _reached(card: Card, report: advice.PurchaseReport) -> None:
    """Draw the chance as a bar from its side's edge, marked at what was wanted, and the chance without the purchase."""
    chance, color = report.best.chance, s.COLORS[report.side]
    shares = [Share(chance, color, f"{report.side.capitalize()} {percent(chance)}"), Share(1 - chance, TROUGH)]
    wanted = report.wanted
    if report.side is Side.DEFENDER:
        shares, wanted = shares[::-1], 1 - wanted
    parts.win_bar(card, _BAR, shares)
    at = round(LEFT + wanted * (RIGHT - LEFT))
    parts.mark(card, at, _BAR, _BAR + parts.WIN_BAR)
    caption = f"wanted {100 * report.wanted:g}%"
    half = letters.width(caption, TEXT, bold=True) // 2
    card.text(min(max(at, LEFT + half), RIGHT - half), _CAPTION, caption, TEXT, INK, bold=True, align="center")
    room, align = (RIGHT, "right") if at < (LEFT + RIGHT) // 2 else (LEFT, "left")
    card.text(room, _CAPTION, _without(report), TEXT, SOFT, align=align)


def _without(report: advice.PurchaseReport) -> str:
    """Return the chance without the purchase, if there is any."""
    return "" if report.already or report.chance_before <= 0 else f"without them {percent(report.chance_before)}"


SHOWN = 2
"""Purchases beside the best one that have room."""

_COLUMN, _WORD, _PAD = 352, 144, 14


def _bought(army: Army) -> list[parts.Count]:
    """Return the units to buy: as large as they fit half the card, or else the whole."""
    for room, size in product((_COLUMN, RIGHT - LEFT), (64, 54, 42, 34, 26)):
        row = s.counts(army, size)
        if parts.units_width(row) <= room:
            break
    return row


def _need_words(report: advice.PurchaseReport) -> Iterator[str]:
    if report.already:
        yield "No reinforcement needed."
    else:
        yield f"Buy {army_words(report.best.units)} for {report.best.ipc:,} IPC."
    yield f"The {report.side} wins {percent(report.best.chance)} of the time, wanted: {100 * report.wanted:g}%."
    if without := _without(report):
        yield f"{sentence(without)}."
    yield from _sides(report)
    for purchase in report.others:
        yield f"Or {army_words(purchase.units)} for {purchase.ipc:,} IPC: {percent(purchase.chance)}."


def _sides(report: advice.BattleAdvice) -> Iterator[str]:
    for side in Side:
        yield f"{side.capitalize()}: {report.army_words(side)}."


_LEAST_ON = 0.01
"""The least chance that the battle is still on in a round that is shown."""

_LINE, _LINES_TOP = 50, 284
_VALUES = (316, 640)
"""Left and right edge of the bars of net IPC, their figures included."""

_FIGURE = 110
_ADVICE_COLORS = {advice.Advice.GO_ON: ORANGE, advice.Advice.RETREAT: BLUE}


def retreat_card(report: advice.RetreatReport) -> Card:
    """Draw whether to attack, the chances of doing so, and what going on is worth after each round."""
    rounds = [each for each in report.rounds[:8] if each.p_on >= _LEAST_ON]
    attacks = report.advice is advice.Advice.GO_ON
    plan = report.best if attacks else report.fight_on
    card = Card(_LINES_TOP + len(rounds) * _LINE + 6, " ".join(_retreat_words(report, plan, rounds)))
    color = _ADVICE_COLORS[report.advice]
    worth = f": {advice.swing_text(rounds[0].swing_go_on)} IPC on average"
    parts.headline(card, [("Attack" if attacks else "Don't attack", color), (worth, INK)])
    shares = [
        Share(plan.p_attacker, ORANGE, f"Attacker {percent(plan.p_attacker)}"),
        Share(plan.p_retreat, NEUTRAL, f"Retreat {percent(plan.p_retreat)}"),
        Share(plan.p_tie + plan.p_none, NEUTRAL),
        Share(plan.p_defender, BLUE, f"Defender {percent(plan.p_defender)}"),
    ]
    parts.win_bar(card, _BAR, shares)
    card.text(LEFT, _CAPTION, _to_the_end(report), TEXT, SOFT)
    top = _LINES_TOP - 20
    card.text(LEFT, top, "after", TEXT, SOFT)
    card.text(_VALUES[0], top, "net IPC", TEXT, SOFT)
    card.text(RIGHT, top, "still on", TEXT, SOFT, align="right")
    for number, round_ in enumerate(rounds):
        _advice_line(card, _LINES_TOP + number * _LINE, round_, [each.swing_go_on for each in rounds])
    return card


def _to_the_end(report: advice.RetreatReport) -> str:
    plan = report.fight_on
    if report.advice is advice.Advice.RETREAT:
        return f"if you attack and never retreat: {advice.swing_text(plan.swing)} IPC"
    if report.best.p_retreat < LEAST:
        return "fighting to the end is best"
    return f"never retreating: {advice.swing_text(plan.swing)} IPC, wins {percent(plan.p_attacker)}"


def _advice_line(card: Card, top: int, round_: advice.RoundAdvice, values: Sequence[float]) -> None:
    """Draw the advice after a round, and what going on is worth as a bar from 0, to the left if that loses."""
    base, color = top + 32, _ADVICE_COLORS[round_.advice]
    card.text(LEFT, base, f"round {round_.number}" if round_.number else "", TEXT, SOFT)
    first = "attack" if round_.advice is advice.Advice.GO_ON else "stay out"
    card.text(LEFT + 148, base, round_.advice.value if round_.number else first, TEXT, color, bold=True)
    low, high = min(0.0, *values), max(0.0, *values)
    left = _VALUES[0] + (_FIGURE if low < 0 else 0)
    right = _VALUES[1] - (_FIGURE if high > 0 else 0)
    scale = (right - left) / (high - low) if high > low else 0.0
    zero = round(left - low * scale)
    end = round(zero + round_.swing_go_on * scale)
    card.box((min(zero, end), top + 6, max(zero, end), top + 38), color, radius=4)
    card.box((zero - 1, top - 4, zero + 1, top + _LINE - 4), NEUTRAL, radius=0)
    beside, align = (-8, "right") if round_.swing_go_on < 0 else (8, "left")
    card.text(end + beside, base, advice.swing_text(round_.swing_go_on), TEXT, INK, align=align)
    card.text(RIGHT, base, _still_on(round_), TEXT, SOFT, align="right")


def _still_on(round_: advice.RoundAdvice) -> str:
    return percent(round_.p_on, certain=round_.p_on >= 1)


def _retreat_words(
    report: advice.RetreatReport, plan: advice.PlanOdds, rounds: Sequence[advice.RoundAdvice]
) -> Iterator[str]:
    yield f"{report.words()}: {advice.swing_text(rounds[0].swing_go_on)} IPC on average."
    ends = {"attacker wins": plan.p_attacker, "retreat": plan.p_retreat, "defender wins": plan.p_defender}
    yield f"{', '.join(f'{end} {percent(chance)}' for end, chance in ends.items() if chance > 0)}.".capitalize()
    yield f"{sentence(_to_the_end(report))}."
    for round_ in rounds[1:]:
        yield (
            f"After round {round_.number} ({_still_on(round_)} still on) {round_.advice}: "
            f"going on is worth {advice.swing_text(round_.swing_go_on)} IPC."
        )
    yield from _sides(report)


def sentence(words: str) -> str:
    """Return words with a capital."""
    return f"{words[:1].upper()}{words[1:]}"


def luck_card(report: advice.LuckReport) -> Card:
    """Draw where the result lies among all results, from the attacker's worst to its best, and what was lost."""
    left = {side: report.left(side) for side in Side}
    card = Card(alt=" ".join(_luck_words(report)))
    before, found, after = report.headline().partition("attacker")
    parts.headline(card, [(before, INK), (found, ORANGE), (after, INK)])
    top = draw_luck_scale(card, parts.TOP, report) + 8
    base = s.draw_armies(card, top, report.armies, left) + 38
    lost = (s.lost_words(report.army(side), left[side]) for side in Side)
    parts.at_edges(card, base, *lost, colors=(ORANGE, BLUE))
    card.text(LEFT, base + 46, _net_words(report), TEXT, SOFT)
    card.height = base + 72
    return card


def draw_luck_scale(card: Card, top: int, report: advice.LuckReport) -> int:
    """Draw how lucky the attacker was from cold dice to hot ones, in words above it; return the first pixel below."""
    card.text(LEFT, top + 34, report.words(), TEXT, INK)
    scale = (LEFT, top + 58, RIGHT, top + 86)
    card.segments(scale, [(1 / len(s.TEMPERATURES), color) for color in s.TEMPERATURES])
    parts.mark(card, round(LEFT + report.attacker_luck / 100 * (RIGHT - LEFT)), scale[1], scale[3])
    parts.at_edges(card, top + 128, "cold dice", "hot dice", colors=(BLUE, ORANGE))
    return top + 152


def _net_words(report: advice.LuckReport) -> str:
    average = f"{advice.swing_text(report.expected_swing)} ± {report.swing_sd:,.1f}"
    return f"net {advice.swing_text(report.swing)} IPC, on average {average}"


def _luck_words(report: advice.LuckReport) -> Iterator[str]:
    yield f"{report.headline().removesuffix('!')}. {report.words()}."
    for side in Side:
        left = army_words(report.left(side)) or "nobody"
        lost = s.lost_words(report.army(side), report.left(side))
        yield f"{side.capitalize()}: {report.army_words(side)}, left: {left}, {lost}."
    yield f"{sentence(_net_words(report))}."


_DISC, _EDGE, _THIN, _RIM, _GAP = 76, 16, 16, 5, 14
_BESIDE = LEFT + _DISC + 2 * _EDGE
_ROOM = RIGHT - _BESIDE - 210


class Choice(Frozen):
    """A row: `words` stand where there are no units; `share`: of the bar; `good`: in orange; `chosen`: with a rim."""

    sign: str
    words: v.Line
    units: Army
    figure: v.Line
    share: v.Share
    good: bool
    chosen: bool = False


class ChoicesCard(TitledCard):
    """Draws what each choice is worth, the best first, or what is done at each front; `words`: the same, to read."""

    words: str
    choices: tuple[Choice, ...]

    @override
    def alt(self) -> str:
        return self.words

    @override
    def draw(self) -> Card:
        card, top = self.begun()
        for each in self.choices:
            top = _draw_row(card, top, each)
        card.height = top + 12
        return card


def _draw_row(card: Card, top: int, choice: Choice) -> int:
    """Draw a choice, and return where the next one begins."""
    lines = s.Lines.of(choice.units, _ROOM, 2)
    foot = top + max(_DISC, max(LINE, lines.height) + 12 + _THIN) + 2 * _EDGE
    if choice.chosen:
        card.box((LEFT - _RIM, top - _RIM, RIGHT + _RIM, foot + _RIM), INK, radius=12 + _RIM)
    card.box((LEFT, top, RIGHT, foot), TILE, radius=12)
    x, y = LEFT + _EDGE, (top + foot - _DISC) // 2
    disc, ink, color = (ORANGE, DARK, ORANGE) if choice.good else (TROUGH, INK, SOFT)
    card.box((x, y, x + _DISC, y + _DISC), disc, _DISC // 2)
    card.text(x + _DISC // 2, y + _DISC // 2 + 15, choice.sign, HEAD, ink, align="center")
    base = top + _EDGE + 36
    lines.draw(card, _BESIDE, base, INK)
    if not choice.units:
        card.name(_BESIDE, base, choice.words, _ROOM, TEXT, INK)
    card.text(RIGHT - _EDGE, base + 4, choice.figure, HEAD, color, align="right")
    bar = (_BESIDE, foot - _EDGE - _THIN, RIGHT - _EDGE, foot - _EDGE)
    card.segments(bar, [(choice.share, color), (1 - choice.share, TROUGH)])
    return foot + _GAP
