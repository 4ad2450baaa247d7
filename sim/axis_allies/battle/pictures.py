"""The pictures of a live battle: the dice of a round, and how the battle went. Only workers import this."""

from collections.abc import Iterable, Sequence

from sim.axis_allies.army import Army
from sim.axis_allies.battle.values import Event, Fired, RoundBegan, State, Throw
from sim.axis_allies.odds_card import COLORS, NOTE, UNITS_ROOM
from sim.axis_allies.reports import LuckReport
from sim.axis_allies.silhouettes import SILHOUETTES
from sim.core.cards import parts
from sim.core.cards import text as letters
from sim.core.cards.card import Card
from sim.core.cards.odds import COURSE, draw_course
from sim.core.cards.parts import LEFT, RIGHT, Count, Share
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SOFT, TROUGH
from sim.core.cards.values import Chances
from sim.core.numbers import amount, rounded_percent
from sim.core.values import Ending, Side

_UNIT = 42
_FEW_DICE, _SMALL_DIE = 24, 34


def round_card(
    state: State, began: RoundBegan, events: Iterable[Event], before: Chances | None, now: Chances | None
) -> bytes:
    """Return a PNG of a round: its dice, and the armies and the chances before and after."""
    throws: dict[Side, list[tuple[Throw, bool]]] = {side: [] for side in Side}
    for event in events:
        if isinstance(event, Fired):
            throws[event.side] += [(throw, event.surprise) for throw in event.throws]
    most = max(sum(len(throw.faces) for throw, _ in thrown) for thrown in throws.values())
    die = parts.DIE if most <= _FEW_DICE else _SMALL_DIE
    top = 84 if now is None else 108
    dice_height = max(sum(_throw_height(throw, die) for throw, _ in thrown) for thrown in throws.values())
    card = Card(top + dice_height + 118)
    parts.headline(card, [(f"Round {began.number}", INK)])
    if now is not None:
        _moving_chance(card, before, now)
    for side, left in zip(Side, parts.columns(2)[0], strict=True):
        y = top
        for throw, surprise in throws[side]:
            text = letters.fit(_throw_text(throw, surprise=surprise), NOTE, UNITS_ROOM)
            card.text(left, y + 18, text, NOTE, COLORS[side])
            faces = [(face, face <= throw.score) for face in throw.faces]
            parts.dice(card, left, y + 28, faces, COLORS[side], room=UNITS_ROOM, side=die)
            y += _throw_height(throw, die)
        counts = _changed(began.attacker if side is Side.ATTACKER else began.defender, state.army(side))
        parts.units(card, card.height - 104, counts, COLORS[side], right=side is Side.DEFENDER, room=UNITS_ROOM)
    return card.png()


def _throw_height(throw: Throw, die: int) -> int:
    step = die + max(3, die // 9)
    return 42 + -(-len(throw.faces) // (UNITS_ROOM // step)) * step


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
    hit = f"hit on {throw.score} or less" if throw.score > 1 else "hit on 1"
    verb = hit if len(throw.faces) > 1 else hit.replace("hit", "hits", 1)
    return f"{throw.units} {'strike first, ' if surprise else ''}{verb}"


def _changed(before: Army, after: Army) -> list[Count]:
    counts = []
    for group in before.groups:
        left = after.count(group.unit)
        figures = amount(left) if left == group.count else f"{amount(group.count)} → {amount(left)}"
        counts.append(Count(SILHOUETTES[group.unit.value], _UNIT, figures, gone=not left))
    return counts


def result_card(state: State, course: Sequence[Chances], luck: LuckReport | None) -> bytes:
    """Return a PNG to share: who won, what is left, how lucky it was, and how the chances moved by round."""
    card = Card(218 + (74 if luck is not None else 0) + (COURSE if course else 0))
    winner = state.winner
    title = [(winner.capitalize(), COLORS[winner]), (" wins", INK)] if winner is not None else [(_drawn(state), INK)]
    parts.headline(
        card, title, f"after {state.round} {'round' if state.round == 1 else 'rounds'}" if state.round else ""
    )
    top = 84
    for side in Side:
        counts = _changed(state.setup.army(side), state.army(side))
        parts.units(card, top, counts, COLORS[side], right=side is Side.DEFENDER, room=UNITS_ROOM)
    for side, at, align in ((Side.ATTACKER, LEFT, "left"), (Side.DEFENDER, RIGHT, "right")):
        lost = state.setup.army(side).ipc - state.army(side).ipc
        card.text(at, top + 110, f"lost {amount(lost, 1)} IPC" if lost else "no losses", NOTE, SOFT, align=align)
    top += 140
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
    card.box((at - 5, top + 32, at + 5, top + 56), INK, radius=5)
