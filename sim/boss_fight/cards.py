"""The cards of boss fights: a party's fight and its result, and those of answers about decks."""

from collections.abc import Sequence
from fractions import Fraction

from typing_extensions import override

from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.battle.values import BOSS, PARTY, Exchanged, Member, Run, State, default_name
from sim.boss_fight.best_choices import BestOrderReport, BestOrderRequest, BestTokensReport, OrderEntry
from sim.boss_fight.exchange import End, ExchangeReport
from sim.boss_fight.game import ICON
from sim.boss_fight.requests import BossRow, DeckSheet, EveryBossReport
from sim.boss_fight.values import Boss, Element, Token, points
from sim.core.battle import REFEREE
from sim.core.cards import parts
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest, draw_fight
from sim.core.cards.parts import HEALTH_ROW, LEFT, RIGHT
from sim.core.cards.theme import BLUE, INK, NEUTRAL, ORANGE, SOFT, TEXT, TROUGH
from sim.core.cards.values import (
    MAX_LINE,
    MAX_SHEET_ROWS,
    MAX_WIDE_ROWS,
    Fact,
    FightCard,
    FightSide,
    HealthRow,
    Line,
    SheetCard,
)
from sim.core.dice import ScriptedDice
from sim.core.numbers import percent, quantity
from sim.core.values import Frozen

MAX_MEMBERS_SHOWN = 6
"""Members with a bar; the rest are counted."""

_MAX_NAMED = 3
"""Fighters or tokens whose damage fits a line."""

_TOP = parts.TOP
_ICON = 56
_MORE = parts.LINE


class ResultCard(Frozen):
    """A finished fight, to share: who won, `won` whether it is the party, and each member's part, the most first.

    `rows`: their bars are shares of the damage to the boss; those who are down are `gone`. `more`: members who didn't
    fit. `note`: one more line, such as who struck the last blow.
    """

    title: Line
    won: bool | None
    aside: Line
    rows: tuple[HealthRow, ...]
    more: int
    note: Line

    def alt(self) -> str:
        """Return the figures in words, for people who can't see the picture."""
        rows = (f"{row.name} {row.figures}{', down' if row.gone else ''}." for row in self.rows)
        return " ".join([f"{self.title} {self.aside}.", *rows, *([f"{self.note}."] if self.note else [])])


def result_card(state: State) -> ResultCard | None:
    """Return the card of a finished fight; None while it goes on."""
    if state.ending is None:
        return None
    count = state.exchanges
    foe = _foe(state.setup.boss, state.setup.times)
    victor = state.members[0].name if len(state.members) == 1 else "The party"
    titles = {PARTY: f"{victor} defeats {foe}", BOSS: f"{foe} defeats the party", None: f"Stalemate with {foe}"}
    fighters = sorted((member for member in state.members if member.hits), key=lambda member: -member.dealt)
    return ResultCard(
        title=titles[state.winner],
        won=None if state.winner is None else state.winner == PARTY,
        aside=f"in {count} {'exchange' if count == 1 else 'exchanges'}",
        rows=tuple(_damage_row(member, state.dealt) for member in fighters[:MAX_MEMBERS_SHOWN]),
        more=len(fighters) - len(fighters[:MAX_MEMBERS_SHOWN]),
        note=_note(state),
    )


def _foe(boss: Boss, times: int) -> str:
    return f"{boss.name} × {times}" if times > 1 else boss.name


def _damage_row(member: Member, dealt: Fraction) -> HealthRow:
    share = float(member.dealt / dealt) if dealt else 0.0
    figures = f"{points(member.dealt)} · {percent(share, certain=share == 1)}" if member.dealt else "no damage"
    instead = default_name(member.seat)
    return HealthRow(name=member.name, instead=instead, left=share, figures=figures, gone=member.fallen)


def _note(state: State) -> str:
    """Return who struck the last blow, with what score; or how much health the boss has left."""
    if state.winner != PARTY or state.last is None:
        return f"{state.setup.boss.name} has {points(state.boss_left)} of {points(state.setup.health)} left"
    score = f", score {points(state.last.score)}" if state.last.score else ""
    return f"{state.last.name} strikes the last blow{score}"


def draw_result(result: ResultCard) -> Card:
    """Return the card of a finished fight."""
    color = NEUTRAL if result.won is None else BLUE if result.won else ORANGE
    foot = _TOP + len(result.rows) * HEALTH_ROW + (_MORE if result.more else 0) + 12
    card = Card(foot + _ICON + 16, result.alt())
    parts.headline(card, [(result.title, color)], result.aside)
    for at, row in enumerate(result.rows):
        _draw_damage(card, _TOP + at * HEALTH_ROW, row)
    if result.more:
        card.text(LEFT, foot - 14, f"and {result.more} more", TEXT, SOFT)
    card.silhouette(LEFT, foot, ICON, _ICON, NEUTRAL if result.won else ORANGE)
    beside = LEFT + _ICON + 16
    card.name(beside, foot + 38, result.note, RIGHT - beside, TEXT, SOFT, bold=False)
    return card


def _draw_damage(card: Card, top: int, row: HealthRow) -> None:
    """Draw a name, its damage and the bar below, as long as its share."""
    ink = NEUTRAL if row.gone else INK
    taken = card.text(RIGHT, top + 34, f"{row.figures} · down" if row.gone else row.figures, TEXT, ink, align="right")
    card.name(LEFT, top + 34, row.name, RIGHT - LEFT - taken - 14, TEXT, ink, instead=row.instead)
    card.segments((LEFT, top + 46, RIGHT, top + 72), [(row.left, BLUE), (1 - row.left, TROUGH)])


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
    """Return the card of a fight, see `sim.jobs.replay_page`."""
    return BattleCardRequest(state_json=state_json)


def battle_card(state: State) -> FightCard:
    """Return the card of a fight."""
    setup, last, turn = state.setup, state.last, state.turn
    boss = health_row(
        _foe(setup.boss, setup.times),
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


def deck_card(sheet: DeckSheet) -> SheetCard:
    """Return the card of a deck: its totals, and what each token brings before any modifier."""
    tokens = sheet.deck.tokens
    shown = tokens[:MAX_SHEET_ROWS]
    wide = len(shown) <= MAX_WIDE_ROWS
    most = max(map(_damage, tokens))
    rows = (_token_row(token, most, wide=wide) for token in shown)
    return SheetCard(
        title=f"{quantity(len(tokens), 'token')}, {quantity(sheet.deck.size, 'trait')}",
        aside="bars show damage",
        facts=(
            Fact(label="Health", figure=points(sheet.health)),
            Fact(label="Physical damage", figure=points(sheet.physical_damage)),
            Fact(label="Magical damage", figure=points(sheet.magical_damage)),
        ),
        rows=tuple(rows),
        wide=wide,
        more=len(tokens) - len(shown),
        note=_elements_note(sheet),
    )


def _token_row(token: Token, most: int, *, wide: bool) -> HealthRow:
    damage, health = _damage(token), sum(trait.health for trait in token.traits)
    name = f"{token.name}, {token.element}" if wide and token.element is not None else token.name
    figures = f"{points(damage)} damage"
    return HealthRow(
        name=name,
        left=damage / most if most else 0.0,
        figures=f"{figures} · {points(health)} health" if wide else figures,
        instead="Token",
    )


def _damage(token: Token) -> int:
    return sum(trait.physical_damage + trait.magical_damage for trait in token.traits)


def _elements_note(sheet: DeckSheet) -> str:
    """Return the elements against which the deck deals most and least, if that differs."""
    dealt = {row.element: row.to_boss.total for row in sheet.elements if row.element is not None}
    best, worst = max(dealt.values()), min(dealt.values())
    if best == worst:
        return ""
    return f"Deals most to {_elements(dealt, best)}, least to {_elements(dealt, worst)}"


def _elements(dealt: dict[Element, Fraction], damage: Fraction) -> str:
    names = " and ".join(element for element, total in dealt.items() if total == damage)
    return f"{names} ({points(damage)})"


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
    return FightCard(
        title=title,
        aside=aside,
        foe=health_row(boss.name, exchange.boss_left, boss.health, exchange.to_boss.total, "defeated"),
        left=FightSide(name="You", rows=(you,)),
        notes=(
            f"Deals {points(exchange.to_boss.total)}, takes {points(exchange.to_player.total)}",
            *_damage_notes(dealt),
        ),
    )


def every_boss_card(report: EveryBossReport) -> SheetCard:
    """Return the card of a deck against every boss: what one exchange leaves of each, and how the fight ends."""
    shown = report.rows[:MAX_SHEET_ROWS]
    return SheetCard(
        title=f"One deck against {quantity(len(report.rows), 'boss', 'bosses')}: {report.beaten} would fall",
        rows=tuple(map(_boss_row, shown)),
        wide=len(shown) <= MAX_WIDE_ROWS,
        more=len(report.rows) - len(shown),
        color="orange",
        note="Bars: left after one exchange",
    )


def _boss_row(row: BossRow) -> HealthRow:
    outlook = row.outlook
    figures = {
        End.VICTORY: f"falls in {outlook.about}",
        End.BOTH: f"both fall in {outlook.about}",
        End.DEFEAT: f"wins in {outlook.about}",
        End.STALEMATE: "stalemate",
        End.UNFIT: "you have no health",
    }[outlook.end]
    left = row.boss.health - row.to_boss.total
    health = health_row(row.boss.name, left, row.boss.health, row.to_boss.total, "")
    return health.model_copy(update={"figures": figures, "gone": False})


def best_order_card(request: BestOrderRequest, report: BestOrderReport) -> FightCard:
    """Return the card of a party in its best order, at the end of the fight."""
    boss, times = request.boss, request.times
    health = boss.health * times
    dealt = sum((entry.dealt for entry in report.order), Fraction(0))
    rows = tuple(_order_row(number, entry) for number, entry in enumerate(report.order, start=1))
    exchanges = "" if report.exchanges is None else f"after {quantity(report.exchanges, 'exchange')}"
    return FightCard(
        title={"party": "The party wins", "boss": "The boss wins", None: "Stalemate in every order"}[report.winner],
        aside=exchanges if report.winner is not None else "",
        foe=health_row(_foe(boss, times), health - dealt, health, out="defeated"),
        left=FightSide(name="Party", rows=rows),
        notes=_damage_notes([(entry.name, entry.dealt) for entry in report.order]),
    )


def _order_row(number: int, entry: OrderEntry) -> HealthRow:
    row = health_row(f"{number}. {entry.name}", entry.left, entry.health, out="down")
    return row.model_copy(update={"instead": f"Member {number}"})


def _damage_notes(dealt: Sequence[tuple[str, Fraction]]) -> tuple[str, ...]:
    """Return a line with who deals how much, the most first; none unless several do."""
    hurting = sorted((pair for pair in dealt if pair[1]), key=lambda pair: -pair[1])
    if len(hurting) <= 1:
        return ()
    parts = [f"{name} {points(damage)}" for name, damage in hurting[:_MAX_NAMED]]
    more = [f"{len(hurting) - _MAX_NAMED} more"] if len(hurting) > _MAX_NAMED else []
    line = f"Damage: {' · '.join([*parts, *more])}"
    return (line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 1]}…",)
