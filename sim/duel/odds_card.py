"""The card of a duel's odds."""

from collections.abc import Iterator, Sequence

from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.odds import LEAST, draw_left
from sim.core.cards.parts import LEFT, RIGHT, Share
from sim.core.cards.text import fit
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SOFT
from sim.core.numbers import rounded_percent
from sim.duel.reports import DuelOdds, SideOdds

_HEIGHT, _SMALL_HEIGHT = 470, 186
_NOTE = 22
_NAME_ROOM = 300
_NUMBERS = "First", "Second"


def odds_card(report: DuelOdds, names: Sequence[str]) -> Card:
    """Return the card: who wins how often, and the hit points of the winner, or its survivors if it is a group."""
    chances = report.p_win_first, report.p_win_second
    nobody = max(0.0, 1 - sum(chances))
    # A side may outlive a fight that nobody wins: then what is left doesn't add up to the chances.
    decided = nobody < LEAST
    card = Card(_HEIGHT if decided else _SMALL_HEIGHT)
    labels = [rounded_percent(chance, exact=report.method == "exact") for chance in (*chances, nobody)]
    at = max(range(3), key=lambda index: (*chances, nobody)[index])
    shown = [fit(name, 34, _NAME_ROOM, bold=True, instead=at) for name, at in zip(names, _NUMBERS, strict=True)]
    subject = (*shown, "Nobody")[at]
    parts.headline(card, [(f"{subject} wins ", INK), (labels[at], (BLUE, ORANGE, SOFT)[at]), (" of the time", INK)])
    shares = [
        Share(chances[0], BLUE, f"{shown[0]} {labels[0]}"),
        Share(nobody, NEUTRAL),
        Share(chances[1], ORANGE, f"{shown[1]} {labels[1]}"),
    ]
    parts.win_bar(card, 84, shares)
    card.text(LEFT, 160, " · ".join(_rest(report)), _NOTE, SOFT)
    if decided:
        draw_left(card, 186, _left(report.first), nobody, _left(report.second), (BLUE, ORANGE))
        for name, side, align in ((shown[0], report.first, "left"), (shown[1], report.second, "right")):
            what = fit(f"{name}: {'hit points' if side.hp_left else 'fighters'} left", _NOTE, 360)
            card.text(LEFT if align == "left" else RIGHT, _HEIGHT - 22, what, _NOTE, SOFT, align=align)
    return card


def _rest(report: DuelOdds) -> Iterator[str]:
    if report.p_never >= LEAST:
        yield f"stalemate {100 * report.p_never:.1f}%"
    if report.p_given_up >= LEAST:
        yield f"too long {100 * report.p_given_up:.1f}%"
    rounds = max(1, round(report.mean_rounds))
    yield f"about {rounds} {'round' if rounds == 1 else 'rounds'}"


def _left(side: SideOdds) -> list[tuple[int, int, float]]:
    return [(left, left, chance) for left, chance in enumerate(side.hp_left or side.survivors) if left]
