"""The cards of boss fights: the request for a fight's card, and those of answers about decks."""

from collections.abc import Sequence
from fractions import Fraction

from typing_extensions import override

from sim.boss_fight.battle import State
from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.best_choices import BestOrderReport, BestOrderRequest, BestTokensReport
from sim.boss_fight.exchange import End, ExchangeReport
from sim.boss_fight.fight_cards import boss_title, draw_battle, draw_exchange, draw_result, health_row
from sim.boss_fight.requests import BossRow, DeckSheet, EveryBossReport
from sim.boss_fight.values import FIGURES, Token, points
from sim.core.cards import values as v
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest, FightCard, SheetCard
from sim.core.numbers import quantity

_MAX_NAMED = 3
"""Fighters or tokens whose damage fits a line."""


class BattleCardRequest(CardRequest):
    """Draws the card of a fight from its stored state, as JSON."""

    max_seconds = 0.5

    state_json: str

    @override
    def draw(self) -> Card:
        state: State = BossFight().states.read_json(self.state_json)
        return draw_battle(state) if state.ending is None else draw_result(state)


def panel_card(_state: State, state_json: str, _events_json: Sequence[str]) -> BattleCardRequest:
    """Return the card of a fight, see `sim.jobs.replay_page`."""
    return BattleCardRequest(state_json=state_json)


def deck_card(sheet: DeckSheet) -> SheetCard:
    """Return the card of a deck: its totals, and what each token brings before any modifier."""
    tokens = sheet.deck.tokens
    shown = tokens[: v.MAX_SHEET_ROWS]
    wide = len(shown) <= v.MAX_WIDE_ROWS
    most = max(map(_damage, tokens))
    rows = []
    for token in shown:
        name = f"{token.name}, {token.element}" if wide and token.element is not None else token.name
        damage, health = _damage(token), f" · {points(token.total('health'))} health" if wide else ""
        figures = f"{points(damage)} damage{health}"
        rows.append(v.HealthRow(name=name, left=damage / most if most else 0.0, figures=figures, instead="Token"))
    return SheetCard(
        title=f"{quantity(len(tokens), 'token')}, {quantity(sheet.deck.size, 'trait')}",
        aside="bars show damage",
        facts=tuple(
            v.Fact(label=figure.replace("_", " ").capitalize(), figure=points(sheet.deck.total(figure)))
            for figure in FIGURES
        ),
        rows=tuple(rows),
        more=len(tokens) - len(shown),
        note=_elements_note(sheet),
    )


def _damage(token: Token) -> int:
    return token.total("physical_damage") + token.total("magical_damage")


def _elements_note(sheet: DeckSheet) -> str:
    """Return the elements against which the deck deals most and least, if that differs."""
    dealt = {row.element: row.to_boss.total for row in sheet.elements if row.element is not None}
    best, worst = max(dealt.values()), min(dealt.values())
    if best == worst:
        return ""
    most, least = (
        f"{' and '.join(element for element, total in dealt.items() if total == damage)} ({points(damage)})"
        for damage in (best, worst)
    )
    return f"Deals most to {most}, least to {least}"


class ExchangeCard(FightCard):
    """Draws one exchange: the boss's portrait, and what it costs both."""

    exchange: ExchangeReport

    @override
    def draw(self) -> Card:
        (you,), told = self.left.rows, (self.aside.capitalize(), self.title)
        return draw_exchange(self.exchange, self.foe or you, you, told, self.alt())


def what_if_card(report: ExchangeReport) -> FightCard:
    """Return the card of one exchange: what it costs both sides, and how the fight would end."""
    return _exchange_card(report, report.outlook.sentence, "one exchange")


def best_tokens_card(report: BestTokensReport, of: int) -> FightCard:
    """Return the card of the exchange of the best of `of` tokens."""
    exchange = report.exchange
    title = f"The best {len(report.chosen)} of {quantity(of, 'token')}"
    return _exchange_card(exchange, title, f"score {points(exchange.score)}" if exchange.score else "no score")


def _exchange_card(exchange: ExchangeReport, title: str, aside: str) -> FightCard:
    boss = exchange.boss
    you = health_row("You", exchange.player_left, exchange.player_health, exchange.to_player.total, "down")
    dealt = [(token.name, row.to_boss.total) for token, row in zip(exchange.deck.tokens, exchange.tokens, strict=True)]
    return ExchangeCard(
        exchange=exchange,
        title=title,
        aside=aside,
        foe=health_row(boss.name, exchange.boss_left, boss.health, exchange.to_boss.total, "defeated"),
        left=v.FightSide(name="You", rows=(you,)),
        notes=(
            f"Deals {points(exchange.to_boss.total)}, takes {points(exchange.to_player.total)}",
            *_damage_notes(dealt),
        ),
    )


def every_boss_card(report: EveryBossReport) -> SheetCard:
    """Return the card of a deck against every boss: what one exchange leaves of each, and how the fight ends."""
    shown = report.rows[: v.MAX_SHEET_ROWS]
    return SheetCard(
        title=f"One deck against {quantity(len(report.rows), 'boss', 'bosses')}: {report.beaten} would fall",
        rows=tuple(map(_boss_row, shown)),
        more=len(report.rows) - len(shown),
        color="orange",
        note="Bars: left after one exchange",
    )


def _boss_row(row: BossRow) -> v.HealthRow:
    outlook = row.outlook
    figures = {
        End.VICTORY: f"falls in {outlook.about}",
        End.BOTH: f"both fall in {outlook.about}",
        End.DEFEAT: f"wins in {outlook.about}",
        End.STALEMATE: "stalemate",
        End.UNFIT: "you have no health",
    }[outlook.end]
    health = health_row(row.boss.name, row.boss_left, row.boss.health, row.to_boss.total, "")
    return health.model_copy(update={"figures": figures, "gone": False})


def best_order_card(request: BestOrderRequest, report: BestOrderReport) -> FightCard:
    """Return the card of a party in its best order, at the end of the fight."""
    boss, times = request.boss, request.times
    health = boss.health * times
    dealt = sum((entry.dealt for entry in report.order), Fraction(0))
    rows = tuple(
        health_row(f"{at}. {one.name}", one.left, one.health, out="down").model_copy(update={"instead": f"Member {at}"})
        for at, one in enumerate(report.order, start=1)
    )
    exchanges = "" if report.exchanges is None else f"after {quantity(report.exchanges, 'exchange')}"
    return FightCard(
        title={"party": "The party wins", "boss": "The boss wins", None: "Stalemate in every order"}[report.winner],
        aside=exchanges if report.winner is not None else "",
        foe=health_row(boss_title(boss, times), health - dealt, health, out="defeated"),
        left=v.FightSide(name="Party", rows=rows),
        notes=_damage_notes([(entry.name, entry.dealt) for entry in report.order]),
    )


def _damage_notes(dealt: Sequence[tuple[str, Fraction]]) -> tuple[str, ...]:
    """Return a line with who deals how much, the most first; none unless several do."""
    hurting = sorted((pair for pair in dealt if pair[1]), key=lambda pair: -pair[1])
    if len(hurting) <= 1:
        return ()
    parts = [f"{name} {points(damage)}" for name, damage in hurting[:_MAX_NAMED]]
    more = [f"{len(hurting) - _MAX_NAMED} more"] if len(hurting) > _MAX_NAMED else []
    line = f"Damage: {' · '.join([*parts, *more])}"
    return (line if len(line) <= v.MAX_LINE else f"{line[: v.MAX_LINE - 1]}…",)
