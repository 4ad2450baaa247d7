"""The card of a party's fight: the boss's health, the members' in the order of play, and how it will end."""

from collections.abc import Sequence
from fractions import Fraction

from typing_extensions import override

from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.battle.values import BOSS, Exchanged, Member, Run, State, default_name
from sim.boss_fight.exact import points
from sim.boss_fight.game import ICON
from sim.boss_fight.result_card import DamageRow, ResultCard, result_card
from sim.core.battle import REFEREE
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.draw import draw_fight
from sim.core.cards.parts import HEALTH_ROW, LEFT, RIGHT
from sim.core.cards.requests import CardRequest
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SMALL, SOFT, TEXT, TROUGH
from sim.core.cards.values import FightCard, FightSide, HealthRow
from sim.core.dice import ScriptedDice
from sim.core.numbers import quantity

_TOP = 84
_ICON = 56
_MORE = 34


def draw_result(result: ResultCard) -> Card:
    """Return the card of a finished fight."""
    color = NEUTRAL if result.won is None else BLUE if result.won else ORANGE
    foot = _TOP + len(result.rows) * HEALTH_ROW + (_MORE if result.more else 0) + 12
    card = Card(foot + _ICON + 16, result.alt())
    parts.headline(card, [(result.title, color)], result.aside)
    for at, row in enumerate(result.rows):
        _draw_damage(card, _TOP + at * HEALTH_ROW, row)
    if result.more:
        card.text(LEFT, foot - 14, f"and {result.more} more", SMALL, SOFT)
    card.silhouette(LEFT, foot, ICON, _ICON, NEUTRAL if result.won else ORANGE)
    beside = LEFT + _ICON + 16
    card.name(beside, foot + 38, result.note, RIGHT - beside, TEXT, SOFT, bold=False)
    return card


def _draw_damage(card: Card, top: int, row: DamageRow) -> None:
    """Draw a name, its damage and the bar below, as long as its share."""
    ink = NEUTRAL if row.fallen else INK
    taken = card.text(RIGHT, top + 24, f"{row.figures} · down" if row.fallen else row.figures, TEXT, ink, align="right")
    card.name(LEFT, top + 24, row.name, RIGHT - LEFT - taken - 14, TEXT, ink, instead=row.instead)
    card.segments((LEFT, top + 32, RIGHT, top + 54), [(row.share, BLUE), (1 - row.share, TROUGH)])


class BattleCardRequest(CardRequest):
    """Draws the card of a fight from its stored state, as JSON."""

    max_seconds = 0.5

    state_json: str

    @override
    def draw(self) -> Card:
        state: State = BossFight().states.read_json(self.state_json)
        result = result_card(state)
        return draw_fight(battle_card(state)) if result is None else draw_result(result)


def panel_card(_state: State, state_json: str, _events_json: Sequence[str]) -> BattleCardRequest:
    """Return the card of a fight, see `sim.jobs.battle`."""
    return BattleCardRequest(state_json=state_json)


def battle_card(state: State) -> FightCard:
    """Return the card of a fight."""
    setup, last, turn = state.setup, state.last, state.turn
    boss = health_row(
        f"{setup.boss.name} × {setup.times}" if setup.times > 1 else setup.boss.name,
        state.boss_left,
        setup.health,
        Fraction(0) if last is None else last.to_boss.total,
        "defeated" if last is None else f"defeated by {last.name}",
    )
    rows = tuple(_member_row(member, last, marked=member is turn) for member in state.members)
    return FightCard(
        title=f"Round {state.next_round}" if state.round else "Before the fight",
        aside=_aside(state),
        foe=boss,
        left=FightSide(name="Party", rows=rows),
    )


def _member_row(member: Member, last: Exchanged | None, *, marked: bool) -> HealthRow:
    lost = last.to_player.total if last is not None and last.seat == member.seat else Fraction(0)
    row = health_row(member.name, member.left, member.health, lost, "down")
    return row.model_copy(
        update={"marked": marked, "instead": default_name(member.seat)}
        | ({"gone": True, "figures": "away"} if member.away and not row.gone else {})
    )


def health_row(name: str, left: Fraction, most: int, lost: Fraction = Fraction(0), out: str = "") -> HealthRow:
    """Return the row of an exact health; `out`: what became of somebody who has none left."""
    share, before = (_share(health, most) for health in (left, left + lost))
    figures = f"{points(left)} / {points(most)}" if left > 0 else out
    return HealthRow(name=name, left=share, lost=max(0.0, before - share), figures=figures, gone=left <= 0)


def _share(health: Fraction, most: int) -> float:
    """Return a share from 0 to 1; what is far below 0 is no float."""
    return 0.0 if health <= 0 or not most else float(min(health, Fraction(most)) / most)


def _aside(state: State) -> str:
    """Return how the fight will end: no die is rolled, so it is known if nobody joins or leaves."""
    if state.turn is None:
        return ""
    end = BossFight().step(state, Run(), REFEREE, ScriptedDice(())).state
    if end.winner is None:
        return ""
    left = quantity(end.exchanges - state.exchanges, "exchange")
    return f"the {'boss' if end.winner == BOSS else 'party'} wins in {left}"
