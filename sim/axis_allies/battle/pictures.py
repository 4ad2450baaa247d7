"""The pictures of a live battle: the dice of a round, and how the battle went. Only workers import this."""

from collections.abc import Iterable, Sequence

from sim.axis_allies.advice_reports import LuckReport
from sim.axis_allies.army import Army
from sim.axis_allies.battle.values import Event, Fired, RoundBegan, State, Throw
from sim.axis_allies.unit_rows import COLORS, NOTE, ROOM, Rows
from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.odds import COURSE, draw_course
from sim.core.cards.parts import LEFT, RIGHT, Share
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SOFT, TROUGH
from sim.core.cards.values import Chances
from sim.core.numbers import amount, rounded_percent
from sim.core.values import Ending, Side

_FEW_DICE, _SMALL_DIE = 24, 34
_MANY_DICE = 80
"""Dice of a side that are shown one by one; of more, the hits."""

_HITS_BAR = 30


def round_card(
    state: State, began: RoundBegan, events: Iterable[Event], before: Chances | None, now: Chances | None
) -> bytes:
    """Return a PNG of a round: its dice, and the armies and the chances before and after."""
    throws: dict[Side, list[tuple[Throw, bool]]] = {side: [] for side in Side}
    for event in events:
        if isinstance(event, Fired):
            throws[event.side] += [(throw, event.surprise) for throw in event.throws]
    most = max(sum(len(throw.faces) for throw, _ in thrown) for thrown in throws.values())
    die = parts.DIE if most <= _FEW_DICE else _SMALL_DIE if most <= _MANY_DICE else 0
    rows = Rows.of_losses({Side.ATTACKER: began.attacker, Side.DEFENDER: began.defender}, _armies(state))
    top = 84 if now is None else 108
    dice_height = max(sum(_throw_height(throw, die) for throw, _ in thrown) for thrown in throws.values())
    card = Card(top + dice_height + 32 + rows.height)
    parts.headline(card, [(f"Round {began.number}", INK)])
    if now is not None:
        _moving_chance(card, before, now)
    for side, left in zip(Side, parts.columns(2)[0], strict=True):
        y = top
        for throw, surprise in throws[side]:
            text = letters.fit(_throw_text(throw, surprise=surprise), NOTE, ROOM)
            card.text(left, y + 18, text, NOTE, COLORS[side])
            _dice(card, left, y + 28, throw, COLORS[side], die)
            y += _throw_height(throw, die)
    rows.draw(card, top + dice_height + 14)
    return card.png()


def _armies(state: State) -> dict[Side, Army]:
    return {side: state.army(side) for side in Side}


def _throw_height(throw: Throw, die: int) -> int:
    if not die:
        return 42 + _HITS_BAR
    step = die + max(3, die // 9)
    return 42 + -(-len(throw.faces) // (ROOM // step)) * step


def _dice(card: Card, left: int, top: int, throw: Throw, color: str, die: int) -> None:
    """Draw the dice of one kind of unit, each one or, for dice of no size, the share that hit."""
    if die:
        faces = [(face, face <= throw.score) for face in throw.faces]
        parts.dice(card, left, top, faces, color, room=ROOM, side=die)
        return
    hits = f"{throw.hits} {'hit' if throw.hits == 1 else 'hits'}"
    end = left + ROOM - letters.width(hits, NOTE) - 14
    share = throw.hits / len(throw.faces)
    card.segments((left, top, end, top + _HITS_BAR), [(share, color), (1 - share, TROUGH)])
    card.text(left + ROOM, top + 23, hits, NOTE, INK, align="right")


def _moving_chance(card: Card, before: Chances | None, now: Chances) -> None:
    """Draw the chances as a bar, and in words from what to what the attacker's moved."""
    figure = rounded_percent(now[0], exact=False)
    words = "attacker wins "
    if before is not None:
        words = f"attacker wins {rounded_percent(before[0], exact=False)} → "
    edge = RIGHT - card.text(RIGHT, 58, figure, NOTE, INK, bold=True, align="right")
    card.text(edge, 58, words, NOTE, SOFT, align="right")
    shares = [Share(now[0], ORANGE), Share(max(0.0, 1 - sum(now)), NEUTRAL), Share(now[1], BLUE)]
    parts.win_bar(card, 76, shares, height=14)


def _throw_text(throw: Throw, *, surprise: bool) -> str:
    several = len(throw.faces) > 1
    if surprise:
        return f"{throw.units} {'strike' if several else 'strikes'} first: {'1–' * (throw.score > 1)}{throw.score}"
    return f"{throw.units} {'hit' if several else 'hits'} on {throw.score}{' or less' * (throw.score > 1)}"


def result_card(state: State, course: Sequence[Chances], luck: LuckReport | None) -> bytes:
    """Return a PNG to share: who won, what is left, how lucky it was, and how the chances moved by round."""
    rows = Rows.of_losses({side: state.setup.army(side) for side in Side}, _armies(state))
    card = Card(132 + rows.height + (74 if luck is not None else 0) + (COURSE if course else 0))
    winner = state.winner
    title = [(winner.capitalize(), COLORS[winner]), (" wins", INK)] if winner is not None else [(_drawn(state), INK)]
    parts.headline(
        card, title, f"after {state.round} {'round' if state.round == 1 else 'rounds'}" if state.round else ""
    )
    rows.draw(card, 84)
    top = 108 + rows.height
    for side, at, align in ((Side.ATTACKER, LEFT, "left"), (Side.DEFENDER, RIGHT, "right")):
        lost = state.setup.army(side).ipc - state.army(side).ipc
        card.text(at, top, f"lost {amount(lost, 1)} IPC" if lost else "no losses", NOTE, SOFT, align=align)
    top += 30
    if luck is not None:
        _luck_scale(card, top, luck)
        top += 74
    if course:
        draw_course(card, top, course, (ORANGE, BLUE))
    return card.png()


def _drawn(state: State) -> str:
    """Return how a battle ended that nobody won."""
    return {Ending.MUTUAL: "Both sides fall", Ending.RETREAT: "The attacker retreats"}.get(
        state.ending or Ending.STALEMATE, "Stalemate"
    )


def _luck_scale(card: Card, top: int, luck: LuckReport) -> None:
    """Draw whose luck it was on a scale: all the luck of the defender on the left, of the attacker on the right."""
    share = luck.attacker_luck / 100
    lucky = Side.ATTACKER if luck.attacker_luck >= luck.defender_luck else Side.DEFENDER
    card.text(LEFT, top + 22, luck.words(), NOTE, SOFT)
    card.box((LEFT, top + 38, RIGHT, top + 50), TROUGH, radius=6)
    middle = (LEFT + RIGHT) // 2
    at = round(LEFT + share * (RIGHT - LEFT))
    card.box((min(at, middle), top + 38, max(at, middle), top + 50), COLORS[lucky], radius=6)
    parts.mark(card, at, top + 38, top + 50)
