"""What the bot asks the workers about decks and bosses: to read them, to try a deck, to draw; the cards of answers."""

import io
import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sim.boss_fight.battle.rules import BossFight
from sim.boss_fight.battle.values import State
from sim.boss_fight.best_choices import BestOrderReport, BestOrderRequest, BestTokensReport
from sim.boss_fight.exchange import SECONDS_PER_TRAIT, Damage, End, ExchangeReport, Outlook, exchange, score
from sim.boss_fight.fight_cards import boss_title, draw_battle, draw_exchange, draw_result, health_row
from sim.boss_fight.form_text import parse_deck
from sim.boss_fight.tables import read_bosses, read_deck
from sim.boss_fight.values import Boss, Deck, Element, Exact, Token, points, power_of_two
from sim.core.cards import values as v
from sim.core.cards.card import Card
from sim.core.cards.draw import CardRequest, FightCard, SheetCard
from sim.core.errors import RuleError
from sim.core.numbers import quantity
from sim.core.values import Frozen, Request

MAX_DECK_TRAITS = 5_000
"""Traits of a whole deck that the bot reads: it has to show them, page by page."""

MAX_BOSSES_TRIED = 100
"""Bosses that one request tries a deck against: more than anybody has."""

MAX_UPLOAD = 8 << 20
"""The largest uploaded picture, in bytes."""

_MAX_PIXELS: Mapping[str, int] = {"PNG": 8_000_000, "JPEG": 16_000_000, "WEBP": 8_000_000, "GIF": 8_000_000}
"""The kinds of files that are read, with the largest picture of each in pixels.

A decoder keeps two or three copies of a picture, and a worker has little memory; JPEG can be decoded smaller at once.
"""

MAX_SIDE = 512
"""Pixels of the longer side of a redrawn picture."""


class _Reading(Request):
    """Base of what reads a text or a file; the bound is for one in which every name is misspelled."""

    max_seconds = 0.05
    character_seconds = 1e-5


class DeckRequest(_Reading):
    """A deck as text, or as the content of a file: CSV, or the text with a colon and no "trait" in its first line."""

    text: str | None = None
    data: Annotated[bytes | None, Field(repr=False)] = None

    @model_validator(mode="after")
    def _text_or_data(self) -> Self:
        if (self.text is None) is (self.data is None):
            raise ValueError("a deck is a text or a file")
        return self

    def run(self) -> Deck:
        """Return the deck; TextError or TableError with every mistake, RuleError for too many traits."""
        text = self.text if self.data is None else _deck_text(self.data)
        deck = read_deck(self.data or b"") if text is None else parse_deck(text)
        if deck.size > MAX_DECK_TRAITS:
            raise RuleError(f"A deck has at most {MAX_DECK_TRAITS:,} traits; here are {deck.size:,}.")
        return deck


def _deck_text(data: bytes) -> str | None:
    """Return the text of a file with a deck's text; None for a table, and for data that only the CSV reader decodes."""
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return None
    first = text.partition("\n")[0]
    return text if ":" in first and "trait" not in first.lower() else None


class AgainstElement(Frozen):
    """A deck against bosses of one element (None: without one) that neither pierce nor resist.

    `stacked_element`: the factor of magical damage to the player; `to_boss`: the deck's damage to the boss.
    """

    element: Element | None
    stacked_element: Exact
    to_boss: Damage


class DeckSheet(Frozen):
    """Totals of a deck, before any modifier, and its stacks.

    `stacked_physical`, `stacked_magical`: the factors of damage to the player from a boss that doesn't pierce; they are
    1 for a boss that does.
    """

    deck: Deck
    health: int
    physical_damage: int
    magical_damage: int
    stacked_physical: Exact
    stacked_magical: Exact
    elements: tuple[AgainstElement, ...]


class DeckSheetRequest(Request):
    """The totals and stacks of a deck."""

    deck: DeckRequest

    @override
    def cost(self) -> float:
        return 0.1 + self.deck.cost()

    def run(self) -> DeckSheet:
        """Return the sheet; TextError or TableError with every mistake."""
        return deck_sheet(self.deck.run())


def deck_sheet(deck: Deck) -> DeckSheet:
    """Return the totals of a deck, and its stacks against bosses of each element."""
    traits = [trait for token in deck.tokens for trait in token.traits]
    return DeckSheet.model_construct(
        deck=deck,
        health=deck.health,
        physical_damage=sum(trait.physical_damage for trait in traits),
        magical_damage=sum(trait.magical_damage for trait in traits),
        stacked_physical=power_of_two(-sum(trait.physical_resistance for trait in traits)),
        stacked_magical=power_of_two(-sum(trait.magical_resistance for trait in traits)),
        elements=tuple(
            AgainstElement(element=element, stacked_element=report.stacks.element, to_boss=report.to_boss)
            for element in (None, *Element)
            for report in [exchange(Boss(name="Anyone", element=element, health=1), deck)]
        ),
    )


class BossesRequest(_Reading):
    """Bosses as the content of a CSV file."""

    data: Annotated[bytes, Field(repr=False)]

    def run(self) -> tuple[Boss, ...]:
        """Return the bosses; TableError with every mistake."""
        return read_bosses(self.data)


class BossRow(Frozen):
    """What one boss and the deck do to each other."""

    boss: Boss
    player_health: int
    to_boss: Damage
    to_player: Damage
    outlook: Outlook

    @property
    def score(self) -> Fraction:
        """The score of the exchange."""
        return score(self.boss.health - self.to_boss.total, self.player_health - self.to_player.total)


class EveryBossReport(Frozen):
    """The bosses, in the order of the request."""

    rows: tuple[BossRow, ...]

    @property
    def beaten(self) -> int:
        """How many of them the deck defeats."""
        return sum(row.outlook.end in {End.VICTORY, End.BOTH} for row in self.rows)


class EveryBossRequest(Request):
    """One deck against several bosses."""

    bosses: Annotated[tuple[Boss, ...], Field(min_length=1, max_length=MAX_BOSSES_TRIED)]
    deck: Deck

    @override
    def cost(self) -> float:
        return 0.02 + SECONDS_PER_TRAIT * self.deck.size * len(self.bosses)

    def run(self) -> EveryBossReport:
        """Return a row for each boss."""
        reports = (exchange(boss, self.deck) for boss in self.bosses)
        figures = BossRow.model_fields
        return EveryBossReport(
            rows=tuple(BossRow(**{name: getattr(report, name) for name in figures}) for report in reports)
        )


class PortraitRequest(Request):
    """An uploaded picture, to be redrawn as a PNG of at most 512 pixels a side, without metadata.

    A hostile file reaches a decoder only here, within a worker's limits; nothing of it but its pixels is kept.
    """

    max_seconds = 3.0

    data: Annotated[bytes, Field(repr=False, max_length=MAX_UPLOAD)]

    def run(self) -> bytes:
        """Return its first frame; RuleError for a file that is too large or no picture of a supported kind."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a file that makes the decoder warn is refused
                return _redraw(self.data)
        except (RuleError, MemoryError):
            raise
        except Exception:  # noqa: BLE001 - a decoder may raise anything for a broken file
            *kinds, last = _MAX_PIXELS
            message = f"I can't read this file as a picture; send a {', '.join(kinds)} or {last}."
            raise RuleError(message) from None


def _redraw(data: bytes) -> bytes:
    from PIL import Image, ImageOps  # noqa: PLC0415  # the process that asks must not load it

    with Image.open(io.BytesIO(data), formats=tuple(_MAX_PIXELS)) as image:
        width, height = image.size
        most = _MAX_PIXELS[image.format or "PNG"]
        if width * height > most:
            size_text = f"The picture has {width:,} x {height:,} pixels"
            raise RuleError(f"{size_text}; a {image.format} may have at most {most // 1_000_000} million.")
        image.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))  # a large JPEG is decoded smaller at once
        has_alpha = "A" in image.getbands() or "transparency" in image.info
        mode = "RGBA" if has_alpha else "RGB"
        # Shrunk before anything else if possible: each copy of a large picture costs memory.
        small = image if image.mode == mode else image.convert(mode)
        small.thumbnail((MAX_SIDE, MAX_SIDE))
        plain = ImageOps.exif_transpose(small)
    fresh = Image.new(plain.mode, plain.size)
    fresh.paste(plain)
    out = io.BytesIO()
    fresh.save(out, format="PNG", optimize=True)
    return out.getvalue()


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
    rows = (_token_row(token, most, wide=wide) for token in shown)
    return SheetCard(
        title=f"{quantity(len(tokens), 'token')}, {quantity(sheet.deck.size, 'trait')}",
        aside="bars show damage",
        facts=(
            v.Fact(label="Health", figure=points(sheet.health)),
            v.Fact(label="Physical damage", figure=points(sheet.physical_damage)),
            v.Fact(label="Magical damage", figure=points(sheet.magical_damage)),
        ),
        rows=tuple(rows),
        wide=wide,
        more=len(tokens) - len(shown),
        note=_elements_note(sheet),
    )


def _token_row(token: Token, most: int, *, wide: bool) -> v.HealthRow:
    damage, health = _damage(token), sum(trait.health for trait in token.traits)
    name = f"{token.name}, {token.element}" if wide and token.element is not None else token.name
    figures = f"{points(damage)} damage"
    return v.HealthRow(
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


class ExchangeCard(FightCard):
    """Draws one exchange: the boss's portrait, and what it costs both."""

    exchange: ExchangeReport

    @override
    def draw(self) -> Card:
        report, (you,) = self.exchange, self.left.rows
        lost = (report.to_boss.total, report.to_player.total)
        told = (self.aside.capitalize(), self.title)
        return draw_exchange(report.boss, self.foe or you, you, lost, told, self.alt())


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
        wide=len(shown) <= v.MAX_WIDE_ROWS,
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
    left = row.boss.health - row.to_boss.total
    health = health_row(row.boss.name, left, row.boss.health, row.to_boss.total, "")
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
